// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sextant/encoding.h"

namespace sextant {

// Several encodings at once: rows, biases and offsets add up. Throws kUsage when two of them want
// the query/key site: their maps need not commute.
std::unique_ptr<Encoding> compose(std::vector<std::unique_ptr<Encoding>> parts);

// What compose() was given; empty for an encoding that is not made of others. Who asks for sites of
// different widths asks each part for its own.
std::span<const std::unique_ptr<Encoding>> parts_of(const Encoding& encoding);

// The effects of two parts become those of both.
void add_effects(Effects more, Effects& sum);

}  // namespace sextant
