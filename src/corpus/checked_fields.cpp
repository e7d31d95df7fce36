// SPDX-License-Identifier: Apache-2.0
#include "corpus/checked_fields.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace sextant {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

constexpr std::size_t kChecked = std::size_t{1} << 20;  // the checksum goes chunk by chunk
constexpr std::uint64_t kChecksumSeed = 0x636865636B000007;
constexpr std::size_t kTrailer = 16;

std::uint64_t next_checksum(std::uint64_t checksum, std::span<const std::byte> chunk) {
  return mixed(checksum, hash(chunk, kChecksumSeed));
}

}  // namespace

FieldWriter::FieldWriter(Sink sink) : sink_(std::move(sink)) { chunk_.reserve(kChecked); }

void FieldWriter::bytes(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), kChecked - chunk_.size());
    chunk_.insert(chunk_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    bytes = bytes.subspan(taken);
    if (chunk_.size() == kChecked) empty_chunk();
  }
}

void FieldWriter::text(std::string_view text) {
  number(std::uint64_t{text.size()});
  bytes(std::as_bytes(std::span(text)));
}

void FieldWriter::texts(std::span<const std::string> texts) {
  number(std::uint64_t{texts.size()});
  for (const std::string& each : texts) text(each);
}

void FieldWriter::finish() {
  empty_chunk();
  const std::array<std::uint64_t, 2> trailer = {length_ + kTrailer, checksum_};
  sink_(std::as_bytes(std::span(trailer)));
}

void FieldWriter::empty_chunk() {
  if (chunk_.empty()) return;
  checksum_ = next_checksum(checksum_, chunk_);
  length_ += chunk_.size();
  sink_(chunk_);
  chunk_.clear();
}

FieldReader::FieldReader(Source source, std::uint64_t size, std::string name,
                         std::string_view magic)
    : source_(std::move(source)), name_(std::move(name)) {
  std::string start(std::min<std::uint64_t>(size, magic.size()), '\0');
  source_(0, std::as_writable_bytes(std::span(start)));
  if (size == 0) fail_here("empty");
  if (start != magic) fail_here("not a file of counts");
  if (size < magic.size() + kTrailer) fail_here("the file is cut off");
  end_ = size - kTrailer;
  std::array<std::uint64_t, 2> trailer;
  source_(end_, std::as_writable_bytes(std::span(trailer)));
  if (trailer[0] != size) fail_here("the length differs from the one in the trailer");
  expected_ = trailer[1];
  bytes(magic.size());
}

void FieldReader::fail_here(std::string_view what) const {
  fail(ErrorCode::kMalformed, fmt::format("{}: offset {}", name_, at_), "{}", what);
}

void FieldReader::take(std::span<std::byte> bytes) {
  if (bytes.size() > left()) fail_here("a field exceeds the file");
  while (!bytes.empty()) {
    if (used_ == chunk_.size()) {
      chunk_.resize(std::min<std::uint64_t>(kChecked, left()));
      source_(at_, chunk_);
      checksum_ = next_checksum(checksum_, chunk_);
      used_ = 0;
    }
    const std::size_t taken = std::min(bytes.size(), chunk_.size() - used_);
    std::memcpy(bytes.data(), chunk_.data() + used_, taken);
    bytes = bytes.subspan(taken);
    used_ += taken;
    at_ += taken;
  }
}

std::vector<std::byte> FieldReader::bytes(std::uint64_t size) {
  if (size > left()) fail_here("a field exceeds the file");
  std::vector<std::byte> result(size);
  take(result);
  return result;
}

std::int64_t FieldReader::within(std::int64_t least, std::int64_t most) {
  const auto value = number<std::int64_t>();
  if (value < least || value > most) fail_here("a number is out of range");
  return value;
}

std::string FieldReader::text() {
  std::string result(size(1), '\0');
  take(std::as_writable_bytes(std::span(result)));
  return result;
}

std::vector<std::string> FieldReader::texts() {
  std::vector<std::string> result;
  for (std::size_t left = size(sizeof(std::uint64_t)); left > 0; --left) result.push_back(text());
  return result;
}

std::size_t FieldReader::size(std::size_t each) {
  const auto count = number<std::uint64_t>();
  if (count > left() / each) fail_here("a size exceeds the file");
  return count;
}

void FieldReader::finish() {
  if (at_ != end_) fail_here("bytes follow the last field");
  if (checksum_ != expected_) fail_here("the checksum does not fit");
}

}  // namespace sextant
