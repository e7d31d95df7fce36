// SPDX-License-Identifier: Apache-2.0
#include "cli/model_page_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/check.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "io/atomic_file.h"
#include "report/page.h"

namespace sextant::cli {

void add_page_options(CLI::App& app, PageChoice& choice) {
  add_text(app, "--report", choice.file, "FILE", "Also write a page with charts, FILE.html");
  add_flag(app, "--force", choice.force, "Replace an existing page");
}

void check_page(const PageChoice& choice) {
  require(!choice.force || !choice.file.empty(), "--force", "goes with --report");
  std::error_code none;
  if (!choice.file.empty() && !choice.force && std::filesystem::exists(choice.file, none))
    fail(ErrorCode::kUnwritable, path_text(choice.file), "exists; --force replaces it");
}

void write_model_page(const PageChoice& choice, const Json& document, const Globals& globals) {
  if (!has_report_page()) {
    note(globals, fmt::format("this build has no page: {} is not written", path_text(choice.file)));
    return;
  }
  AtomicFile file(choice.file,
                  choice.force ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep);
  file.write(report_page(to_line(document)));
  file.commit();
  if (!globals.json) print(fmt::format("\nWritten to {}\n", path_text(choice.file)));
}

}  // namespace sextant::cli
