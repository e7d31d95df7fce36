// SPDX-License-Identifier: Apache-2.0
// Tokens by their bytes, for questions about prefixes: the longest token that a text starts with.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "corpus/tokenizers/token_hash.h"
#include "sextant/corpus.h"

namespace sextant {

// Edges (node, byte) -> node in one flat table, at most half full.
class Trie {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;
  static constexpr Node kNowhere = ~Node{0};
  static constexpr TokenId kNoToken = ~TokenId{0};

  // REQUIRES: key is not empty. A key given twice keeps its last value.
  void add(std::string_view key, TokenId value) { values_[grown(key)] = value; }

  // Makes sure that every prefix of `key` has a node, and returns the last.
  Node grown(std::string_view key) {
    Node node = kRoot;
    for (const char byte : key) {
      Node next = child(node, byte);
      if (next == kNowhere) {
        next = static_cast<Node>(values_.size());
        values_.push_back(kNoToken);
        insert(edge(node, byte), next);
      }
      node = next;
    }
    return node;
  }

  Node child(Node node, char byte) const {
    const std::uint64_t wanted = edge(node, byte);
    for (std::size_t at = place(wanted);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].edge == wanted) return slots_[at].child;
      if (slots_[at].edge == 0) return kNowhere;
    }
  }

  TokenId value(Node node) const { return values_[node]; }

  struct Match {
    TokenId token = kNoToken;
    std::size_t size = 0;
  };
  // The longest key below `from` that starts `text`; kNoToken when there is none.
  Match longest(std::string_view text, Node from = kRoot) const {
    Match best;
    Node node = from;
    for (std::size_t i = 0; i < text.size(); ++i) {
      node = child(node, text[i]);
      if (node == kNowhere) break;
      if (values_[node] != kNoToken) best = {values_[node], i + 1};
    }
    return best;
  }

 private:
  struct Slot {
    std::uint64_t edge = 0;  // 0: free
    Node child = 0;
  };
  static std::uint64_t edge(Node node, char byte) {
    return (std::uint64_t{node} + 1) << 8 | static_cast<unsigned char>(byte);
  }
  std::size_t place(std::uint64_t edge) const {
    return folded_product(edge ^ seed_, kHashOdd1) & (slots_.size() - 1);
  }
  void insert(std::uint64_t edge, Node child) {
    if (2 * (used_ + 1) > slots_.size()) {
      std::vector<Slot> old(2 * slots_.size());
      old.swap(slots_);
      for (const Slot& slot : old)
        if (slot.edge != 0) put(slot.edge, slot.child);
    }
    put(edge, child);
    ++used_;
  }
  void put(std::uint64_t edge, Node child) {
    std::size_t at = place(edge);
    while (slots_[at].edge != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {edge, child};
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1024);  // a power of two
  std::vector<TokenId> values_ = {kNoToken};           // by node
  std::size_t used_ = 0;
  std::uint64_t seed_ = hash_seed();
};

}  // namespace sextant
