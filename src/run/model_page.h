// SPDX-License-Identifier: Apache-2.0
// The key `model` of the page: what the files of a model say of positions, as pictures need it
// (docs/models.md).
#pragma once

#include "run/model_document.h"

namespace sextant {

// source (without its folder), family, layers, heads, kv_heads, head_dim, hidden, max_positions,
// dtype, pairing, fingerprint, engine, release, notes[];
// groups[]: name, layers[], kind, spec, assumptions[], rotary (rotary_page.h) and error (why an
//   engine cannot evaluate it), each null where there is none;
// table: null.
// The length to look at is that of the reading, or 0: max_positions where training was shorter,
// else 4 times the length of training.
Json model_page(const ModelReading& reading);

}  // namespace sextant
