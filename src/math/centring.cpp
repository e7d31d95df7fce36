// SPDX-License-Identifier: Apache-2.0
#include "math/centring.h"

namespace sextant {
namespace {

void centre_once(Matrix& b) {
  const Index n = b.rows();
  Vector means(static_cast<std::size_t>(n));
  double overall = 0.0;
  for (Index i = 0; i < n; ++i) {
    double sum = 0.0;
    for (const double value : b.row(i)) sum += value;
    overall += means[static_cast<std::size_t>(i)] = sum / static_cast<double>(n);
  }
  overall /= static_cast<double>(n);
  for (Index i = 0; i < n; ++i) {
    const double own = means[static_cast<std::size_t>(i)];
    for (Index j = 0; j < n; ++j) b(i, j) -= own + means[static_cast<std::size_t>(j)] - overall;
  }
}

}  // namespace

void centre_both_sides(Matrix& symmetric) {
  centre_once(symmetric);
  centre_once(symmetric);
}

}  // namespace sextant
