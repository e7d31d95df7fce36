// SPDX-License-Identifier: Apache-2.0
// Work in pieces of fixed size, so that results are the same bits for any number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "sextant/matrix.h"

namespace sextant {

// Calls work(item) once for each item of [0, count), in any order; a thread that is free takes the
// next item.
inline void for_each_item(Index count, Index threads, const std::function<void(Index)>& work) {
  std::atomic<Index> next = 0;
  parallel_for(std::min(threads, count), threads, [&](Index first, Index last) {
    for (; first < last; ++first) {
      for (Index item = next++; item < count; item = next++) work(item);
    }
  });
}

// Side of the tiles in which distances are made and compared: one tile fits into the second cache.
inline constexpr Index kDistanceTile = 256;

// Rows [first_row, last_row) and columns [first, last) of a matrix.
struct Tile {
  Index first_row, last_row, first, last;

  Index rows() const { return last_row - first_row; }
  Index cols() const { return last - first; }
  bool on_diagonal() const { return first_row == first; }
};

// The tiles on and above the diagonal of an n x n matrix, row after row.
inline std::vector<Tile> upper_tiles(Index n, Index size) {
  std::vector<Tile> tiles;
  for (Index i = 0; i < n; i += size) {
    for (Index j = i; j < n; j += size) {
      tiles.push_back({i, std::min(i + size, n), j, std::min(j + size, n)});
    }
  }
  return tiles;
}

inline constexpr Index kLanes = 8;
using Lanes = std::array<double, kLanes>;

inline double sum(const Lanes& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// sum of a[i] b[i] in eight interleaved sums: an order that does not depend on the address.
inline double dot(std::span<const double> a, std::span<const double> b) {
  Lanes lanes = {};
  const std::size_t whole = a.size() - a.size() % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  }
  for (std::size_t i = whole; i < a.size(); ++i) lanes[i - whole] += a[i] * b[i];
  return sum(lanes);
}

}  // namespace sextant
