// SPDX-License-Identifier: Apache-2.0
// The key `model` of the page: what the files of a model say of positions, as pictures need it
// (docs/models.md).
#pragma once

#include "io/json.h"
#include "sextant/model.h"

namespace sextant {

// source (without its folder), family, layers, heads, kv_heads, head_dim, hidden, max_positions,
// dtype, pairing, fingerprint, engine, release, notes[];
// groups[]: name, layers[], kind, spec, assumptions[], error (why an engine cannot evaluate it) and
//   rotary (rotary_page.h), each null where there is none;
// table: null.
// The length to look at is `to`, or 0: max_positions where training was shorter, else 4 times the
// length of training.
Json model_page(const Model& model, Engine engine = Engine::kHuggingFace, Index to = 0);

}  // namespace sextant
