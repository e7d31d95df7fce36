// SPDX-License-Identifier: Apache-2.0
// The list of a head runs from the largest lag to the smallest, so that every row of logits is a
// slice of it: no arithmetic but the additions that the caller asks for.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/bias_matrix.h"
#include "kernels/stream_copy.h"
#include "sextant/bias.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

constexpr std::string_view kWhere = "bias";

// Columns of the lists, [heads, 2 length - 1], after the check that these fit the memory.
std::size_t columns_that_fit(Index heads, Index length) {
  require(heads >= 1, kWhere, "heads must be at least 1 but got {}", heads);
  require(length >= 1, kWhere, "length must be at least 1 but got {}", length);
  const auto columns = 2 * static_cast<std::uint64_t>(length) - 1;
  std::uint64_t bytes = sizeof(float);
  const bool overflow = __builtin_mul_overflow(bytes, columns, &bytes) ||
                        __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(heads), &bytes);
  const std::uint64_t most = available_memory().value_or(std::uint64_t{1} << 40) / 10 * 8;
  if (overflow || bytes > most) {
    fail(ErrorCode::kRefused, kWhere, "{} heads at length {} must fit {} bytes of memory", heads,
         length, most);
  }
  return columns;
}

// `count` positions from `first` on lie below `length`.
void check_range(std::int64_t first, Index count, Index length, std::string_view first_name,
                 std::string_view count_name) {
  require(count >= 0 && count <= length, kWhere, "{} must be 0 to {} but got {}", count_name,
          length, count);
  require(first >= 0 && first <= length - count, kWhere, "{} must be 0 to {} but got {}",
          first_name, length - count, first);
}

// False for a tile without logits, which may have no data to point into.
bool check_tile(const LogitTile& tile, Index heads, Index length) {
  require(tile.head >= 0 && tile.head < heads, kWhere, "head must be 0 to {} but got {}", heads - 1,
          tile.head);
  check_range(tile.first_query, tile.rows, length, "first_query", "rows");
  check_range(tile.first_key, tile.cols, length, "first_key", "cols");
  Index bytes = sizeof(float);
  require(tile.stride >= tile.cols && !__builtin_mul_overflow(bytes, tile.stride, &bytes) &&
              !__builtin_mul_overflow(bytes, tile.rows, &bytes),
          kWhere, "stride must be at least {} and fit the memory but got {}", tile.cols,
          tile.stride);
  if (tile.rows == 0 || tile.cols == 0) return false;
  require(tile.data != nullptr, kWhere, "data must not be null");
  require(reinterpret_cast<std::uintptr_t>(tile.data) % alignof(float) == 0, kWhere,
          "data must be aligned to {} bytes", alignof(float));
  return true;
}

}  // namespace

BiasRows::BiasRows(std::string_view spec, Index heads, Index length, Index head_dim)
    : BiasRows(*encodings().make(spec), heads, length, head_dim) {}

BiasRows::BiasRows(const Encoding& encoding, Index heads, Index length, Index head_dim)
    : heads_(heads), length_(length) {
  const std::size_t columns = columns_that_fit(heads, length);
  Extent extent = encoding.fitted({.positions = length, .dim = head_dim});
  extent.heads = heads;
  const Effects effects = encoding.effects(extent);
  require(effects.logit.has_value(), encoding.spec(), "has no bias");
  require(effects.logit->depends_on_lag_only, encoding.spec(),
          "has a bias that depends on more than the lag; use a table");
  by_lag_.resize(static_cast<std::size_t>(heads) * columns);
  for (Index head = 0; head < heads; ++head) {
    const auto start = static_cast<std::size_t>(head) * columns;
    fill_bias_by_lag(*effects.logit, head, length, std::span(by_lag_).subspan(start, columns));
  }
}

const float* BiasRows::row(Index head, std::int64_t query, std::int64_t first_key) const {
  return by_lag_.data() + head * (2 * length_ - 1) + (length_ - 1 + first_key - query);
}

std::optional<std::vector<float>> BiasRows::slopes() const {
  if (length_ == 1) return std::nullopt;
  // Of the slope's own rounding and of that of the product.
  constexpr double kRoundings = 0x1p-23;
  std::vector<float> result;
  for (Index head = 0; head < heads_; ++head) {
    const float slope = 0.0f - *row(head, 1, 0);
    for (Index lag = 0; lag < length_; ++lag) {
      const double line = -static_cast<double>(slope) * static_cast<double>(lag);
      const double value = *row(head, lag, 0);
      if (!(std::abs(value - line) <= kRoundings * std::abs(line))) return std::nullopt;
    }
    result.push_back(slope);
  }
  return result;
}

void BiasRows::add_to(const LogitTile& tile) const {
  if (!check_tile(tile, heads_, length_)) return;
  for (Index i = 0; i < tile.rows; ++i) {
    const float* const bias = row(tile.head, tile.first_query + i, tile.first_key);
    float* const logits = tile.data + i * tile.stride;
    for (Index j = 0; j < tile.cols; ++j) logits[j] += bias[j];
  }
}

void BiasRows::write(const LogitTile& tile) const {
  if (!check_tile(tile, heads_, length_)) return;
  for (Index i = 0; i < tile.rows; ++i) {
    std::copy_n(row(tile.head, tile.first_query + i, tile.first_key), tile.cols,
                tile.data + i * tile.stride);
  }
}

void BiasRows::fill(std::int64_t first_query, Index rows, std::int64_t first_key, Index cols,
                    std::span<float> out, Index threads) const {
  check_range(first_query, rows, length_, "first_query", "rows");
  check_range(first_key, cols, length_, "first_key", "cols");
  check_threads(threads);
  std::size_t count = static_cast<std::size_t>(heads_);
  require(!__builtin_mul_overflow(count, static_cast<std::size_t>(rows), &count) &&
              !__builtin_mul_overflow(count, static_cast<std::size_t>(cols), &count) &&
              out.size() == count,
          kWhere, "out must have {} x {} x {} values but has {}", heads_, rows, cols, out.size());
  const auto row_bytes = static_cast<std::size_t>(cols) * sizeof(float);
  parallel_for(cols == 0 ? 0 : heads_ * rows, threads, [&](Index begin, Index end) {
    for (Index at = begin; at < end; ++at) {
      const float* const from = row(at / rows, first_query + at % rows, first_key);
      copy_part(reinterpret_cast<const std::byte*>(from), row_bytes,
                reinterpret_cast<std::byte*>(out.data() + at * cols), out.size_bytes());
    }
  });
}

}  // namespace sextant
