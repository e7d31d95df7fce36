// SPDX-License-Identifier: Apache-2.0
#include "corpus/counts_stream.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "corpus/cell_decoder.h"
#include "corpus/cell_tally.h"
#include "corpus/checked_fields.h"
#include "corpus/positional_counts.h"

namespace sextant {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;

// Decodes `size` bytes of cells, which take(bytes) fills in piece by piece.
template <typename Take, typename Visit>
Index decode_pieces(const CellCounts& shape, std::uint64_t size, const Take& take,
                    const Visit& visit) {
  CellDecoder decoder(shape.positions(), shape.layers());
  std::vector<std::byte> piece;
  while (size > 0) {
    const std::size_t kept = piece.size();
    const std::uint64_t more = std::min(size, kPiece);
    piece.resize(kept + more);
    take(std::span(piece).subspan(kept));
    size -= more;
    const std::size_t used = decoder.decode(piece, size == 0, visit);
    piece.erase(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(used));
  }
  return decoder.cells();
}

// Passes over cells, which must be as many as they say, and returns the last token.
std::optional<TokenId> check_cells(FieldReader& in, const CellCounts& shape, CellTally tally) {
  const Index cells = in.amount();
  const std::size_t size = in.size(1);
  try {
    const Index found = decode_pieces(
        shape, size, [&in](std::span<std::byte> bytes) { in.take(bytes); },
        [&tally](const Cell& cell) { tally.add(cell); });
    if (found != cells) fail_packed("the number of cells differs from the one promised");
    tally.finish();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kMalformed) throw;
    in.fail_here(error.what());
  }
  return tally.last_token();
}

}  // namespace

CountsStream::CountsStream(const std::filesystem::path& path) : file_(path) {
  FieldReader in([this](std::uint64_t at, std::span<std::byte> bytes) { file_.read_at(at, bytes); },
                 file_.size(), file_.name(), kCountsMagic);
  head_ = read_counts_head(in);
  cells_at_ = in.at();
  const PositionalCounts& counts = head_.counts;
  const auto last = check_cells(in, counts.blocks, CellTally::of_blocks(counts));
  const std::uint64_t end = in.at();
  const auto last_shuffled = check_cells(in, counts.shuffled, CellTally::of_shuffles(counts));
  check_counts_tokens(in, head_.finished, std::max(last, last_shuffled));
  in.finish();
  file_.verify_unchanged();
  cells_size_ = end - cells_at_;
  sequences_ = sequences_by_position(head_.counts);
  head_.counts.sequences_at = std::vector<std::array<std::int64_t, kBlocks>>();
}

void CountsStream::for_each_cell(const std::function<void(const Cell&)>& visit) const {
  constexpr std::uint64_t kSizes = 2 * sizeof(std::uint64_t);  // number of cells, and of bytes
  std::uint64_t at = cells_at_ + kSizes;
  decode_pieces(
      head_.counts.blocks, cells_size_ - kSizes,
      [&](std::span<std::byte> bytes) {
        file_.read_at(at, bytes);
        at += bytes.size();
      },
      visit);
  file_.verify_unchanged();
}

}  // namespace sextant
