// SPDX-License-Identifier: Apache-2.0
// Options whose values are read strictly: the whole text, within range, or kUsage.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/limits.h"
#include "run/word_choice.h"
#include "sextant/matrix.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sextant::cli {

// An integer in [min, max].
CLI::Option* add_integer(CLI::App& app, const std::string& name, std::optional<Index>& target,
                         Index min, Index max, const std::string& doc);

// A finite number.
CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<double>& target,
                        const std::string& doc);

// A number of bytes: an integer, or one followed by K, M, G or T (powers of 1000),
// and by a B if one likes.
CLI::Option* add_bytes(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& target,
                       const std::string& doc);

// One of a few words. The value shown in help is "a|b|c", from which completion takes them.
CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& target,
                        std::vector<std::string> choices, const std::string& doc);

// Any text but an empty one; `value` is what help calls it: "FILE" and "DIR" complete to paths,
// "SPEC" to encodings.
CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& target,
                      const std::string& value, const std::string& doc);

// A flag that may have a text, as --name=TEXT; "true" where it has none.
CLI::Option* add_optional_text(CLI::App& app, const std::string& name, std::string& target,
                               const std::string& doc);

// Several texts after one name, or as the positional arguments: `count` of them, or any number.
void add_texts(CLI::App& app, const std::string& name, std::vector<std::string>& target,
               const std::string& value, const std::string& doc,
               std::optional<int> count = std::nullopt);

// Several texts, one after each occurrence of the name.
void add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& target,
                  const std::string& value, const std::string& doc);

CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& target, const std::string& doc);

// True when the option stands on the command line. After the parse.
bool given(const CLI::App& app, const std::string& name);

// A usage error when `option` stands beside one of `others`.
void exclude(CLI::Option* option, std::initializer_list<CLI::Option*> others);

using sextant::choice;

}  // namespace sextant::cli
