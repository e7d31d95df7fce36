// SPDX-License-Identifier: Apache-2.0
#include "cli/lab_program.h"

#include <unistd.h>

#include <cstdlib>

#include "base/check.h"
#include "base/text.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "sextant-lab";

bool runs(const fs::path& program) {
  std::error_code none;
  return fs::is_regular_file(program, none) && access(program.c_str(), X_OK) == 0;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

fs::path lab_program() {
  if (const std::string asked = variable("SEXTANT_LAB"); !asked.empty()) {
    if (!runs(asked))
      fail(ErrorCode::kUnreadable, "SEXTANT_LAB", "'{}' is no program", path_text(asked));
    return fs::absolute(asked);
  }
  std::error_code none;
  const fs::path own = fs::read_symlink("/proc/self/exe", none);
  if (!none && runs(own.parent_path() / kName)) return own.parent_path() / kName;
  const std::string path = variable("PATH");
  for (const std::string_view folder : split(path, ':'))
    if (!folder.empty() && runs(fs::path(folder) / kName))
      return fs::absolute(fs::path(folder) / kName);
  fail(ErrorCode::kUnreadable, kName,
       "the program that trains is not there; install the package libtorch-dev and build again, or "
       "name the program in the variable SEXTANT_LAB");
}

}  // namespace sextant::cli
