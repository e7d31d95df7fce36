// SPDX-License-Identifier: Apache-2.0
// A long context in little memory: 32,768 positions and 50,000 types.
#include <nlohmann/json.hpp>

#include "measure/made_counts.h"
#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

// A process between, because the memory of this one would count as its child's.
constexpr const char* kPeakOfChild =
    "import resource, subprocess, sys\n"
    "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True)\n"
    "sys.stdout.buffer.write(done.stdout)\n"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)\n";

TEST(SpectrumOfALongContext, TakesAtMost400Megabytes) {
  const TemporaryDirectory folder;
  const std::string counts = (folder / "long.counts").string();
  write_counts(counts, made_drifting_counts(32768, 50000), AtomicFile::Existing::kKeep);
  const CommandResult result =
      run_command({"/usr/bin/python3", "-c", kPeakOfChild, SEXTANT_BINARY, "spectrum", counts,
                   "--top", "16", "--json", "--quiet", "--threads", "1"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["positions"], 32768);
  EXPECT_EQ(json["eigenvalues"].size(), 16U);
  EXPECT_GT(json["entries"].get<double>(), 1e7);
  EXPECT_LE(json["residual"].get<double>(), 1e-8);
  EXPECT_LE(std::stod(result.err) / 1024.0, 400.0);
}

}  // namespace
}  // namespace sextant
