// SPDX-License-Identifier: Apache-2.0
// A rotary ladder as the page of a model needs it: docs/models.md.
#pragma once

#include "io/json.h"
#include "sextant/model.h"

namespace sextant {

struct RotarySubject {
  RotaryOperator present = {};                      // as the engine applies it
  std::vector<DoubleDouble> trained_inv_freq = {};  // without its scaling; as many
  double base = 10000.0;
  Index trained = 0;  // length of training; 0: unknown
  Index to = 0;       // length to look at
};

// pairs, magnitude, softmax_factor, trained, to;
// wavelength[], trained_wavelength[] (null: a pair that does not turn);
// coverage {trained[], to[], unscaled[]}: the part of a circle that each pair has gone through
// after
//   that many positions, at most 1; `to` with the present ladder, `unscaled` with that of training;
// methods[]: method, magnitude, ratio[]: frequencies by those of training, for an extension to
// `to`; precision: positions[], curves[] {what, dtype, worst[], first{0.001, 0.01, 0.1}}, of at
// most 256
//   pairs and 1048576 positions.
// Coverage and methods are null where the length of training is unknown.
Json rotary_page(const RotarySubject& subject);

}  // namespace sextant
