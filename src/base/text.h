// SPDX-License-Identifier: Apache-2.0
// Text that people type and text from files that people read.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

// The candidate with the smallest edit distance (adjacent transposition counts as one), at most a
// third of the word plus one; else the first that a word of three letters begins; else nothing.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// " (did you mean 'rope'?)" or "".
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

// Whole string or nothing: no blanks, no leading '+', no "12abc". Numbers are finite; "1/256" is
// a number too.
std::optional<double> parse_number(std::string_view text);
std::optional<Index> parse_integer(std::string_view text);

// Untrusted bytes for a message: control and non-ASCII bytes as \xNN, cut at 64 bytes.
std::string escaped(std::string_view bytes);

// A path for a message: escaped in the same way but whole, since a cut path names another file.
std::string path_text(const std::filesystem::path& path);

// A-Z to a-z, other bytes as they are.
std::string lower_ascii(std::string_view text);

std::vector<std::string_view> split(std::string_view text, char separator);

// The shortest digits that read back to the same double; without an exponent from 1e-4 to 1e16, so
// that 500000 is not 5e+05.
std::string shortest(double value);

}  // namespace sextant
