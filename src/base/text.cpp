// SPDX-License-Identifier: Apache-2.0
// Parsing without locale and without guessing; messages without raw bytes.
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace sextant {
namespace {

// Optimal string alignment: insert, delete, replace, swap neighbours, each for one.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

template <typename Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::string escaped_up_to(std::string_view bytes, std::size_t limit) {
  std::string result;
  for (const char c : bytes.substr(0, limit)) {
    if (c >= 0x20 && c < 0x7f)
      result += c;
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (bytes.size() > limit) result += "...";
  return result;
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = word.size() / 3 + 2;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = &candidate;
    best_distance = distance;
  }
  // "jordan" is far from "jordan-rope" in letters, yet whoever types it means that.
  constexpr std::size_t kLeastPrefix = 3;
  for (const std::string& candidate : candidates)
    if (best == nullptr && word.size() >= kLeastPrefix && candidate.starts_with(word))
      best = &candidate;
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const std::optional<std::string> guess = nearest(word, candidates);
  return guess ? fmt::format(" (did you mean '{}'?)", *guess) : "";
}

std::optional<double> parse_number(std::string_view text) {
  const std::size_t slash = text.find('/');
  std::optional<double> value = parse_whole<double>(text.substr(0, slash));
  if (value && slash != text.npos) {
    const std::optional<double> divisor = parse_whole<double>(text.substr(slash + 1));
    if (!divisor || !std::isfinite(*divisor)) return std::nullopt;
    *value /= *divisor;
  }
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::optional<Index> parse_integer(std::string_view text) { return parse_whole<Index>(text); }

std::string escaped(std::string_view bytes) { return escaped_up_to(bytes, 64); }

std::string path_text(const std::filesystem::path& path) {
  return escaped_up_to(path.native(), path.native().size());
}

std::string lower_ascii(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t stop = text.find(separator); stop != text.npos; stop = text.find(separator)) {
    parts.push_back(text.substr(0, stop));
    text.remove_prefix(stop + 1);
  }
  parts.push_back(text);
  return parts;
}

std::string shortest(double value) { return fmt::format("{}", value); }

}  // namespace sextant
