// SPDX-License-Identifier: Apache-2.0
// The learning rate, step by step.
#pragma once

#include "sextant/trial.h"

namespace sextant {

// Of the step with this number, counted from 0. It rises linearly and is schedule.rate at the
// warm_up-th step; from the share decay_from of all steps on it falls as a half cosine that would
// be 0 one step after the last. Where both overlap it is their product.
double learning_rate(const Schedule& schedule, Index step);

}  // namespace sextant
