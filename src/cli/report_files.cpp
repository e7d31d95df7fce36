// SPDX-License-Identifier: Apache-2.0
#include "cli/report_files.h"

#include <fmt/format.h>

#include <memory>

#include "base/check.h"
#include "base/text.h"
#include "cli/table_file.h"
#include "io/atomic_file.h"
#include "report/page.h"
#include "run/document.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNames[] = {"report.json", "report.html",   "results.jsonl",
                                  "rows.csv",    "positions.csv", "mds.safetensors"};

// A field of a CSV file: quoted where it must be.
std::string field(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  auto text = value.get<std::string>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string rows_csv(const Json& document) {
  const std::vector<std::string> plain = {"encoding",      "geometry",
                                          "control",       "stress_corrected",
                                          "stress_scaled", "stress_raw",
                                          "scale",         "stress_null",
                                          "spearman",      "spearman_corrected",
                                          "pearson",       "procrustes",
                                          "negative_mass", "group",
                                          "error"};
  std::string text = fmt::format("{},interval_low,interval_high\n", fmt::join(plain, ","));
  for (const Json& row : document["rows"]) {
    for (const std::string& key : plain) text += field(row[key]) + ",";
    const Json& interval = row["interval"];
    text +=
        interval.is_array() ? fmt::format("{},{}", interval[0].dump(), interval[1].dump()) : ",";
    text += "\n";
  }
  return text;
}

std::string positions_csv(const Json& document) {
  std::string text = "position,sequences,reliability\n";
  for (std::size_t i = 0; i < document["counts"].size(); ++i) {
    text +=
        fmt::format("{},{},{}\n", i, document["counts"][i].dump(),
                    i < document["reliability"].size() ? document["reliability"][i].dump() : "");
  }
  return text;
}

}  // namespace

ReportFiles::ReportFiles(const fs::path& folder, const CorpusChoice& inputs, bool force,
                         bool resumes)
    : output_(folder), folder_(output_.path()), lock_(folder_), force_(force) {
  std::error_code error;
  // A run that ended while it wrote has its checkpoints still.
  if (resumes && fs::exists(folder_ / kCheckpoints, error) &&
      !fs::exists(folder_ / kNames[0], error))
    force_ = true;
  for (const char* name : kNames) {
    check_not_an_input(folder_ / name, inputs);
    if (!force_ && fs::exists(folder_ / name, error))
      fail(ErrorCode::kUnwritable, path_text(folder_ / name), "exists; --force replaces it");
  }
  AtomicFile probe(folder_ / kNames[0], AtomicFile::Existing::kReplace);  // never committed
}

std::vector<std::string> ReportFiles::write(const Json& document, const Study& study) const {
  std::vector<std::string> names;
  std::vector<std::unique_ptr<AtomicFile>> files;
  const auto open = [&](const char* name) -> AtomicFile& {
    names.emplace_back(name);
    files.push_back(std::make_unique<AtomicFile>(
        folder_ / name, force_ ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep));
    return *files.back();
  };
  if (has_report_page()) open("report.html").write(report_page(to_line(document)));
  open("results.jsonl").write(result_lines(document));
  open("rows.csv").write(rows_csv(document));
  open("positions.csv").write(positions_csv(document));
  const Index rank = std::max<Index>(1, std::min(study.options.dim, study.target.plain.size() - 1));
  const Fit best = fit(study.target, {.rank = rank});
  write_table(open("mds.safetensors"), TableFormat::kSafetensors, table_of(best.points),
              "coordinates", {{"method", "classical"}, {"distances", "plain"}});
  open("report.json").write(to_text(document));
  for (const auto& file : files) file->commit();
  return names;
}

}  // namespace sextant::cli
