// SPDX-License-Identifier: Apache-2.0
#include "corpus/counts_file.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "corpus/positional_counts.h"
#include "corpus/run_sample.h"
#include "io/input_file.h"

namespace sextant {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

constexpr std::string_view kMagic = "SXCOUNT\n";
constexpr std::uint32_t kSchema = 1;
constexpr std::size_t kChunk = std::size_t{1} << 20;  // the checksum goes chunk by chunk
constexpr std::uint64_t kChecksumSeed = 0x636865636B000007;
constexpr std::size_t kTrailer = 16;

std::uint64_t next_checksum(std::uint64_t checksum, std::span<const std::byte> chunk) {
  return mixed(checksum, hash(chunk, kChecksumSeed));
}

class Writer {
 public:
  Writer(const std::filesystem::path& path, AtomicFile::Existing existing) : file_(path, existing) {
    chunk_.reserve(kChunk);
  }

  void bytes(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t taken = std::min(bytes.size(), kChunk - chunk_.size());
      chunk_.insert(chunk_.end(), bytes.begin(), bytes.begin() + static_cast<Index>(taken));
      bytes = bytes.subspan(taken);
      if (chunk_.size() == kChunk) empty_chunk();
    }
  }
  template <std::integral Value>
  void number(Value value) {
    bytes(std::as_bytes(std::span(&value, 1)));
  }
  void text(std::string_view text) {
    number(std::uint64_t{text.size()});
    bytes(std::as_bytes(std::span(text)));
  }
  void commit() {
    empty_chunk();
    const std::array<std::uint64_t, 2> trailer = {length_ + kTrailer, checksum_};
    file_.write(std::as_bytes(std::span(trailer)));
    file_.commit();
  }

 private:
  void empty_chunk() {
    if (chunk_.empty()) return;
    checksum_ = next_checksum(checksum_, chunk_);
    length_ += chunk_.size();
    file_.write(chunk_);
    chunk_.clear();
  }

  AtomicFile file_;
  std::vector<std::byte> chunk_;
  std::uint64_t length_ = 0, checksum_ = 0;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) {
    const InputFile file(path);
    name_ = file.name();
    bytes_.resize(file.size());
    file.read_at(0, bytes_);
    file.verify_unchanged();
    if (bytes_.size() < kMagic.size() ||
        std::memcmp(bytes_.data(), kMagic.data(), kMagic.size()) != 0)
      fail_here("not a file of counts");
    check_trailer();
    at_ = kMagic.size();
  }

  [[noreturn]] void fail_here(std::string_view what) const {
    fail(ErrorCode::kMalformed, fmt::format("{}: offset {}", name_, at_), "{}", what);
  }
  std::vector<std::byte> bytes(std::uint64_t size) {
    need(size);
    const auto first = bytes_.begin() + static_cast<Index>(at_);
    at_ += size;
    return {first, first + static_cast<Index>(size)};
  }
  template <std::integral Value>
  Value number() {
    need(sizeof(Value));
    Value value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(value));
    at_ += sizeof(value);
    return value;
  }
  // A number from `least` to `most`.
  std::int64_t within(std::int64_t least, std::int64_t most) {
    const auto value = number<std::int64_t>();
    if (value < least || value > most) fail_here("a number is out of range");
    return value;
  }
  std::int64_t amount() { return within(0, std::numeric_limits<std::int64_t>::max()); }
  std::string text() {
    const auto size = number<std::uint64_t>();
    need(size);
    std::string result(reinterpret_cast<const char*>(bytes_.data() + at_), size);
    at_ += size;
    return result;
  }
  // How many things of at least `each` bytes follow.
  std::size_t size(std::size_t each) {
    const auto count = number<std::uint64_t>();
    if (count > (end() - at_) / each) fail_here("a size exceeds the file");
    return count;
  }
  std::uint64_t left() const { return end() - at_; }
  void expect_end() const {
    if (at_ != end()) fail_here("bytes follow the last field");
  }

 private:
  std::size_t end() const { return bytes_.size() - kTrailer; }
  void need(std::uint64_t size) const {
    if (size > end() - at_) fail_here("a field exceeds the file");
  }
  void check_trailer() const {
    if (bytes_.size() < kMagic.size() + kTrailer) fail_here("the file is cut off");
    std::array<std::uint64_t, 2> trailer;
    std::memcpy(trailer.data(), bytes_.data() + end(), kTrailer);
    if (trailer[0] != bytes_.size()) fail_here("the length differs from the one in the trailer");
    std::uint64_t checksum = 0;
    std::span<const std::byte> left(bytes_.data(), end());
    while (!left.empty()) {
      const auto chunk = left.first(std::min(left.size(), kChunk));
      checksum = next_checksum(checksum, chunk);
      left = left.subspan(chunk.size());
    }
    if (checksum != trailer[1]) fail_here("the checksum does not fit");
  }

  std::string name_;
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

void write_cells(Writer& out, const CellCounts& cells) {
  out.number(std::int64_t{cells.cells()});
  out.number(std::uint64_t{cells.packed().size()});
  out.bytes(cells.packed());
}

CellCounts read_cells(Reader& in, const CellCounts& shape) {
  const Index cells = in.amount();
  const std::size_t size = in.size(1);
  try {
    return CellCounts::from_packed(shape.positions(), shape.layers(), in.bytes(size), cells);
  } catch (const Error& error) {
    in.fail_here(error.what());
  }
}

void write_options(Writer& out, const CountOptions& options) {
  out.number(std::int64_t{options.positions});
  out.number(static_cast<std::int64_t>(options.length));
  out.number(static_cast<std::int64_t>(options.specials));
  out.number(std::int64_t{options.windows});
  out.number(std::int64_t{options.shuffles});
  out.number(options.seed);
}

CountOptions read_options(Reader& in) {
  CountOptions options;
  options.positions = in.within(1, CellCounts::kMostPositions);
  options.length = static_cast<LengthRule>(in.within(0, 2));
  options.specials = static_cast<Specials>(in.within(0, 1));
  options.windows = in.within(0, 1) == 1;
  options.shuffles = in.within(0, CellCounts::kMostLayers);
  options.seed = in.number<std::uint64_t>();
  return options;
}

std::vector<SampledRun> read_runs(Reader& in) {
  std::vector<SampledRun> runs(in.size(17));
  if (runs.size() > RunSample::kMost) in.fail_here("the sample has too many runs");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].run = in.number<std::uint64_t>();
    runs[i].group = in.number<std::uint64_t>();
    const auto repeated = in.number<std::uint8_t>();
    if (repeated > 1) in.fail_here("a flag is neither 0 nor 1");
    runs[i].repeated = repeated == 1;
    if (i > 0 && runs[i].run <= runs[i - 1].run) in.fail_here("the sample is out of order");
  }
  return runs;
}

}  // namespace

void write_counts(const std::filesystem::path& path, const CountsFile& file,
                  AtomicFile::Existing existing) {
  const PositionalCounts& counts = file.counts;
  Writer out(path, existing);
  out.bytes(std::as_bytes(std::span(kMagic)));
  out.number(kSchema);
  out.number(file.generation);
  write_options(out, counts.options);
  out.text(counts.tokenizer);
  out.number(counts.tokenizer_hash);
  for (const std::int64_t value : {counts.records, counts.sequences, counts.used, counts.tokens,
                                   counts.skipped, std::int64_t{counts.vocabulary}})
    out.number(value);
  for (const std::uint64_t half : counts.input_hash) out.number(half);
  for (const auto& blocks : counts.sequences_at) out.bytes(std::as_bytes(std::span(blocks)));
  out.bytes(std::as_bytes(std::span(counts.lengths)));
  out.number(std::uint64_t{counts.runs.size()});
  for (const SampledRun& run : counts.runs) {
    out.number(run.run);
    out.number(run.group);
    out.number(static_cast<std::uint8_t>(run.repeated));
  }
  write_cells(out, counts.blocks);
  write_cells(out, counts.shuffled);
  out.number(std::uint64_t{file.tokens.size()});
  for (const std::string& token : file.tokens) out.text(token);
  out.commit();
}

CountsFile read_counts(const std::filesystem::path& path) {
  Reader in(path);
  const auto schema = in.number<std::uint32_t>();
  if (schema != kSchema) in.fail_here(fmt::format("schema {}, expected {}", schema, kSchema));
  CountsFile file;
  file.generation = in.number<std::uint64_t>();
  const CountOptions options = read_options(in);
  if (options.positions > static_cast<Index>(in.left() / (kBlocks * sizeof(std::int64_t))))
    in.fail_here("fewer bytes than positions");
  file.counts = empty_counts(options);
  PositionalCounts& counts = file.counts;
  counts.tokenizer = in.text();
  counts.tokenizer_hash = in.number<std::uint64_t>();
  for (std::int64_t* value :
       {&counts.records, &counts.sequences, &counts.used, &counts.tokens, &counts.skipped})
    *value = in.amount();
  counts.vocabulary = in.amount();
  for (std::uint64_t& half : counts.input_hash) half = in.number<std::uint64_t>();
  for (auto& blocks : counts.sequences_at)
    for (std::int64_t& count : blocks) count = in.amount();
  for (std::int64_t& count : counts.lengths) count = in.amount();
  counts.runs = read_runs(in);
  counts.overlap = overlap_of(counts.runs);
  counts.blocks = read_cells(in, counts.blocks);
  counts.shuffled = read_cells(in, counts.shuffled);
  file.tokens.resize(in.size(sizeof(std::uint64_t)));
  for (std::string& token : file.tokens) token = in.text();
  in.expect_end();
  return file;
}

}  // namespace sextant
