// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "sextant/corpus.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

using Key = std::tuple<TokenId, std::uint32_t, std::uint32_t>;
using Model = std::map<Key, std::uint64_t>;

Model content(const CellCounts& cells) {
  Model result;
  Key last = {};
  cells.for_each([&](const Cell& cell) {
    const Key key = {cell.token, cell.position, cell.layer};
    EXPECT_TRUE(result.empty() || last < key) << "out of order";
    last = key;
    result[key] += cell.count;
  });
  EXPECT_EQ(cells.cells(), std::ssize(result));
  return result;
}

std::vector<std::byte> bytes_of(const CellCounts& cells) {
  return {cells.packed().begin(), cells.packed().end()};
}

// Tokens are few and frequent or many and rare, so that lists and counters both occur.
struct Example {
  CellCounts cells;
  Model model;
};
Example random_cells(Index positions, Index layers, int count, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  Example result = {.cells = CellCounts(positions, layers), .model = {}};
  for (int i = 0; i < count; ++i) {
    const auto token = static_cast<TokenId>(rng() % 2 == 0 ? rng() % 3 : rng() % 5000);
    const auto position = static_cast<std::uint32_t>(rng() % static_cast<std::uint64_t>(positions));
    const auto layer = static_cast<std::uint32_t>(rng() % static_cast<std::uint64_t>(layers));
    result.cells.add(token, position, layer);
    ++result.model[{token, position, layer}];
  }
  result.cells.flush();
  return result;
}

TEST(CellCounts, CountsLikeAMap) {
  for (const auto& [positions, layers] :
       {std::pair<Index, Index>{1, 1}, {7, 3}, {64, 20}, {513, 64}, {100000, 256}}) {
    const Example example = random_cells(positions, layers, 30000, 1);
    EXPECT_EQ(content(example.cells), example.model) << positions << " x " << layers;
  }
}

TEST(CellCounts, AddsManyPlacesAsOneByOne) {
  std::mt19937_64 rng(11);
  CellCounts single(20, 7), many(20, 7);
  for (int i = 0; i < 300; ++i) {
    const auto token = static_cast<TokenId>(rng() % 4);
    std::vector<std::uint32_t> places;
    for (std::uint64_t left = rng() % 60; left > 0; --left) {
      const auto position = static_cast<std::uint32_t>(rng() % 20);
      const auto layer = static_cast<std::uint32_t>(rng() % 7);
      places.push_back(many.place(position, layer));
      single.add(token, position, layer);
    }
    many.expect(token);
    many.add(token, places);
  }
  single.flush();
  many.flush();
  EXPECT_EQ(content(many), content(single));
  EXPECT_EQ(bytes_of(many), bytes_of(single));
}

TEST(CellCounts, HasTheSameBytesWhateverWasPackedInBetween) {
  std::mt19937_64 rng(2);
  CellCounts once(16, 20), often(16, 20);
  often.set_gather_limit(1000);
  for (int i = 0; i < 20000; ++i) {
    const auto token = static_cast<TokenId>(rng() % 300);
    const auto place = static_cast<std::uint32_t>(rng() % 16);
    once.add(token, place, 19);
    often.add(token, place, 19);
    if (i % 997 == 0) often.flush();
  }
  once.flush();
  often.flush();
  EXPECT_EQ(bytes_of(once), bytes_of(often));
  EXPECT_EQ(once.cells(), often.cells());
}

TEST(CellCounts, MergesInAnyOrderToTheSameBytes) {
  const Example a = random_cells(40, 20, 9000, 3), b = random_cells(40, 20, 50, 4),
                c = random_cells(40, 20, 4000, 5);
  CellCounts left = a.cells, right = c.cells, tail = b.cells;
  left.merge(b.cells);
  left.merge(c.cells);
  tail.merge(a.cells);
  right.merge(tail);
  EXPECT_EQ(bytes_of(left), bytes_of(right));
  Model sum = a.model;
  for (const Model* other : {&b.model, &c.model})
    for (const auto& [key, count] : *other) sum[key] += count;
  EXPECT_EQ(content(left), sum);
}

TEST(CellCounts, TakesTheShapeOfWhatIsMergedIntoNothing) {
  const Example a = random_cells(40, 20, 100, 6);
  CellCounts sum;
  sum.merge(a.cells);
  EXPECT_EQ(sum.positions(), 40);
  EXPECT_EQ(content(sum), a.model);
  expect_error(ErrorCode::kUsage, "cannot be merged",
               [&] { sum.merge(random_cells(41, 20, 9, 7).cells); });
}

TEST(CellCounts, RenamesTokens) {
  const Example a = random_cells(30, 5, 20000, 8);
  std::vector<TokenId> names(5000);
  for (TokenId i = 0; i < 5000; ++i) names[i] = 4999 - i;
  const CellCounts renamed = a.cells.renamed(names);
  Model expected;
  for (const auto& [key, count] : a.model)
    expected[{4999 - std::get<0>(key), std::get<1>(key), std::get<2>(key)}] = count;
  EXPECT_EQ(content(renamed), expected);
  EXPECT_EQ(bytes_of(renamed.renamed(names)), bytes_of(a.cells));
}

TEST(CellCounts, HoldsTheLargestCell) {
  CellCounts cells;
  const TokenId last = CellCounts::kMostTokens - 1;
  CellCounts low(CellCounts::kMostPositions, CellCounts::kMostLayers);
  low.add(0, CellCounts::kMostPositions - 1, CellCounts::kMostLayers - 1);
  low.flush();
  const std::vector<TokenId> names = {last};
  EXPECT_EQ(content(low.renamed(names)),
            (Model{{{last, CellCounts::kMostPositions - 1, CellCounts::kMostLayers - 1}, 1}}));
}

TEST(CellCounts, RefusesASumThatNoCellHolds) {
  const auto cell_of = [](int last) {  // one with a count of `last` 2^56 + 2^56 + 1
    std::vector<std::byte> bytes = {std::byte{1}};
    for (int i = 0; i < 8; ++i) bytes.push_back(std::byte{255});
    bytes.push_back(static_cast<std::byte>(last));
    return CellCounts::from_packed(3, 2, bytes, 1);
  };
  const CellCounts half = cell_of(63), most = cell_of(127);  // 2^62 + 1 and 2^63 + 1
  for (const CellCounts& other : {half, most}) {
    // 2^64 + 2 would be 2.
    CellCounts sum = most;
    expect_error(ErrorCode::kRefused, "counts: one is above", [&] { sum.merge(other); });
    expect_error(ErrorCode::kRefused, "counts: one is above", [&] { sum.merge(other, {}, {}); });
    EXPECT_EQ(bytes_of(sum), bytes_of(most));
  }
}

TEST(CellCounts, ReadsBackItsBytes) {
  const Example a = random_cells(30, 5, 20000, 9);
  const CellCounts back = CellCounts::from_packed(30, 5, bytes_of(a.cells), a.cells.cells());
  EXPECT_EQ(content(back), a.model);
  EXPECT_EQ(bytes_of(back), bytes_of(a.cells));
}

TEST(CellCounts, RejectsPackedBytesThatItNeverWrites) {
  const auto reject = [](std::vector<int> values, Index cells, std::string_view part) {
    std::vector<std::byte> bytes;
    for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
    expect_error(ErrorCode::kMalformed, part, [&] { CellCounts::from_packed(3, 2, bytes, cells); });
  };
  reject({0}, 2, "number of cells");
  reject({128}, 1, "cut off");
  reject({1}, 1, "cut off");
  reject({128, 0}, 1, "longer than it need be");
  reject({12}, 1, "out of range");  // key 6 is position 3 of 3
  reject({255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, 1, "out of range");
  reject({255, 255, 255, 255, 255, 255, 255, 255, 255, 3}, 1, "64 bits");
  reject({255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, 1, "64 bits");
  reject({1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, 1, "count is too large");
  expect_error(ErrorCode::kUsage, "positions", [] { CellCounts(0, 1); });
  expect_error(ErrorCode::kUsage, "layers", [] { CellCounts(1, 257); });
}

}  // namespace
}  // namespace sextant
