// SPDX-License-Identifier: Apache-2.0
// The C interface under any sizes, strides, positions, types and pointers. The bytes choose the
// calls; what they write stays inside one buffer, whose end the sanitizer guards. A call that the
// interface cannot check, with sizes beyond that buffer, is not made.
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "sextant/sextant_c.h"
#include "support/c_handles.h"

namespace {

using sextant::Owned;

constexpr int64_t kBuffer = 4096;
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

constexpr std::size_t kRotarySpecs = 8;
constexpr const char* kSpecs[] = {"rope",
                                  "rope(base=500000,scaling=linear,factor=4)",
                                  "rope(scaling=dynamic,factor=2,original=64)",
                                  "rope(pairing=interleaved)",
                                  "mrope(sections=1:1:2)",
                                  "xpos",
                                  "spiral(rate=0.5)",
                                  "jordan",
                                  "alibi",
                                  "alibi(slope=1e6)",
                                  "alibi(causal=1)",
                                  "alibi+rope",
                                  "t5",
                                  "kerple",
                                  "fire(threshold=64,hidden=8)",
                                  "sandwich(width=8)",
                                  "sinusoidal",
                                  "none",
                                  "rope(base=",
                                  "",
                                  nullptr};

// The input as numbers; zeros behind its end.
class Bytes {
 public:
  Bytes(const uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  bool done() const { return at_ == end_; }
  uint8_t byte() { return done() ? uint8_t{0} : *at_++; }
  // 0 to `usual` most of the time, else a size that nothing fits.
  int64_t size(int64_t usual) {
    constexpr int64_t kOdd[] = {-1, kLeast, kMost, int64_t{1} << 62, int64_t{1} << 50};
    const uint8_t first = byte();
    if (first >= 250) return kOdd[first % std::size(kOdd)];
    return (first * 256 + byte()) % (usual + 1);
  }
  int64_t word() {
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return static_cast<int64_t>(value);
  }
  int64_t position() { return byte() % 64 == 63 ? word() : byte(); }
  // One of all, or one of the first few, which are rules for queries and keys.
  const char* spec(std::size_t count = std::size(kSpecs)) { return kSpecs[byte() % count]; }
  // One call in 16 gets a null pointer.
  template <typename T>
  T* or_null(T* pointer) {
    return byte() % 16 == 15 ? nullptr : pointer;
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

sextant_status sound(sextant_status status) {
  if (status == SEXTANT_INTERNAL) std::abort();
  if (status != SEXTANT_OK && *sextant_last_error() == '\0') std::abort();
  return status;
}

template <typename Handle, typename Make>
Owned<Handle> made_by(Bytes& bytes, Make&& make) {
  Handle* made = nullptr;
  const sextant_status status = sound(make(bytes.or_null(&made)));
  if ((status == SEXTANT_OK) != (made != nullptr)) std::abort();
  return Owned<Handle>(made);
}

// Whether the caller keeps the promise that its memory is as large as its sizes say, or breaks it
// in a way that the library must see: a negative number, or more than there are addresses.
bool callable(int64_t offset, int64_t width, std::initializer_list<int64_t> numbers,
              __int128 elements) {
  for (const int64_t number : numbers)
    if (number < 0) return true;
  return elements <= (kBuffer - offset) / width || elements > kMost / 2;
}

// From the first of `count` rows to the last one.
__int128 reach(int64_t count, int64_t stride) {
  return count < 1 || stride < 0 ? __int128{0} : __int128{count - 1} * stride;
}

struct Memory {
  std::vector<unsigned char> bytes = std::vector<unsigned char>(kBuffer, 0x3c);
  std::vector<unsigned char> before = bytes;

  // A call that fails writes nothing.
  void expect_untouched(sextant_status status) const {
    if (status != SEXTANT_OK && bytes != before) std::abort();
  }
  void keep() { before = bytes; }
};

// Most of the time contiguous and of the wanted size, so that calls also succeed.
sextant_heads_view view(Bytes& bytes, Memory& memory, int64_t tokens, int64_t dim, bool& allowed) {
  const auto mostly = [&](int64_t wanted, int64_t usual) {
    return bytes.byte() % 16 == 15 ? bytes.size(usual) : wanted;
  };
  const int64_t offset = mostly(0, kBuffer / 2), heads = mostly(2, 4);
  sextant_heads_view view = {.data = nullptr,
                             .dtype = static_cast<sextant_dtype>(mostly(SEXTANT_F32, 5)),
                             .tokens = mostly(tokens, 4),
                             .heads = heads,
                             .dim = mostly(dim, 16),
                             .token_stride = mostly(2 * dim, 64),
                             .head_stride = mostly(dim, 64)};
  const bool inside = offset >= 0 && offset < kBuffer;
  view.data = bytes.or_null(inside ? memory.bytes.data() + offset : nullptr);
  const __int128 last =
      reach(view.tokens, view.token_stride) + reach(view.heads, view.head_stride) + view.dim;
  allowed =
      allowed &&
      callable(inside ? offset : 0, 8,
               {view.tokens, view.heads, view.dim, view.token_stride, view.head_stride}, last);
  return view;
}

void turn(Bytes& bytes, Memory& memory) {
  const int64_t dim = 2 * (bytes.byte() % 10);
  const auto make_rule = [&] {
    const char* const spec = bytes.byte() % 8 == 0 ? bytes.spec() : bytes.spec(kRotarySpecs);
    return made_by<sextant_rotary>(bytes,
                                   [&](auto made) { return sextant_rotary_make(spec, dim, made); });
  };
  Owned<sextant_rotary> rule = make_rule();
  if (bytes.byte() % 4 == 0) {
    const Owned<sextant_rotary> other = make_rule();
    rule = made_by<sextant_rotary>(
        bytes, [&](auto made) { return sextant_rotary_between(rule.get(), other.get(), made); });
  }
  int64_t axes = 1;
  sound(sextant_rotary_axes(rule.get(), bytes.or_null(&axes)));
  std::array<int64_t, 16> positions = {};
  for (int64_t& position : positions) position = bytes.position();
  const bool range = bytes.byte() % 2 == 0;
  const int64_t tokens = bytes.size(4), origin = bytes.byte() % 16 == 0 ? bytes.word() : 0;
  // The list has 16 numbers, and no rule more than 4 axes; more tokens than positions are refused.
  const bool listed = tokens <= 4 || tokens > int64_t{1} << 31;
  const Owned<sextant_turns> turns = made_by<sextant_turns>(bytes, [&](auto made) {
    if (range || !listed)
      return sextant_turns_range(rule.get(), positions[0], tokens, origin, made);
    return sextant_turns_at(rule.get(), bytes.or_null(positions.data()), tokens, axes, origin,
                            made);
  });
  bool allowed = true;
  const sextant_heads_view in = view(bytes, memory, tokens, dim, allowed);
  const sextant_heads_view out =
      bytes.byte() % 2 == 0 ? in : view(bytes, memory, tokens, dim, allowed);
  if (!allowed) return;
  const auto apply = bytes.byte() % 2 == 0 ? sextant_apply_to_queries : sextant_apply_to_keys;
  const int64_t threads = bytes.byte() % 8 == 0 ? bytes.size(4) : 1;
  memory.expect_untouched(sound(
      apply(turns.get(), bytes.or_null(&in), bytes.or_null(&out), bytes.byte() % 8 % 3, threads)));
}

void add_bias(Bytes& bytes, Memory& memory) {
  const char* const spec = bytes.spec();
  const int64_t heads = bytes.size(4), length = bytes.size(40);
  const Owned<sextant_bias> bias = made_by<sextant_bias>(
      bytes, [&](auto made) { return sextant_bias_make(spec, heads, length, 24, made); });
  auto* const values = reinterpret_cast<float*>(memory.bytes.data());
  const sextant_logit_tile tile = {.data = bytes.or_null(values),
                                   .rows = bytes.size(20),
                                   .cols = bytes.size(20),
                                   .stride = bytes.size(40),
                                   .head = bytes.size(4),
                                   .first_query = bytes.size(40),
                                   .first_key = bytes.size(40)};
  const __int128 last = reach(tile.rows, tile.stride) + tile.cols;
  if (callable(0, sizeof(float), {tile.rows, tile.cols, tile.stride}, last)) {
    const auto call = bytes.byte() % 2 == 0 ? sextant_bias_add_to : sextant_bias_write;
    memory.expect_untouched(sound(call(bias.get(), bytes.or_null(&tile))));
    memory.keep();
  }
  const int64_t count = bytes.size(kBuffer / int64_t{sizeof(float)});
  if (count <= kBuffer / int64_t{sizeof(float)}) {
    memory.expect_untouched(
        sound(sextant_bias_fill(bias.get(), tile.first_query, tile.rows, tile.first_key, tile.cols,
                                bytes.or_null(values), count, 1)));
  }
  std::array<float, 4> slopes = {};
  int32_t linear = 0;
  const int64_t asked = bytes.size(4);
  sound(
      sextant_bias_slopes(bias.get(), bytes.or_null(slopes.data()), asked, bytes.or_null(&linear)));
}

void write_table(Bytes& bytes, Memory& memory) {
  const sextant_table_request request = {.spec = bytes.spec(),
                                         .kind = bytes.byte() % 8 - 1,
                                         .dtype = bytes.byte() % 6 - 1,
                                         .dim = bytes.size(16),
                                         .heads = bytes.size(3),
                                         .length = bytes.size(300)};
  std::array<double, 12> positions = {};
  for (double& position : positions) {
    const int64_t bits = bytes.word();
    std::memcpy(&position, &bits, sizeof(position));
  }
  const bool range = bytes.byte() % 2 == 0;
  const int64_t count = bytes.size(3), axes = bytes.byte() % 6;
  const Owned<sextant_table> table = made_by<sextant_table>(bytes, [&](auto made) {
    if (range || count > 3)
      return sextant_table_range(bytes.or_null(&request), positions[0], count, made);
    return sextant_table_at(&request, bytes.or_null(positions.data()), count, axes, made);
  });
  std::array<int64_t, 3> shape = {};
  int32_t rank = 0;
  uint64_t size = 0;
  sound(sextant_table_shape(table.get(), bytes.or_null(shape.data()), bytes.or_null(&rank)));
  sound(sextant_table_bytes(table.get(), bytes.or_null(&size)));
  if (size > kBuffer) return;
  const int64_t shift = bytes.byte() % 8 == 0 ? 1 : 0;
  if (static_cast<int64_t>(size) + shift > kBuffer) return;
  sound(sextant_table_write(table.get(), bytes.or_null(memory.bytes.data() + shift), size,
                            bytes.byte() % 3));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  for (int calls = 0; calls < 4 && !bytes.done(); ++calls) {
    Memory memory;
    switch (bytes.byte() % 3) {
      case 0:
        turn(bytes, memory);
        break;
      case 1:
        add_bias(bytes, memory);
        break;
      default:
        write_table(bytes, memory);
    }
  }
  return 0;
}
