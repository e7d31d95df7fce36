// SPDX-License-Identifier: Apache-2.0
// sextant merge: shards of one corpus, counted apart, as one file of counts.
#include <filesystem>

#include "base/check.h"
#include "base/text.h"
#include "cli/counts_text.h"
#include "cli/hand_over.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/table_file.h"
#include "run/counts_choice.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> inputs;
  std::string output;
  std::optional<std::uint64_t> memory;
  bool force = false;
};

int run(const Options& options, const Globals& globals) {
  refuse_ranks("merge", "is work for one process; start it without mpirun or srun");
  require(!options.inputs.empty(), "FILE", "must be given, such as part.*{}", kCountsExtension);
  require(!options.output.empty(), "--output", "must be given, such as -o all{}", kCountsExtension);
  const fs::path output = options.output;
  require(output.extension() == kCountsExtension, "--output", "must end in {} but is '{}'",
          kCountsExtension, path_text(output));
  const std::vector<fs::path> paths = expand_inputs(options.inputs);
  std::vector<std::string> names;
  names.reserve(paths.size());
  for (const fs::path& path : paths) names.push_back(path.string());
  refuse_input_as_output(output, names);
  const auto existing =
      options.force ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep;
  { const AtomicFile probe(output, existing); }  // tells now whether it can be written
  CountsFile file;
  {
    const EndsAtOnce ends_at_once;  // nothing is written meanwhile
    Progress progress(globals);
    progress.stage("merging");
    file = merged_counts(paths, options.memory, [&](const ReadProgress& read) {
      progress.update(read.bytes_read, read.bytes_total, {});
    });
  }
  write_counts(output, file, existing);
  show_counts("merge", file, output, globals);
  return 0;
}

}  // namespace

void register_merge(VerbRegistry& verbs) {
  Verb& verb = verbs.add("merge", "Merge the counts of shards into one .counts file");
  const auto options = std::make_shared<Options>();
  add_texts(*verb.app, "FILE", options->inputs, "FILE",
            "Counts of shards of one corpus, in any order; files or globs");
  add_text(*verb.app, "-o,--output", options->output, "FILE", "Write the sum to FILE.counts");
  add_bytes(*verb.app, "--mem", options->memory,
            "Refuse work that needs more memory (default: 80 % of what is available)");
  add_flag(*verb.app, "--force", options->force, "Replace an existing file");
  verb.examples = {
      {"sextant merge part.*.counts -o all.counts", "all shards of a job array"},
      {"sextant merge part.0.counts part.1.counts -o half.counts",
       "some of them; the rest can be merged later, in any order"},
      {"sextant report all.counts -o web", "the same report as from the text"},
  };
  verb.takes_json = true;
  verb.run = [options, &globals = verbs.globals()] { return run(*options, globals); };
}

}  // namespace sextant::cli
