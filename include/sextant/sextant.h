// SPDX-License-Identifier: Apache-2.0
// The whole public contract. Read in this order:
//
//   encoding.h   what an encoding is: its facts, its four sites, the pair form
//   registry.h   from a text such as "rope(base=500000)+alibi" to an encoding
//   table.h      encodings as arrays for files and engines
//   rotary.h     queries and keys turned in place, for engines
//   bias.h       biases of the lag added to logits, for engines
//   model.h      the positional rule of a checkpoint: config.json, GGUF, tables
//   classify.h   which one-parameter group an encoding, a generator or a kernel is
//   theorem.h    claims of the literature as computations with verdicts
//   profile.h    what an encoding does beyond its training length
//   transformer.h  a plain forward pass in double, the reference
//   task.h       what a transformer is trained on
//   trial.h      one training run and its result, as values
//   corpus.h     text to counts of tokens at positions
//   geometry.h   distances between positions: made, embedded, compared
//   positions.h, group.h, matrix.h, double_double.h   the values that these pass around
//   error.h      the one exception
//
// A complete program:
//
//   #include <sextant/sextant.h>
//
//   #include <cstdio>
//
//   int main() {
//     const auto rope = sextant::encodings().make("rope(base=500000)");
//     const sextant::Extent extent{.positions = 4096, .dim = 64};
//     const sextant::Vector q(64, 0.1), k(64, 0.2);
//     // The logit of the query at position 100 and the key at position 90.
//     std::printf("%g\n", sextant::fast_logit(rope->effects(extent), 0, 100.0, 90.0, q, k));
//   }
//
// In CMake: find_package(sextant) and target_link_libraries(... sextant::sextant).
#pragma once

#include "sextant/bias.h"
#include "sextant/classify.h"
#include "sextant/corpus.h"
#include "sextant/double_double.h"
#include "sextant/encoding.h"
#include "sextant/error.h"
#include "sextant/geometry.h"
#include "sextant/group.h"
#include "sextant/matrix.h"
#include "sextant/model.h"
#include "sextant/positions.h"
#include "sextant/profile.h"
#include "sextant/registry.h"
#include "sextant/rotary.h"
#include "sextant/table.h"
#include "sextant/task.h"
#include "sextant/theorem.h"
#include "sextant/transformer.h"
#include "sextant/trial.h"
