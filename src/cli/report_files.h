// SPDX-License-Identifier: Apache-2.0
// The files of a report: each appears whole or not at all, and none before all are written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/json.h"
#include "run/study.h"

namespace sextant::cli {

class ReportFiles {
 public:
  // Makes the folder. Throws kUnwritable at once when a file of a report is there already, unless
  // `force`, or when the folder cannot be written.
  ReportFiles(std::filesystem::path folder, bool force);

  // report.json, report.html (where the build has a page), results.jsonl, rows.csv, positions.csv
  // and mds.safetensors; returns their names.
  std::vector<std::string> write(const Json& document, const Study& study) const;

 private:
  std::filesystem::path folder_;
  bool force_;
};

}  // namespace sextant::cli
