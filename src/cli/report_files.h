// SPDX-License-Identifier: Apache-2.0
// The files of a report: each appears whole or not at all, and none before all are written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/corpus_options.h"
#include "io/folder_lock.h"
#include "io/json.h"
#include "run/study.h"

namespace sextant::cli {

inline constexpr const char* kCheckpoints = ".checkpoint";  // folder in that of a report
class ReportFiles {
 public:
  // Makes the folder, which goes again when nothing is written into it, and locks it: another
  // report into it is kCheckpoint meanwhile. Throws kUnwritable at once when a file of a report is
  // there already, unless `force`, or when the folder cannot be written; kUsage when an input is
  // one of these files. A run that `resumes` may replace the files of one that ended before
  // report.json, the last of them.
  ReportFiles(const std::filesystem::path& folder, const CorpusChoice& inputs, bool force,
              bool resumes = false);

  // report.json, report.html (where the build has a page), results.jsonl, rows.csv, positions.csv
  // and mds.safetensors; returns their names.
  std::vector<std::string> write(const Json& document, const Study& study) const;

 private:
  OutputFolder output_;
  std::filesystem::path folder_;
  FolderLock lock_;
  bool force_;
};

}  // namespace sextant::cli
