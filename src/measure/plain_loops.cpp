// SPDX-License-Identifier: Apache-2.0
#include "measure/plain_loops.h"

#include <atomic>
#include <cstring>

#include "base/parallel.h"

namespace sextant {
namespace {

struct ChangeSign {
  float operator()(float value) const { return -value; }
  std::uint16_t operator()(std::uint16_t bits) const {
    return static_cast<std::uint16_t>(bits ^ std::uint16_t{0x8000});
  }
};

struct Half {
  template <typename Value>
  Value operator()(Value) const {
    return Value{1} / Value{2};
  }
};

template <typename Change, typename Value>
[[gnu::always_inline]] inline void change_all(Value* values, Index count) {
  for (Index i = 0; i < count; ++i) values[i] = Change()(values[i]);
}

constexpr std::size_t kWord = sizeof(std::uint64_t);

[[gnu::always_inline]] inline std::uint64_t sum_all(const std::byte* bytes, Index words) {
  std::uint64_t sum = 0;
  for (Index i = 0; i < words; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + static_cast<std::size_t>(i) * kWord, kWord);
    sum += word;
  }
  return sum;
}

#if defined(__x86_64__)
template <typename Change, typename Value>
[[gnu::target("avx2")]] void change_all_wide(Value* values, Index count) {
  change_all<Change>(values, count);
}
[[gnu::target("avx2")]] std::uint64_t sum_all_wide(const std::byte* bytes, Index words) {
  return sum_all(bytes, words);
}
bool has_wide() { return __builtin_cpu_supports("avx2") != 0; }
#else
template <typename Change, typename Value>
void change_all_wide(Value* values, Index count) {
  change_all<Change>(values, count);
}
std::uint64_t sum_all_wide(const std::byte* bytes, Index words) { return sum_all(bytes, words); }
bool has_wide() { return false; }
#endif

template <typename Change, typename Value>
Rival changed(const char* name, std::span<Value> values, Index threads) {
  return {name, [values, threads, wide = has_wide()] {
            parallel_for(std::ssize(values), threads, [values, wide](Index first, Index last) {
              if (wide) {
                change_all_wide<Change>(values.data() + first, last - first);
              } else {
                change_all<Change>(values.data() + first, last - first);
              }
            });
          }};
}

}  // namespace

Rival read_and_write(std::span<float> values, Index threads) {
  return changed<ChangeSign>(kReadAndWrite, values, threads);
}
Rival read_and_write(std::span<std::uint16_t> bits, Index threads) {
  return changed<ChangeSign>(kReadAndWrite, bits, threads);
}

Rival fill_of(std::span<float> values, Index threads) {
  return changed<Half>(kFill, values, threads);
}
Rival fill_of(std::span<double> values, Index threads) {
  return changed<Half>(kFill, values, threads);
}

Rival pass_over(std::span<const std::byte> bytes, Index threads) {
  return {kPass, [bytes, threads, wide = has_wide()] {
            std::atomic<std::uint64_t> total = 0;
            parallel_for(
                static_cast<Index>(bytes.size() / kWord), threads, [&](Index first, Index last) {
                  const std::byte* from = bytes.data() + static_cast<std::size_t>(first) * kWord;
                  total += wide ? sum_all_wide(from, last - first) : sum_all(from, last - first);
                });
            volatile std::uint64_t kept = total;
            (void)kept;
          }};
}

}  // namespace sextant
