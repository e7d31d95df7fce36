// SPDX-License-Identifier: Apache-2.0
#include "lab/schedule.h"

#include <cmath>
#include <numbers>

namespace sextant {

double learning_rate(const Schedule& schedule, Index step) {
  const auto at = static_cast<double>(step), steps = static_cast<double>(schedule.steps);
  const double risen =
      step < schedule.warm_up ? (at + 1.0) / static_cast<double>(schedule.warm_up) : 1.0;
  const double start = schedule.decay_from * steps;
  if (at <= start) return schedule.rate * risen;
  const double fallen = (at - start) / (steps - start);
  return schedule.rate * risen * 0.5 * (1.0 + std::cos(std::numbers::pi * fallen));
}

}  // namespace sextant
