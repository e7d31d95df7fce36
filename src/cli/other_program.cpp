// SPDX-License-Identifier: Apache-2.0
#include "cli/other_program.h"

#include <unistd.h>

#include <cstdlib>

#include "base/check.h"
#include "base/text.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

bool runs(const fs::path& program) {
  std::error_code none;
  return fs::is_regular_file(program, none) && access(program.c_str(), X_OK) == 0;
}

std::string value_of_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

fs::path other_program(const char* name, const char* variable, std::string_view advice) {
  if (const std::string asked = value_of_variable(variable); !asked.empty()) {
    if (!runs(asked))
      fail(ErrorCode::kUnreadable, variable, "'{}' is no program", path_text(asked));
    return fs::absolute(asked);
  }
  std::error_code none;
  const fs::path own = fs::read_symlink("/proc/self/exe", none);
  if (!none && runs(own.parent_path() / name)) return own.parent_path() / name;
  const std::string path = value_of_variable("PATH");
  for (const std::string_view folder : split(path, ':'))
    if (!folder.empty() && runs(fs::path(folder) / name))
      return fs::absolute(fs::path(folder) / name);
  fail(ErrorCode::kUnreadable, name, "{}, or name the program in the variable {}", advice,
       variable);
}

}  // namespace sextant::cli
