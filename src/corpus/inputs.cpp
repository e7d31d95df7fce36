// SPDX-License-Identifier: Apache-2.0
// From the words on a command line to files and their formats.
#include "corpus/inputs.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "base/text.h"
#include "corpus/records.h"

namespace sextant {
namespace {

constexpr std::array<std::string_view, 9> kForeign = {
    ".npz", ".h5", ".hdf5", ".pt", ".bin", ".pkl", ".pickle", ".parquet", ".arrow"};

// Bytewise order: the one of glob depends on the locale.
std::vector<std::filesystem::path> matches(const std::string& pattern) {
  glob_t found = {};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT | GLOB_ERR, nullptr, &found);
  const int error = errno;
  std::vector<std::filesystem::path> paths;
  if (status == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (status == GLOB_NOMATCH) fail(ErrorCode::kUnreadable, path_text(pattern), "no file matches");
  if (status == GLOB_NOSPACE) fail(ErrorCode::kRefused, path_text(pattern), "no memory to expand");
  if (status != 0)
    fail(ErrorCode::kUnreadable, path_text(pattern), "{}", std::system_category().message(error));
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

std::vector<std::filesystem::path> expand_inputs(const std::vector<std::string>& inputs) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& input : inputs) {
    struct stat status = {};
    const int error = input == "-" || ::stat(input.c_str(), &status) == 0 ? 0 : errno;
    if (error == 0) {
      paths.emplace_back(input);
    } else if (input.find_first_of("*?[") != input.npos) {
      const std::vector<std::filesystem::path> found = matches(input);
      paths.insert(paths.end(), found.begin(), found.end());
    } else {
      fail(ErrorCode::kUnreadable, path_text(input), "{}", std::system_category().message(error));
    }
  }
  return paths;
}

RecordFormat format_by_name(const std::filesystem::path& path) {
  std::string extension = lower_ascii(path.extension().native());
  if (extension == ".gz" || extension == ".zst")
    extension = lower_ascii(path.stem().extension().native());
  if (std::find(kForeign.begin(), kForeign.end(), extension) != kForeign.end()) {
    fail(ErrorCode::kMalformed, path_text(path),
         "{} format not accepted; convert to .txt, .tsv, .csv or .jsonl", extension);
  }
  if (extension == ".tsv") return RecordFormat::kTsv;
  if (extension == ".csv") return RecordFormat::kCsv;
  if (extension == ".jsonl" || extension == ".ndjson") return RecordFormat::kJsonl;
  return RecordFormat::kText;
}

}  // namespace sextant
