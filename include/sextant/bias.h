// SPDX-License-Identifier: Apache-2.0
// Logit biases for engines: as a matrix, as rows added to a softmax tile, or as slopes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sextant/encoding.h"
#include "sextant/table.h"

namespace sextant {

// Some logits of one head: that of query first_query + i and key first_key + j is
// data[i * stride + j].
struct LogitTile {
  float* data = nullptr;
  Index rows = 0, cols = 0;
  Index stride = 0;  // in elements, at least cols
  Index head = 0;
  std::int64_t first_query = 0, first_key = 0;
};

// b_h(s, t) of ALiBi, T5, KERPLE and all other biases of the lag alone. The values of each head
// are kept for the lags -(length - 1) .. length - 1, rounded to float from double, whatever the
// number of rows; -infinity masks. Immutable; any number of threads may use one.
class BiasRows {
 public:
  // For queries and keys at positions 0 .. length - 1. `head_dim` matters to what else the encoding
  // does, never to the bias; a file may fix another. Throws kUsage for an encoding without a bias,
  // or with one that depends on more than the lag; kRefused where the lists do not fit the memory;
  // kNumeric for a value that float cannot hold.
  BiasRows(std::string_view spec, Index heads, Index length, Index head_dim = 64);
  BiasRows(const Encoding& encoding, Index heads, Index length, Index head_dim = 64);

  Index heads() const { return heads_; }
  Index length() const { return length_; }

  // b_h(s, t) = -slopes[h] |s - t| for all lags at least 0; nothing where the bias is not linear,
  // or length is 1, which shows no slope. For engines that have ALiBi built in.
  std::optional<std::vector<float>> slopes() const;

  // tile += bias and tile = bias. Throw kUsage naming the field that does not fit. A tile without
  // rows or columns needs no data.
  void add_to(const LogitTile& tile) const;
  void write(const LogitTile& tile) const;

  // [heads, rows, cols] for queries first_query .. and keys first_key .., contiguous. Throws kUsage
  // naming the argument.
  void fill(std::int64_t first_query, Index rows, std::int64_t first_key, Index cols,
            std::span<float> out, Index threads = 1) const;

 private:
  // Of `query` and the keys from first_key on.
  const float* row(Index head, std::int64_t query, std::int64_t first_key) const;

  Index heads_ = 0;
  Index length_ = 0;
  std::vector<float> by_lag_;  // [heads, 2 length - 1], lag falling with the key's position
};

}  // namespace sextant
