// SPDX-License-Identifier: Apache-2.0
// Gram matrices of sparse rows.
//
// A column with c entries costs c^2 scattered additions, or n^2 additions inside a product of
// matrices, each of which is kScatterCost times cheaper. So columns with many entries are unpacked
// into panels for BLAS, and the others are added entry by entry into a few rows at a time. Tiles
// and panels have fixed sizes: any number of threads gives the same bits.
#include "math/gram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "math/lapack.h"
#include "math/memory_plan.h"
#include "math/tiles.h"

namespace sextant {
namespace {

constexpr double kScatterCost = 30.0;
constexpr Index kRowBlock = 64;
constexpr Index kTile = 512;
constexpr Index kPanel = 256;

Index entries(const SparseColumns& s, Index column) {
  const auto v = static_cast<std::size_t>(column);
  return static_cast<Index>(s.starts[v + 1] - s.starts[v]);
}

// The columns of A and B that go through BLAS, and the others.
struct Split {
  std::vector<Index> dense, sparse;
};

Split split_columns(const SparseColumns& a, const SparseColumns& b) {
  Split split;
  const double limit = static_cast<double>(a.rows) * static_cast<double>(a.rows) / kScatterCost;
  for (Index v = 0; v < a.columns(); ++v) {
    const double pairs = static_cast<double>(entries(a, v)) * static_cast<double>(entries(b, v));
    if (pairs == 0.0) continue;
    (pairs > limit ? split.dense : split.sparse).push_back(v);
  }
  return split;
}

// Entries of the sparse columns of A, by blocks of rows and inside a block by columns: while a
// column is in the cache, all rows of the block use it.
struct RowBlocks {
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> column;
  std::vector<std::size_t> entry;  // in A
};

RowBlocks by_blocks(const SparseColumns& a, const std::vector<Index>& columns) {
  RowBlocks blocks;
  blocks.starts.assign(static_cast<std::size_t>((a.rows + kRowBlock - 1) / kRowBlock + 1), 0);
  const auto for_entries = [&](const auto& work) {
    for (const Index column : columns) {
      const auto v = static_cast<std::size_t>(column);
      for (std::size_t k = a.starts[v]; k < a.starts[v + 1]; ++k) {
        work(v, k, std::size_t{a.row[k] / std::uint32_t{kRowBlock}});
      }
    }
  };
  for_entries([&](std::size_t, std::size_t, std::size_t block) { ++blocks.starts[block + 1]; });
  std::partial_sum(blocks.starts.begin(), blocks.starts.end(), blocks.starts.begin());
  blocks.column.resize(blocks.starts.back());
  blocks.entry.resize(blocks.starts.back());
  std::vector<std::size_t> next(blocks.starts.begin(), blocks.starts.end() - 1);
  for_entries([&](std::size_t v, std::size_t k, std::size_t block) {
    const std::size_t at = next[block]++;
    blocks.column[at] = static_cast<std::uint32_t>(v);
    blocks.entry[at] = k;
  });
  return blocks;
}

// Adds one block of rows of A B^T; with `same` (A is B) only entries on and below the diagonal.
void add_block(const SparseColumns& a, const SparseColumns& b, bool same, const RowBlocks& blocks,
               Index block, Matrix& result) {
  const auto at_block = static_cast<std::size_t>(block);
  const std::uint32_t* row = b.row.data();
  const double* value = b.value.data();
  for (std::size_t at = blocks.starts[at_block]; at < blocks.starts[at_block + 1]; ++at) {
    const std::size_t v = blocks.column[at], entry = blocks.entry[at];
    const double factor = a.value[entry];
    double* sum = result.row(a.row[entry]).data();
    const std::size_t last = same ? entry + 1 : b.starts[v + 1];
    for (std::size_t k = b.starts[v]; k < last; ++k) sum[row[k]] += factor * value[k];
  }
}

// Row c of the panel [columns.size(), rows] is column columns[c] of s, unpacked.
void unpack(const SparseColumns& s, std::span<const Index> columns, Index threads, Matrix& panel) {
  for_each_item(static_cast<Index>(columns.size()), threads, [&](Index c) {
    const auto v = static_cast<std::size_t>(columns[static_cast<std::size_t>(c)]);
    const auto line = panel.row(c);
    const auto first = s.value.begin() + static_cast<Index>(s.starts[v]);
    const auto last = s.value.begin() + static_cast<Index>(s.starts[v + 1]);
    if (last - first == s.rows) {
      std::copy(first, last, line.begin());
      return;
    }
    std::fill(line.begin(), line.end(), 0.0);
    for (std::size_t k = s.starts[v]; k < s.starts[v + 1]; ++k) line[s.row[k]] = s.value[k];
  });
}

std::vector<Tile> all_tiles(Index n, Index size) {
  std::vector<Tile> tiles;
  for (Index i = 0; i < n; i += size) {
    for (Index j = 0; j < n; j += size) {
      tiles.push_back({i, std::min(i + size, n), j, std::min(j + size, n)});
    }
  }
  return tiles;
}

// result += A B^T over the dense columns. `same`: A is B, and only tiles on and below the diagonal
// are made.
void add_dense(const SparseColumns& a, const SparseColumns& b, bool same,
               const std::vector<Index>& columns, Index threads, Matrix& result) {
  const Index n = a.rows, count = static_cast<Index>(columns.size());
  if (count == 0) return;
  const std::vector<Tile> tiles = same ? upper_tiles(n, kTile) : all_tiles(n, kTile);
  Matrix left(std::min(kPanel, count), n), right(same ? 0 : left.rows(), n);
  for (Index start = 0; start < count; start += kPanel) {
    const Index depth = std::min(kPanel, count - start);
    const auto part = std::span(columns).subspan(static_cast<std::size_t>(start),
                                                 static_cast<std::size_t>(depth));
    unpack(a, part, threads, left);
    if (!same) unpack(b, part, threads, right);
    const double* y = same ? left.values().data() : right.values().data();
    for_each_item(static_cast<Index>(tiles.size()), threads, [&](Index item) {
      const Tile& tile = tiles[static_cast<std::size_t>(item)];
      const double* x = left.values().data();
      const int stride = blas_int(n), k = blas_int(depth);
      const BlasCall held;
      if (same && tile.on_diagonal()) {
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, blas_int(tile.rows()), k, 1.0,
                    x + tile.first, stride, 1.0, &result(tile.first, tile.first), stride);
      } else if (same) {  // the mirror image of the tile, below the diagonal
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, blas_int(tile.cols()),
                    blas_int(tile.rows()), k, 1.0, x + tile.first, stride, x + tile.first_row,
                    stride, 1.0, &result(tile.first, tile.first_row), stride);
      } else {
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, blas_int(tile.rows()),
                    blas_int(tile.cols()), k, 1.0, x + tile.first_row, stride, y + tile.first,
                    stride, 1.0, &result(tile.first_row, tile.first), stride);
      }
    });
  }
}

void add_sparse(const SparseColumns& a, const SparseColumns& b, bool same,
                const std::vector<Index>& columns, Index threads, Matrix& result) {
  if (columns.empty()) return;
  const RowBlocks blocks = by_blocks(a, columns);
  const auto count = static_cast<Index>(blocks.starts.size()) - 1;
  // The last blocks cost most and come first.
  for_each_item(count, threads,
                [&](Index item) { add_block(a, b, same, blocks, count - 1 - item, result); });
}

// A hash of each row: equal rows have equal hashes.
std::vector<std::uint64_t> row_hashes(const SparseColumns& s) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(s.rows));
  for (Index column = 0; column < s.columns(); ++column) {
    const auto v = static_cast<std::size_t>(column);
    for (std::size_t k = s.starts[v]; k < s.starts[v + 1]; ++k) {
      std::uint64_t x = (v + 1) * 0x9e3779b97f4a7c15 ^ std::bit_cast<std::uint64_t>(s.value[k]);
      x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
      x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
      std::uint64_t& hash = hashes[s.row[k]];
      hash = std::rotl(hash, 23) * 5 + (x ^ (x >> 31));
    }
  }
  return hashes;
}

// first[i] is the first row that is equal to row i.
std::vector<Index> first_equal_rows(const SparseColumns& s) {
  const std::vector<std::uint64_t> hashes = row_hashes(s);
  std::vector<Index> order(hashes.size()), first(hashes.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto hash = [&](Index i) { return hashes[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return hash(i) < hash(j); });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool repeated = k > 0 && hash(order[k]) == hash(order[k - 1]);
    first[static_cast<std::size_t>(order[k])] =
        repeated ? first[static_cast<std::size_t>(order[k - 1])] : order[k];
  }
  return first;
}

// Whether two of the sums agree so well that their rows may be equal.
bool some_agree(Vector sums) {
  std::sort(sums.begin(), sums.end());
  for (std::size_t i = 1; i < sums.size(); ++i) {
    if (sums[i] - sums[i - 1] <= 1e-12 * std::abs(sums[i])) return true;
  }
  return false;
}

// Products of equal rows may differ in the last bits, since BLAS has other loops for the last rows
// of a tile. Distances between equal rows must be 0, so they are made equal here. Rows are looked
// at only if the sums of the products leave it possible.
void unify_rows(const SparseColumns& left, Matrix& result) {
  Vector sums;
  const Vector ones(static_cast<std::size_t>(result.cols()), 1.0);
  for (Index i = 0; i < result.rows(); ++i) sums.push_back(dot(result.row(i), ones));
  if (!some_agree(std::move(sums))) return;
  const std::vector<Index> first = first_equal_rows(left);
  for (Index i = 0; i < result.rows(); ++i) {
    const Index source = first[static_cast<std::size_t>(i)];
    if (source != i) std::copy_n(result.row(source).begin(), result.cols(), result.row(i).begin());
  }
}

void unify_columns(const SparseColumns& right, Matrix& result) {
  Vector sums(static_cast<std::size_t>(result.cols()));
  for (Index i = 0; i < result.rows(); ++i) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += result.row(i)[j];
  }
  if (!some_agree(std::move(sums))) return;
  const std::vector<Index> first = first_equal_rows(right);
  for (Index j = 0; j < result.cols(); ++j) {
    const Index source = first[static_cast<std::size_t>(j)];
    if (source == j) continue;
    for (Index i = 0; i < result.rows(); ++i) result(i, j) = result(i, source);
  }
}

// Copies the lower triangle to the upper one, in blocks that fit into the first cache.
void mirror(Matrix& m, Index threads) {
  constexpr Index kBlock = 32;
  const std::vector<Tile> tiles = upper_tiles(m.rows(), kBlock);
  parallel_for(static_cast<Index>(tiles.size()), threads, [&](Index first, Index last) {
    for (; first < last; ++first) {
      const Tile& tile = tiles[static_cast<std::size_t>(first)];
      for (Index i = tile.first_row; i < tile.last_row; ++i) {
        for (Index j = std::max(tile.first, i + 1); j < tile.last; ++j) m(i, j) = m(j, i);
      }
    }
  });
}

void refuse_large(const SparseColumns& a, Index panels) {
  refuse_beyond_memory("gram", bytes_of(a.rows, a.rows) + bytes_of(panels * kPanel, a.rows) +
                                   12.0 * static_cast<double>(a.value.size()));
}

}  // namespace

Matrix gram(const SparseColumns& s, Index threads) {
  refuse_large(s, 1);
  Matrix result(s.rows, s.rows);
  const Split split = split_columns(s, s);
  add_dense(s, s, true, split.dense, threads, result);
  add_sparse(s, s, true, split.sparse, threads, result);
  mirror(result, threads);
  unify_rows(s, result);
  unify_columns(s, result);
  return result;
}

Matrix cross_gram(const SparseColumns& a, const SparseColumns& b, Index threads) {
  require(a.rows == b.rows && a.columns() == b.columns(), "gram", "{} x {} against {} x {}", a.rows,
          a.columns(), b.rows, b.columns());
  refuse_large(a, 2);
  Matrix result(a.rows, a.rows);
  const Split split = split_columns(a, b);
  add_dense(a, b, false, split.dense, threads, result);
  add_sparse(a, b, false, split.sparse, threads, result);
  unify_rows(a, result);
  unify_columns(b, result);
  return result;
}

Matrix plain_cross_gram(const SparseColumns& a, const SparseColumns& b) {
  Matrix result(a.rows, b.rows);
  for (std::size_t v = 0; v + 1 < a.starts.size(); ++v) {
    for (std::size_t i = a.starts[v]; i < a.starts[v + 1]; ++i) {
      for (std::size_t j = b.starts[v]; j < b.starts[v + 1]; ++j) {
        result(a.row[i], b.row[j]) += a.value[i] * b.value[j];
      }
    }
  }
  return result;
}

}  // namespace sextant
