// SPDX-License-Identifier: Apache-2.0
#include "geometry/position_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "corpus/packed_cells.h"
#include "geometry/block_cells.h"

namespace sextant {
namespace {

// Calls use(token, row, count) for every entry, blocks added up.
template <typename Use>
void for_each_entry(const CellSource& cells, std::span<const std::uint32_t> row_of,
                    const Use& use) {
  std::uint32_t token = 0;
  Cell last;
  const auto give = [&] {
    if (last.count > 0) use(token, row_of[last.position], last.count);
  };
  cells([&](const Cell& cell) {
    if (row_of[cell.position] == kLeftOut) return;
    if (last.count > 0 && cell.token == last.token && cell.position == last.position) {
      last.count += cell.count;
      return;
    }
    give();
    if (last.count > 0 && cell.token != last.token) ++token;
    last = cell;
  });
  give();
}

// The second pass shows other entries than the first.
[[noreturn]] void fail_changed() {
  fail(ErrorCode::kUnreadable, "corpus", "changed during reading");
}

// What a first pass finds out about each row.
struct RowFacts {
  std::vector<std::uint64_t> entries, bytes, total;
  std::vector<std::uint32_t> next_token;  // behind the last one

  explicit RowFacts(std::size_t rows) : entries(rows), bytes(rows), total(rows), next_token(rows) {}
};

RowFacts facts_of(const CellSource& cells, std::span<const std::uint32_t> row_of, std::size_t rows,
                  Index& tokens) {
  RowFacts facts(rows);
  for_each_entry(cells, row_of, [&](std::uint32_t token, std::uint32_t row, std::uint64_t count) {
    ++facts.entries[row];
    facts.bytes[row] += packed_cell_size(token - facts.next_token[row], count);
    facts.total[row] += count;
    facts.next_token[row] = token + 1;
    tokens = Index{token} + 1;
  });
  return facts;
}

// Sums over the rows of each range.
std::vector<std::uint64_t> sums_between(std::span<const std::uint64_t> of_rows,
                                        std::span<const Index> starts) {
  std::vector<std::uint64_t> sums;
  for (std::size_t k = 0; k + 1 < starts.size(); ++k)
    sums.push_back(std::accumulate(of_rows.begin() + starts[k], of_rows.begin() + starts[k + 1],
                                   std::uint64_t{0}));
  return sums;
}

// Ranges of whole blocks with about equal numbers of entries, one a rank.
std::vector<Index> dealt_rows(std::span<const std::uint64_t> block_entries,
                              std::span<const Index> block_starts, Index ranks) {
  std::vector<std::uint64_t> before = {0};  // entries before each block
  for (const std::uint64_t entries : block_entries) before.push_back(before.back() + entries);
  std::vector<Index> starts;
  for (Index rank = 0; rank < ranks; ++rank) {
    const double wanted =
        static_cast<double>(before.back()) * static_cast<double>(rank) / static_cast<double>(ranks);
    auto at = std::ranges::lower_bound(before, static_cast<std::uint64_t>(wanted));
    // The nearer border.
    if (at != before.begin() &&
        wanted - static_cast<double>(*(at - 1)) < static_cast<double>(*at) - wanted)
      --at;
    starts.push_back(block_starts[static_cast<std::size_t>(at - before.begin())]);
  }
  starts.front() = 0;
  starts.push_back(block_starts.back());
  return starts;
}

}  // namespace

std::vector<std::byte> bytes_of_rows(const PackedRows& rows) {
  const std::uint64_t head[2] = {static_cast<std::uint64_t>(rows.first), rows.starts.size()};
  const auto starts = std::as_bytes(std::span(rows.starts));
  std::vector<std::byte> bytes(sizeof(head) + starts.size() + rows.packed.size());
  std::memcpy(bytes.data(), head, sizeof(head));
  std::memcpy(bytes.data() + sizeof(head), starts.data(), starts.size());
  std::ranges::copy(rows.packed, bytes.end() - std::ssize(rows.packed));
  return bytes;
}

PackedRows rows_of_bytes(std::span<const std::byte> bytes) {
  std::uint64_t head[2];
  std::memcpy(head, bytes.data(), sizeof(head));
  PackedRows rows;
  rows.first = static_cast<Index>(head[0]);
  rows.starts.resize(head[1]);
  const std::size_t starts_bytes = head[1] * sizeof(std::uint64_t);
  std::memcpy(rows.starts.data(), bytes.data() + sizeof(head), starts_bytes);
  const auto packed = bytes.subspan(sizeof(head) + starts_bytes);
  rows.packed.assign(packed.begin(), packed.end());
  return rows;
}

PositionRows::PositionRows(const CellSource& cells, std::span<const std::int64_t> sequences,
                           Index blocks, const Communicator& ranks,
                           const std::function<void(double)>& fits)
    : length_(static_cast<Index>(sequences.size())) {
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (sequences[i] <= 0) continue;
    positions_.push_back(static_cast<Index>(i));
    sequences_.push_back(static_cast<double>(sequences[i]));
    weights_.push_back(1.0 / std::sqrt(sequences_.back()));
  }
  if (positions_.empty())
    fail(ErrorCode::kMalformed, "corpus", "no sequence counts at any position");
  const std::vector<std::uint32_t> row_of = renumbered(length_, positions_);
  RowFacts facts = facts_of(cells, row_of, positions_.size(), tokens_);
  for (std::size_t k = 0; k < positions_.size(); ++k) {
    const auto wanted =
        static_cast<std::uint64_t>(sequences[static_cast<std::size_t>(positions_[k])]);
    if (facts.total[k] != wanted)
      fail(ErrorCode::kMalformed, "corpus", "position {} has {} tokens of {} sequences",
           positions_[k], facts.total[k], wanted);
    entries_ += static_cast<std::int64_t>(facts.entries[k]);
  }
  blocks = std::min(blocks, rows());
  for (Index b = 0; b <= blocks; ++b) block_starts_.push_back(rows() * b / blocks);
  block_entries_ = sums_between(facts.entries, block_starts_);
  rank_starts_ = dealt_rows(block_entries_, block_starts_, ranks.size());
  most_packed_ = static_cast<double>(std::ranges::max(sums_between(facts.bytes, rank_starts_)));

  own_.first = first_row(ranks.rank());
  const Index last = first_row(ranks.rank() + 1);
  struct Room {
    std::byte* at = nullptr;  // none: the row of another rank
    std::byte* end = nullptr;
  };
  std::vector<Room> rooms(positions_.size());
  for (Index i = own_.first; i < last; ++i) {
    own_.starts.push_back(own_.starts.back() + facts.bytes[static_cast<std::size_t>(i)]);
    own_entries_ += static_cast<std::int64_t>(facts.entries[static_cast<std::size_t>(i)]);
  }
  fits(static_cast<double>(own_.starts.back()));
  own_.packed.resize(own_.starts.back());
  for (Index i = own_.first; i < last; ++i) {
    const auto k = static_cast<std::size_t>(i - own_.first);
    rooms[static_cast<std::size_t>(i)] = {own_.packed.data() + own_.starts[k],
                                          own_.packed.data() + own_.starts[k + 1]};
  }
  std::ranges::fill(facts.next_token, 0);
  for_each_entry(cells, row_of, [&](std::uint32_t token, std::uint32_t row, std::uint64_t count) {
    Room& room = rooms[row];
    if (room.at == nullptr) return;
    const std::uint32_t step = token - facts.next_token[row];
    if (Index{token} >= tokens_ ||
        packed_cell_size(step, count) > static_cast<std::size_t>(room.end - room.at))
      fail_changed();
    room.at = put_packed_cell(step, count, room.at);
    facts.next_token[row] = token + 1;
  });
  for (const Room& room : rooms)
    if (room.at != room.end) fail_changed();
}

SparseColumns columns_of_part(const CellSource& cells, const PositionRows& rows, Index part,
                              Index parts) {
  const std::vector<std::uint32_t> row_of = renumbered(rows.length(), rows.positions());
  const CountRoots root;
  SparseColumns columns;
  columns.rows = rows.rows();
  Index open = -1;  // the token whose entries come
  for_each_entry(cells, row_of, [&](std::uint32_t token, std::uint32_t row, std::uint64_t count) {
    if (Index{token} % parts != part) return;
    if (open >= 0 && open != Index{token}) columns.starts.push_back(columns.row.size());
    open = Index{token};
    columns.row.push_back(row);
    columns.value.push_back(root(count) * rows.weight(Index{row}));
  });
  if (open >= 0) columns.starts.push_back(columns.row.size());
  return columns;
}

}  // namespace sextant
