// SPDX-License-Identifier: Apache-2.0
// What memory allows: loops that do nothing but touch bytes, on as many threads as the work beside
// them, by vectors as the compiler makes them (of 32 bytes where the processor has AVX2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "measure/bench_case.h"

namespace sextant {

inline constexpr char kReadAndWrite[] = "read and write in place";
inline constexpr char kFill[] = "fill";
inline constexpr char kPass[] = "pass over the bytes";

// Every value is read, changes its sign and is written back.
Rival read_and_write(std::span<float> values, Index threads);
Rival read_and_write(std::span<std::uint16_t> bits, Index threads);  // of f16 or bf16

// Every value becomes 1/2.
Rival fill_of(std::span<float> values, Index threads);
Rival fill_of(std::span<double> values, Index threads);

// Every whole word of eight bytes is read; they are added up.
Rival pass_over(std::span<const std::byte> bytes, Index threads);

}  // namespace sextant
