// SPDX-License-Identifier: Apache-2.0
// What memory allows: loops that do nothing but touch bytes, on as many threads as the work beside
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.h"
#include "measure/bench_case.h"

namespace sextant {

inline constexpr char kReadAndWrite[] = "read and write in place";
inline constexpr char kFill[] = "fill";
inline constexpr char kPass[] = "pass over the bytes";

// Every value is read, changes its sign and is written back.
Rival read_and_write(std::span<float> values, Index threads);
Rival read_and_write(std::span<std::uint16_t> bits, Index threads);  // of f16 or bf16

// Every value becomes the same.
template <typename Value>
Rival fill_of(std::span<Value> values, Index threads) {
  return {kFill, [values, threads] {
            parallel_for(std::ssize(values), threads, [values](Index first, Index last) {
              for (Value& value : values.subspan(static_cast<std::size_t>(first),
                                                 static_cast<std::size_t>(last - first)))
                value = Value{1} / Value{2};
            });
          }};
}

// Every byte is read; they are added up in words.
Rival pass_over(std::span<const std::byte> bytes, Index threads);

}  // namespace sextant
