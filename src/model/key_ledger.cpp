// SPDX-License-Identifier: Apache-2.0
#include "model/key_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace sextant {
namespace {

// Parts of names that speak of positions.
constexpr std::string_view kPositionalParts[] = {"rope",
                                                 "rotary",
                                                 "alibi",
                                                 "position",
                                                 "relative_attention",
                                                 "yarn",
                                                 "longrope",
                                                 "max_seq",
                                                 "n_ctx",
                                                 "theta",
                                                 "seq_length",
                                                 "sliding_window_pattern",
                                                 "base_freq",
                                                 "layer_types",
                                                 "attn_temperature"};

// Keys that hold such a part and say nothing of the encoding.
constexpr std::string_view kOtherKeys[] = {"position_ids", "max_seq_len_cached"};

bool speaks_of_positions(std::string_view key) {
  if (std::find(std::begin(kOtherKeys), std::end(kOtherKeys), key) != std::end(kOtherKeys))
    return false;
  return std::any_of(std::begin(kPositionalParts), std::end(kPositionalParts),
                     [&](std::string_view part) { return key.find(part) != key.npos; });
}

}  // namespace

std::vector<KeyUse> KeyLedger::uses() const {
  std::vector<KeyUse> list;
  list.reserve(uses_.size());
  for (const auto& [pointer, use] : uses_) list.push_back(use);
  return list;
}

std::string ConfigSection::pointer(std::string_view name) const {
  return fmt::format("{}/{}", node_.pointer(), name);
}

std::optional<JsonNode> ConfigSection::take(std::initializer_list<std::string_view> names) const {
  std::optional<JsonNode> taken;
  std::string_view taken_name;
  for (const std::string_view name : names) {
    const std::optional<JsonNode> found = node_.find(std::string(name));
    if (!found) continue;
    if (taken) {
      ledger_->ignore(found->pointer(), fmt::format("{} is read instead", taken_name));
      continue;
    }
    ledger_->consume(found->pointer());
    taken = found;
    taken_name = name;
  }
  return taken;
}

std::optional<ConfigSection> ConfigSection::section(std::string_view name) const {
  const std::optional<JsonNode> found = take({name});
  if (!found) return std::nullopt;
  if (!found->is_object()) found->fail_here("must be an object");
  return ConfigSection(*found, *ledger_);
}

Index size_of(const JsonNode& node, Index most) {
  const double value = node.number();
  if (value < 0.0 || value != std::floor(value))
    node.fail_here("must be a whole number that is not negative but is {}", shortest(value));
  if (value > static_cast<double>(most))
    node.fail_here("must be at most {} but is {}", most, shortest(value));
  return static_cast<Index>(value);
}

std::optional<Index> ConfigSection::size(std::initializer_list<std::string_view> names,
                                         Index most) const {
  const std::optional<JsonNode> node = take(names);
  return node ? std::optional(size_of(*node, most)) : std::nullopt;
}

std::optional<double> ConfigSection::number(std::initializer_list<std::string_view> names) const {
  const std::optional<JsonNode> node = take(names);
  return node ? std::optional(node->number()) : std::nullopt;
}

std::optional<bool> ConfigSection::flag(std::initializer_list<std::string_view> names) const {
  const std::optional<JsonNode> node = take(names);
  return node ? std::optional(node->flag()) : std::nullopt;
}

std::optional<std::string> ConfigSection::word(
    std::initializer_list<std::string_view> names) const {
  const std::optional<JsonNode> node = take(names);
  return node ? std::optional(node->text()) : std::nullopt;
}

std::vector<double> ConfigSection::numbers(std::string_view name) const {
  std::vector<double> values;
  const std::optional<JsonNode> node = take({name});
  if (!node) return values;
  values.reserve(node->size());
  for (std::size_t i = 0; i < node->size(); ++i) values.push_back(node->at(i).number());
  return values;
}

void ConfigSection::ignore(std::string_view name, std::string_view reason) const {
  if (has(name)) ledger_->ignore(pointer(name), reason);
}

void ConfigSection::ignore_rest(std::string_view reason) const {
  for (const auto& [key, value] : node_.members()) {
    if (ledger_->knows(value.pointer())) continue;
    if (value.is_null())
      ledger_->consume(value.pointer());
    else
      ledger_->ignore(value.pointer(), reason);
  }
}

void ConfigSection::ignore_positional(std::string_view reason) const {
  for (const auto& [key, value] : node_.members()) {
    if (!speaks_of_positions(key) || ledger_->knows(value.pointer())) continue;
    if (value.is_null())
      ledger_->consume(value.pointer());
    else
      ledger_->ignore(value.pointer(), reason);
  }
}

}  // namespace sextant
