// SPDX-License-Identifier: Apache-2.0
// Which keys of a config were read: each positional key ends up in the list, read or not.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/json_input.h"
#include "sextant/model.h"

namespace sextant {

// Sizes beyond it are not those of a model; products of two of them fit 63 bits.
inline constexpr Index kMostSize = Index{1} << 31;
inline constexpr Index kMostPositions = Index{1} << 39;

class KeyLedger {
 public:
  void consume(const std::string& pointer) { uses_[pointer] = {pointer, true, ""}; }
  void ignore(const std::string& pointer, std::string_view reason) {
    uses_[pointer] = {pointer, false, std::string(reason)};
  }
  bool knows(const std::string& pointer) const { return uses_.count(pointer) > 0; }
  std::vector<KeyUse> uses() const;

 private:
  std::map<std::string, KeyUse> uses_;
};

// An object of a config whose keys are read through the ledger. Refers to both.
class ConfigSection {
 public:
  ConfigSection(JsonNode node, KeyLedger& ledger) : node_(std::move(node)), ledger_(&ledger) {}

  // The value of the first name that is there and not null; the others are ignored, for it is read
  // instead of them.
  std::optional<JsonNode> take(std::initializer_list<std::string_view> names) const;
  std::optional<ConfigSection> section(std::string_view name) const;

  // A wrong type is kMalformed with the pointer. A size is whole, not negative and at most `most`;
  // 4096.0 is whole.
  std::optional<Index> size(std::initializer_list<std::string_view> names,
                            Index most = kMostSize) const;
  std::optional<double> number(std::initializer_list<std::string_view> names) const;
  std::optional<bool> flag(std::initializer_list<std::string_view> names) const;
  std::optional<std::string> word(std::initializer_list<std::string_view> names) const;
  std::vector<double> numbers(std::string_view name) const;

  // Without reading it.
  bool has(std::string_view name) const { return node_.find(std::string(name)).has_value(); }
  void ignore(std::string_view name, std::string_view reason) const;
  // Members that were not read: those of a rope object are all positional.
  void ignore_rest(std::string_view reason) const;
  // Members that were not read and whose name speaks of positions.
  void ignore_positional(std::string_view reason) const;

  const JsonNode& node() const { return node_; }

 private:
  std::string pointer(std::string_view name) const;

  JsonNode node_;
  KeyLedger* ledger_;
};

// The whole number of a node, 0..most.
Index size_of(const JsonNode& node, Index most);

}  // namespace sextant
