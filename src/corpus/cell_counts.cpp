// SPDX-License-Identifier: Apache-2.0
// Adding must cost little: it happens 21 times for every token of a corpus. A frequent token has
// one counter per place (a place is a position in a layer), a rare one a list of places, sorted
// once.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "corpus/cell_decoder.h"
#include "corpus/packed_cells.h"
#include "sextant/corpus.h"

namespace sextant {
namespace {

constexpr std::size_t kFirstCapacity = 8;
constexpr std::uint64_t kMostGathered = std::uint64_t{1} << 31;     // no 32-bit counter overflows
constexpr std::uint64_t kMostCount = (std::uint64_t{1} << 63) + 1;  // of a cell, as from_packed()
constexpr std::uint64_t kNoKey = ~std::uint64_t{0};  // above all keys, and one below the first
constexpr std::size_t kSmallRange = std::size_t{1} << 20;  // places whose counters fit a cache

std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum) || sum > kMostCount)
    fail(ErrorCode::kRefused, "counts", "one is above {}", kMostCount);
  return sum;
}

}  // namespace

// Writes cells in order into a buffer whose final size is bounded beforehand, or grows.
class CellCounts::Packer {
 public:
  explicit Packer(std::size_t reserve) : bytes_(std::max(reserve, kChunk)) {}

  void put(std::uint64_t key, std::uint64_t count) {
    if (bytes_.size() - used_ < kMostCellBytes) bytes_.resize(bytes_.size() + bytes_.size() / 2);
    std::byte* const end = put_packed_cell(key - previous_ - 1, count, bytes_.data() + used_);
    used_ = static_cast<std::size_t>(end - bytes_.data());
    previous_ = key;
    ++cells_;
  }
  // Cells that follow the last one directly, packed already; `last` is the key of their last.
  void append(std::span<const std::byte> packed, Index cells, std::uint64_t last) {
    if (packed.empty()) return;
    if (bytes_.size() - used_ < packed.size() + kMostCellBytes)
      bytes_.resize(bytes_.size() + std::max(bytes_.size() / 2, packed.size() + kMostCellBytes));
    std::memcpy(bytes_.data() + used_, packed.data(), packed.size());
    used_ += packed.size();
    cells_ += cells;
    previous_ = last;
  }

  Index cells() const { return cells_; }
  std::vector<std::byte> take() {
    bytes_.resize(used_);
    if (bytes_.capacity() > used_ + used_ / 4) bytes_.shrink_to_fit();
    return std::move(bytes_);
  }

 private:
  static constexpr std::size_t kChunk = 4096;

  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
  std::uint64_t previous_ = ~std::uint64_t{0};
  Index cells_ = 0;
};

CellCounts::CellCounts(Index positions, Index layers)
    : positions_(positions), layers_(layers), keys_(positions, layers) {
  require(positions >= 1 && positions <= Index{kMostPositions}, "positions",
          "must be 1 to {} but got {}", kMostPositions, positions);
  require(layers >= 1 && layers <= Index{kMostLayers}, "layers", "must be 1 to {} but got {}",
          kMostLayers, layers);
}

void CellCounts::add(TokenId token, std::span<const std::uint32_t> places) {
  if (token >= columns_.size()) {
    gathered_bytes_ += (std::size_t{token} + 1 - columns_.size()) * sizeof(Column);
    columns_.resize(std::size_t{token} + 1);
  }
  Column& column = columns_[token];
  std::vector<std::uint32_t>& values = column.values;
  if (!column.dense && values.capacity() - values.size() < places.size())
    grow(column, places.size());
  if (column.dense)
    for (const std::uint32_t place : places) ++values[counter(place)];
  else
    for (const std::uint32_t place : places) values.push_back(place);
  gathered_ += places.size();
  if (gathered_ >= kMostGathered ||
      (gathered_bytes_ > gather_limit_ && gathered_bytes_ > packed_.size()))
    flush();
}

// Doubles the list of places until `more` fit, unless counters for all of them take no more memory.
void CellCounts::grow(Column& column, std::size_t more) {
  const std::size_t before = column.values.capacity();
  std::size_t capacity = before;
  while (capacity < column.values.size() + more && 2 * capacity < places())
    capacity = std::max(kFirstCapacity, 2 * capacity);
  if (capacity < column.values.size() + more)
    make_dense(column);
  else
    column.values.reserve(capacity);
  gathered_bytes_ += sizeof(std::uint32_t) * (column.values.capacity() - before);
}

void CellCounts::make_dense(Column& column) {
  std::vector<std::uint32_t> counters(places());
  for (const std::uint32_t place : column.values) ++counters[counter(place)];
  column = {.values = std::move(counters), .dense = true};
}

// Counters of all places, zero between two columns, and one bit for each that is not.
struct CellCounts::Scratch {
  std::vector<std::uint32_t> counters;
  std::vector<std::uint64_t> used;
};

void CellCounts::pack(Column& column, TokenId token, Scratch& scratch, Packer& packer) const {
  const std::uint64_t start = keys_.key(token, 0);
  std::vector<std::uint32_t>& values = column.values;
  if (column.dense) {
    auto count = values.begin();
    for (Index i = 0; i < positions_; ++i)
      for (Index layer = 0; layer < layers_; ++layer, ++count)
        if (*count > 0)
          packer.put(
              start | place(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(layer)),
              *count);
    return;
  }
  const std::uint64_t range = keys_.places();
  if (range <= std::max(16 * values.size(), std::min(1024 * values.size(), kSmallRange))) {
    scratch.counters.resize(range);
    scratch.used.resize((range + 63) / 64);
    for (const std::uint32_t place : values) {
      ++scratch.counters[place];
      scratch.used[place / 64] |= std::uint64_t{1} << place % 64;
    }
    for (std::size_t i = 0; i < scratch.used.size(); ++i) {
      for (std::uint64_t bits = std::exchange(scratch.used[i], 0); bits != 0; bits &= bits - 1) {
        const std::uint64_t place = 64 * i + static_cast<unsigned>(std::countr_zero(bits));
        packer.put(start | place, std::exchange(scratch.counters[place], 0));
      }
    }
    return;
  }
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0, same = 0; i < values.size(); i = same) {
    for (same = i + 1; same < values.size() && values[same] == values[i];) ++same;
    packer.put(start | values[i], same - i);
  }
}

void CellCounts::flush() {
  if (gathered_ == 0) return;
  Packer packer(gathered_bytes_ / 4);
  Scratch scratch;
  for (std::size_t token = 0; token < columns_.size(); ++token) {
    pack(columns_[token], static_cast<TokenId>(token), scratch, packer);
    columns_[token] = {};
  }
  columns_ = std::vector<Column>();
  gathered_ = gathered_bytes_ = 0;
  if (packed_.empty()) {
    cells_ = packer.cells();
    packed_ = packer.take();
  } else {
    merge_packed(packer.take());
  }
}

void CellCounts::merge(const CellCounts& other) {
  if (other.cells_ == 0) return;
  if (cells_ == 0 && gathered_ == 0) {
    positions_ = other.positions_;
    layers_ = other.layers_;
    keys_ = other.keys_;
    packed_ = other.packed_;
    cells_ = other.cells_;
    return;
  }
  require(positions_ == other.positions_ && layers_ == other.layers_, "counts",
          "{} positions and {} layers cannot be merged with {} and {}", positions_, layers_,
          other.positions_, other.layers_);
  flush();
  merge_packed(other.packed_);
}

// No cell of the result is longer than the cells it comes from, so that the sum of both sizes holds
// it: a step between keys only shrinks, and a count grows by a byte only when two cells meet.
void CellCounts::merge_packed(std::span<const std::byte> other) {
  Packer packer(packed_.size() + other.size() + kMostCellBytes);
  PackedCursor a(packed_), b(other);
  bool more_a = a.next(), more_b = b.next();
  while (more_a && more_b) {
    if (a.key < b.key) {
      packer.put(a.key, a.count);
      more_a = a.next();
    } else if (b.key < a.key) {
      packer.put(b.key, b.count);
      more_b = b.next();
    } else {
      packer.put(a.key, sum_of(a.count, b.count));
      more_a = a.next();
      more_b = b.next();
    }
  }
  for (; more_a; more_a = a.next()) packer.put(a.key, a.count);
  for (; more_b; more_b = b.next()) packer.put(b.key, b.count);
  cells_ = packer.cells();
  packed_ = packer.take();
}

// Calls put(key, count) for each cell of the sum, in order.
template <typename Put>
void CellCounts::visit_sum(const CellCounts& other, std::span<const TokenId> names,
                           std::span<const TokenId> other_names, Put&& put) const {
  const auto named = [&](std::uint64_t key, std::span<const TokenId> list) {
    if (list.empty()) return key;
    const TokenId token = keys_.token_of(key);
    if (token >= list.size()) fail_packed("a token has no name");
    return keys_.key(list[token], keys_.place_of(key));
  };
  PackedCursor a(packed_), b(other.packed_);
  bool more_a = a.next(), more_b = b.next();
  while (more_a || more_b) {
    const std::uint64_t at_a = more_a ? named(a.key, names) : kNoKey;
    const std::uint64_t at_b = more_b ? named(b.key, other_names) : kNoKey;
    put(std::min(at_a, at_b),
        at_a == at_b ? sum_of(a.count, b.count) : (at_a < at_b ? a : b).count);
    if (at_a <= at_b) more_a = a.next();
    if (at_b <= at_a) more_b = b.next();
  }
}

// Twice through the cells: what the sum takes is known before memory is taken for it.
void CellCounts::merge(const CellCounts& other, std::span<const TokenId> names,
                       std::span<const TokenId> other_names) {
  require(positions_ == other.positions_ && layers_ == other.layers_, "counts",
          "{} positions and {} layers cannot be merged with {} and {}", positions_, layers_,
          other.positions_, other.layers_);
  if (other.cells_ == 0 && names.empty()) return;
  std::size_t size = 0;
  std::uint64_t previous = kNoKey;
  visit_sum(other, names, other_names, [&](std::uint64_t key, std::uint64_t count) {
    size += packed_cell_size(key - previous - 1, count);
    previous = key;
  });
  Packer packer(size + kMostCellBytes);
  visit_sum(other, names, other_names,
            [&](std::uint64_t key, std::uint64_t count) { packer.put(key, count); });
  cells_ = packer.cells();
  packed_ = packer.take();
}

// Only the first cell of a token refers to another token; the rest moves as it is.
CellCounts CellCounts::renamed(std::span<const TokenId> names) const {
  struct Segment {
    TokenId name = 0;
    std::uint64_t first = 0, last = 0, count = 0;  // keys of the cells, count of the first
    const std::byte* rest = nullptr;
    const std::byte* end = nullptr;
    Index cells = 0;
  };
  std::vector<Segment> segments;
  PackedCursor cursor(packed_);
  while (cursor.next()) {
    const TokenId token = keys_.token_of(cursor.key);
    if (segments.empty() || keys_.token_of(segments.back().last) != token) {
      require(token < names.size(), "names", "token {} has none", token);
      segments.push_back({.name = names[token],
                          .first = cursor.key,
                          .last = 0,
                          .count = cursor.count,
                          .rest = cursor.at});
    }
    segments.back().last = cursor.key;
    segments.back().end = cursor.at;
    ++segments.back().cells;
  }
  std::sort(segments.begin(), segments.end(),
            [](const Segment& a, const Segment& b) { return a.name < b.name; });
  Packer packer(packed_.size() + segments.size() * 4);
  for (const Segment& segment : segments) {
    packer.put(keys_.key(segment.name, keys_.place_of(segment.first)), segment.count);
    packer.append({segment.rest, segment.end}, segment.cells - 1,
                  keys_.key(segment.name, keys_.place_of(segment.last)));
  }
  CellCounts result(positions_, layers_);
  result.cells_ = packer.cells();
  result.packed_ = packer.take();
  return result;
}

CellCounts CellCounts::from_packed(Index positions, Index layers, std::vector<std::byte> packed,
                                   Index cells) {
  CellCounts result(positions, layers);
  CellDecoder decoder(positions, layers);
  decoder.decode(packed, true, [](const Cell&) {});
  result.cells_ = decoder.cells();
  if (result.cells_ != cells) fail_packed("the number of cells differs from the one promised");
  result.packed_ = std::move(packed);
  return result;
}

}  // namespace sextant
