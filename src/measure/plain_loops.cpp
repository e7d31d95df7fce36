// SPDX-License-Identifier: Apache-2.0
#include "measure/plain_loops.h"

#include <atomic>
#include <cstring>

namespace sextant {
namespace {

template <typename Value, typename Change>
Rival changed_in_place(std::span<Value> values, Index threads, Change change) {
  return {kReadAndWrite, [values, threads, change] {
            parallel_for(std::ssize(values), threads, [values, change](Index first, Index last) {
              for (Value& value : values.subspan(static_cast<std::size_t>(first),
                                                 static_cast<std::size_t>(last - first)))
                value = change(value);
            });
          }};
}

}  // namespace

Rival read_and_write(std::span<float> values, Index threads) {
  return changed_in_place(values, threads, [](float value) { return -value; });
}

Rival read_and_write(std::span<std::uint16_t> bits, Index threads) {
  return changed_in_place(bits, threads, [](std::uint16_t value) {
    return static_cast<std::uint16_t>(value ^ std::uint16_t{0x8000});
  });
}

Rival pass_over(std::span<const std::byte> bytes, Index threads) {
  return {kPass, [bytes, threads] {
            constexpr std::size_t kWord = sizeof(std::uint64_t);
            const auto words = static_cast<Index>(bytes.size() / kWord);
            std::atomic<std::uint64_t> total = 0;
            parallel_for(words, threads, [&](Index first, Index last) {
              std::uint64_t sum = 0;
              for (Index i = first; i < last; ++i) {
                std::uint64_t word = 0;
                std::memcpy(&word, bytes.data() + static_cast<std::size_t>(i) * kWord, kWord);
                sum += word;
              }
              total += sum;
            });
            volatile std::uint64_t kept = total;
            (void)kept;
          }};
}

}  // namespace sextant
