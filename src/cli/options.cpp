// SPDX-License-Identifier: Apache-2.0
// Strict values. CLI11's own conversions accept hexadecimal, octal and a leading '+'.
#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace sextant::cli {
namespace {

// The last of "-o,--output": what messages call the option.
std::string long_name(const std::string& name) {
  const auto comma = name.rfind(',');
  return comma == std::string::npos ? name : name.substr(comma + 1);
}

std::string range_text(Index min, Index max) {
  if (max == kLargest) return fmt::format("an integer of at least {}", min);
  return fmt::format("an integer from {} to {}", min, max);
}

std::uint64_t byte_count(std::string_view where, std::string_view text) {
  std::string_view digits = text;
  Index unit = 1;
  constexpr std::string_view kUnits = "KMGT";
  if (text.size() > 2 && text.back() == 'B' && kUnits.find(text[text.size() - 2]) != kUnits.npos)
    digits.remove_suffix(1);  // 8GB is 8G
  if (const auto power = digits.empty() ? kUnits.npos : kUnits.find(digits.back());
      power != kUnits.npos) {
    digits.remove_suffix(1);
    for (std::size_t i = 0; i <= power; ++i) unit *= 1000;
  }
  const std::optional<Index> count = parse_integer(digits);
  require(count && *count >= 1 && *count <= kLargest / unit, where,
          "must be a number of bytes such as 500M, 8G or 1TB, in powers of 1000, but got '{}'",
          escaped(text));
  return static_cast<std::uint64_t>(*count) * static_cast<std::uint64_t>(unit);
}

template <typename Read>
CLI::Option* add_read(CLI::App& app, const std::string& name, const char* value,
                      const std::string& doc, Read read) {
  return app.add_option_function<std::string>(name, std::move(read), doc)->type_name(value);
}

}  // namespace

CLI::Option* add_integer(CLI::App& app, const std::string& name, std::optional<Index>& target,
                         Index min, Index max, const std::string& doc) {
  return add_read(app, name, "N", doc,
                  [&target, min, max, where = long_name(name)](const std::string& text) {
                    const std::optional<Index> value = parse_integer(text);
                    require(value && *value >= min && *value <= max, where,
                            "must be {}, but got '{}'", range_text(min, max), escaped(text));
                    target = *value;
                  });
}

CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<double>& target,
                        const std::string& doc) {
  return add_read(app, name, "X", doc, [&target, where = long_name(name)](const std::string& text) {
    const std::optional<double> value = parse_number(text);
    require(value.has_value(), where, "must be a finite number, but got '{}'", escaped(text));
    target = *value;
  });
}

CLI::Option* add_bytes(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& target,
                       const std::string& doc) {
  return add_read(app, name, "BYTES", doc,
                  [&target, where = long_name(name)](const std::string& text) {
                    target = byte_count(where, text);
                  });
}

CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& target,
                        std::vector<std::string> choices, const std::string& doc) {
  const std::string value = fmt::format("{}", fmt::join(choices, "|"));
  return add_read(app, name, value.c_str(), doc,
                  [&target, choices = std::move(choices), where = long_name(name)](
                      const std::string& text) { target = choices[choice(where, text, choices)]; });
}

CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& target,
                      const std::string& value, const std::string& doc) {
  return add_read(app, name, value.c_str(), doc,
                  [&target, where = long_name(name)](const std::string& text) {
                    require(!text.empty(), where, "must not be empty");
                    target = text;
                  });
}

CLI::Option* add_optional_text(CLI::App& app, const std::string& name, std::string& target,
                               const std::string& doc) {
  return app.add_flag(name, target, doc);
}

void add_texts(CLI::App& app, const std::string& name, std::vector<std::string>& target,
               const std::string& value, const std::string& doc, std::optional<int> count) {
  CLI::Option* option = app.add_option(name, target, doc)->type_name(value);
  if (count) option->expected(*count);
}

void add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& target,
                  const std::string& value, const std::string& doc) {
  app.add_option(name, target, doc)->type_name(value)->allow_extra_args(false);
}

CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& target,
                      const std::string& doc) {
  return app.add_flag(name, target, doc);
}

bool given(const CLI::App& app, const std::string& name) { return app.count(name) > 0; }

void exclude(CLI::Option* option, std::initializer_list<CLI::Option*> others) {
  for (CLI::Option* other : others) option->excludes(other);
}

}  // namespace sextant::cli
