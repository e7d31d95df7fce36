// SPDX-License-Identifier: Apache-2.0
#include "geometry/crossvalidation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "base/rng.h"
#include "geometry/distance_values.h"
#include "geometry/hellinger.h"

namespace sextant {
namespace {

constexpr std::uint64_t kSplitStream = 0x73706c6974;  // of the random numbers for splits
constexpr double kSquareRounding = 1e-13;  // squared distances below this are rounding, hence 0

// One half of a split: roots of its counts and its (thinned) numbers of sequences.
struct Half {
  BlockSet blocks;
  std::vector<std::int64_t> counts;  // by cell
  SparseColumns roots;
  Vector sequences;
};

Vector thinned_sequences(const BlockCells& cells, const BlockSet& blocks,
                         std::span<const ThinnedRoot> root) {
  Vector result(root.size());
  for (std::size_t i = 0; i < root.size(); ++i)
    result[i] =
        root[i].keep() * static_cast<double>(cells.sequences(static_cast<Index>(i), blocks));
  return result;
}

Half half_of(const BlockCells& cells, const BlockSet& blocks, std::span<const ThinnedRoot> root) {
  return {blocks, cells.counts(blocks), roots(cells, blocks, root),
          thinned_sequences(cells, blocks, root)};
}

struct Halves {
  Half a, b;
};

Halves halves_of(const BlockCells& cells, const Split& split, std::span<const ThinnedRoot> root) {
  return {half_of(cells, split.a, root), half_of(cells, split.b, root)};
}

// Adds to `sum` the squared distances that the products of two halves give: products(i, j) belongs
// to position i of the first half and position j of the second.
void add_squared(const Matrix& products, std::span<const double> first,
                 std::span<const double> second, DistanceMatrix& sum) {
  const Index n = products.rows();
  Vector wa(first.size()), wb(second.size());
  std::ranges::transform(first, wa.begin(), [](double s) { return 1.0 / std::sqrt(s); });
  std::ranges::transform(second, wb.begin(), [](double s) { return 1.0 / std::sqrt(s); });
  Vector own(first.size());
  for (Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    own[k] = products(i, i) * wa[k] * wb[k];
  }
  constexpr Index kTile = 64;  // the second operand is read by columns
  for (Index i0 = 0; i0 < n; i0 += kTile) {
    for (Index j0 = i0; j0 < n; j0 += kTile) {
      for (Index i = i0; i < std::min(n, i0 + kTile); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const Index row = sum.row_start(i) - i - 1;
        for (Index j = std::max(j0, i + 1); j < std::min(n, j0 + kTile); ++j) {
          const auto m = static_cast<std::size_t>(j);
          sum.values()[static_cast<std::size_t>(row + j)] +=
              own[k] + own[m] - products(i, j) * wa[k] * wb[m] - products(j, i) * wa[m] * wb[k];
        }
      }
    }
  }
}

// products(i, j) changes because the first half, whose cells have `counts`, loses `block`: each of
// its cells changes one root, which is multiplied with the column of the same token in the second
// half.
void remove_block(const BlockCells& cells, Index block, std::span<const std::int64_t> counts,
                  std::span<const ThinnedRoot> root, const SparseColumns& second,
                  Matrix& products) {
  for (const BlockCells::BlockEntry& entry : cells.entries_of(block)) {
    const Index i = cells.position(entry.cell);
    const std::int64_t count = counts[entry.cell];
    const ThinnedRoot& r = root[static_cast<std::size_t>(i)];
    const double change = r(count - entry.count) - r(count);
    double* const out = products.row(i).data();
    for (std::size_t e = second.starts[entry.token]; e < second.starts[entry.token + 1]; ++e)
      out[second.row[e]] += change * second.value[e];
  }
}

Matrix transposed(const Matrix& m) {
  Matrix result(m.cols(), m.rows());
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) result(j, i) = m(i, j);
  return result;
}

std::vector<Index> members(const BlockSet& blocks) {
  std::vector<Index> result;
  for (Index b = 0; b < kBlocks; ++b)
    if (blocks[static_cast<std::size_t>(b)]) result.push_back(b);
  return result;
}

// The n x n matrix of rank `owner`, on every rank.
Matrix matrix_from_rank(Communicator& ranks, Index owner, Index n, Matrix mine) {
  if (ranks.size() == 1) return mine;
  Vector values;
  if (ranks.rank() == owner) values.assign(mine.values().begin(), mine.values().end());
  values = from_rank(ranks, owner, std::move(values));
  Matrix result(n, n);
  std::ranges::copy(values, result.values().begin());
  return result;
}

void scale(DistanceMatrix& squared, double factor) {
  for (double& value : squared.values()) {
    value *= factor;
    if (std::abs(value) < kSquareRounding) value = 0.0;
  }
}

// Adds what one split gives without each of the blocks that belong to this rank.
void add_without(const BlockCells& cells, const Split& split, std::span<const ThinnedRoot> root,
                 const Halves& halves, const Matrix& products, Index threads,
                 const Communicator& ranks, SplitDistances& result) {
  const Matrix mirrored = transposed(products);
  const Index own = ranks.rank(), step = ranks.size();
  const auto count = static_cast<Index>(result.blocks.size());
  const Index mine = count > own ? (count - own - 1) / step + 1 : 0;
  parallel_for(mine, threads, [&](Index first, Index last) {
    for (Index k = first; k < last; ++k) {
      const auto m = static_cast<std::size_t>(own + k * step);
      const auto block = static_cast<std::size_t>(result.blocks[m]);
      const bool in_a = split.a[block];
      const Half& loses = in_a ? halves.a : halves.b;
      const Half& keeps = in_a ? halves.b : halves.a;
      Matrix changed = in_a ? products : mirrored;
      remove_block(cells, result.blocks[m], loses.counts, root, keeps.roots, changed);
      BlockSet rest = loses.blocks;
      rest.reset(block);
      add_squared(changed, thinned_sequences(cells, rest, root), keeps.sequences,
                  result.without[m]);
    }
  });
}

}  // namespace

std::vector<Split> random_splits(const BlockSet& blocks, Index count, std::uint64_t seed) {
  const std::vector<Index> all = members(blocks);
  std::vector<Split> splits;
  for (Index k = 0; k < count; ++k) {
    const Rng rng(seed, kSplitStream + static_cast<std::uint64_t>(k));
    std::vector<Index> order = all;
    for (std::size_t i = order.size() - 1; i > 0; --i) {
      const double u = rng.uniform(i);
      std::swap(order[i], order[static_cast<std::size_t>(u * static_cast<double>(i + 1))]);
    }
    Split split;
    for (std::size_t i = 0; i < order.size(); ++i)
      (i < order.size() / 2 ? split.a : split.b).set(static_cast<std::size_t>(order[i]));
    splits.push_back(split);
  }
  return splits;
}

bool can_jackknife(const BlockCells& cells, std::span<const Split> splits) {
  for (const Split& split : splits) {
    for (const BlockSet& half : {split.a, split.b}) {
      for (const Index block : members(half)) {
        BlockSet rest = half;
        rest.reset(static_cast<std::size_t>(block));
        for (Index i = 0; i < cells.positions(); ++i)
          if (cells.sequences(i, rest) == 0) return false;
      }
    }
  }
  return !splits.empty();
}

Vector split_half_reliability(const BlockCells& cells, std::span<const Split> splits, Index threads,
                              Communicator& ranks) {
  const Index n = cells.positions();
  const auto count = static_cast<Index>(splits.size());
  const std::vector<Vector> by_split = spread(ranks, count, threads, [&](Index k) {
    const Split& split = splits[static_cast<std::size_t>(k)];
    Vector sum(static_cast<std::size_t>(n));
    for (std::size_t cell = 0; cell < static_cast<std::size_t>(cells.cells()); ++cell) {
      const auto a = static_cast<double>(cells.count(cell, split.a));
      const auto b = static_cast<double>(cells.count(cell, split.b));
      sum[static_cast<std::size_t>(cells.position(cell))] += std::sqrt(a * b);
    }
    for (Index i = 0; i < n; ++i) {
      const auto a = static_cast<double>(cells.sequences(i, split.a));
      const auto b = static_cast<double>(cells.sequences(i, split.b));
      double& value = sum[static_cast<std::size_t>(i)];
      value = a * b > 0.0 ? value / std::sqrt(a * b) : 0.0;
    }
    return sum;
  });
  Vector mean(static_cast<std::size_t>(n));
  for (const Vector& one : by_split) {
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += one[i] / static_cast<double>(splits.size());
  }
  return mean;
}

SplitDistances split_distances(const BlockCells& cells, std::span<const Split> splits,
                               std::span<const ThinnedRoot> root, bool jackknife, Index threads,
                               Communicator& ranks) {
  const Index n = cells.positions(), rank = ranks.rank(), size = ranks.size();
  SplitDistances result;
  result.squared = DistanceMatrix(n);
  if (jackknife) result.blocks = members(cells.occupied());
  result.without.resize(result.blocks.size());
  for (std::size_t m = 0; m < result.without.size(); ++m)
    if (static_cast<Index>(m) % size == rank) result.without[m] = DistanceMatrix(n);
  const auto count = static_cast<Index>(splits.size());
  Halves own;  // of the split of this round that this rank computes
  Matrix own_products;
  for (Index k = 0; k < count; ++k) {
    if (k % size == 0 && k + rank < count) {
      own = halves_of(cells, splits[static_cast<std::size_t>(k + rank)], root);
      own_products = cross_gram(own.a.roots, own.b.roots, threads);
    }
    const bool is_own = k % size == rank;
    const Matrix products =
        matrix_from_rank(ranks, k % size, n, is_own ? std::exchange(own_products, {}) : Matrix());
    const Split& split = splits[static_cast<std::size_t>(k)];
    add_squared(products, thinned_sequences(cells, split.a, root),
                thinned_sequences(cells, split.b, root), result.squared);
    if (!jackknife) continue;
    const Halves halves = is_own ? std::exchange(own, {}) : halves_of(cells, split, root);
    add_without(cells, split, root, halves, products, threads, ranks, result);
  }
  const double share = 1.0 / static_cast<double>(splits.size());
  scale(result.squared, share);
  std::vector<Vector> without =
      spread(ranks, static_cast<Index>(result.without.size()), threads, [&](Index m) {
        DistanceMatrix squared = std::move(result.without[static_cast<std::size_t>(m)]);
        scale(squared, share);
        return values_of(squared);
      });
  result.without = all_distances_from(n, std::move(without));
  return result;
}

std::vector<DistanceMatrix> plain_squared_without_each(const BlockCells& cells, Index threads,
                                                       Communicator& ranks) {
  const Index n = cells.positions();
  const BlockSet& all = cells.occupied();
  const std::vector<Index> blocks = members(all);
  const std::vector<ThinnedRoot> root(static_cast<std::size_t>(n), ThinnedRoot(1.0));
  const std::vector<std::int64_t> counts = cells.counts(all);
  const SparseColumns whole = roots(cells, all, root);
  Matrix products;
  if (ranks.is_root()) products = gram(whole, threads);
  products = matrix_from_rank(ranks, 0, n, std::move(products));
  const auto without = [&](Index m) {
    const Index block = blocks[static_cast<std::size_t>(m)];
    BlockSet rest = all;
    rest.reset(static_cast<std::size_t>(block));
    const SparseColumns left = roots(cells, rest, root);
    // (S+C)(S+C)^T = S S^T + C S^T + (C S^T)^T + C C^T, with C the changes; C S^T + C C^T/2 is
    // added on both sides of the diagonal. C (S + (S+C))^T / 2 is the same.
    Matrix change(n, n);
    remove_block(cells, block, counts, root, whole, change);
    remove_block(cells, block, counts, root, left, change);
    Matrix changed = products;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) changed(i, j) += 0.5 * (change(i, j) + change(j, i));
    return values_of(squared_hellinger_of_gram(changed, thinned_sequences(cells, rest, root)));
  };
  return all_distances_from(n, spread(ranks, static_cast<Index>(blocks.size()), threads, without));
}

}  // namespace sextant
