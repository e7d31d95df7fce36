// SPDX-License-Identifier: Apache-2.0
#include "theory/lipschitz.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/rng.h"
#include "theory/layer.h"

namespace sextant {
namespace {

constexpr Index kMostSteps = 200;
constexpr double kTolerance = 1e-6;

// Rows in random directions: of norm `radius` each.
EigenMatrix random_rows(Index n, Index dim, double radius, const Rng& rng) {
  EigenMatrix x(n, dim);
  std::uint64_t next = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < dim; ++j) x(i, j) = rng.normal(next++);
  x.rowwise().normalize();
  return radius * x;
}

EigenMatrix at_first_layer(const PositionTerms& terms, EigenMatrix x) {
  if (terms.rows().rows() > 0) x += as_eigen(terms.rows());
  return x;
}

// |J|_2 from below: |J v| of a unit v rises with every step of v <- J^T J v.
double spectral_norm(const LayerPass& pass, EigenMatrix v) {
  double before = 0.0;
  for (Index step = 0; step < kMostSteps; ++step) {
    v /= v.norm();
    const EigenMatrix pushed = pass.push(v);
    const double now = pushed.norm();
    if (std::isnan(now)) return now;
    if (now <= before * (1.0 + kTolerance)) return std::max(now, before);
    before = now;
    v = pass.pull(pushed);
  }
  return before;
}

// A layer at x, which gets the rows of the input table first.
struct FirstLayer {
  FirstLayer(const TransformerLayer& layer, const TransformerShape& shape, const Effects& effects,
             const Matrix& x)
      : terms(effects, shape, x.rows()), pass(layer, terms, at_first_layer(terms, as_eigen(x))) {}
  FirstLayer(const FirstLayer&) = delete;  // pass refers to terms
  FirstLayer& operator=(const FirstLayer&) = delete;

  PositionTerms terms;
  LayerPass pass;
};

void check_sizes(const TransformerShape& shape, const Matrix& x, const Matrix& change) {
  require(x.cols() == shape.dim, "layer", "tokens must have {} coordinates but have {}", shape.dim,
          x.cols());
  require(x.rows() == change.rows() && x.cols() == change.cols(), "layer",
          "a change must be {} x {} as its input but is {} x {}", x.rows(), x.cols(), change.rows(),
          change.cols());
}

}  // namespace

Matrix layer_pushforward(const TransformerLayer& layer, const TransformerShape& shape,
                         const Effects& effects, const Matrix& x, const Matrix& dx) {
  check_sizes(shape, x, dx);
  return to_matrix(FirstLayer(layer, shape, effects, x).pass.push(as_eigen(dx)));
}

Matrix layer_pullback(const TransformerLayer& layer, const TransformerShape& shape,
                      const Effects& effects, const Matrix& x, const Matrix& u) {
  check_sizes(shape, x, u);
  return to_matrix(FirstLayer(layer, shape, effects, x).pass.pull(as_eigen(u)));
}

double local_lipschitz(const TransformerLayer& layer, const TransformerShape& shape,
                       const Effects& effects, const Matrix& x, std::uint64_t seed) {
  check_sizes(shape, x, x);
  return spectral_norm(FirstLayer(layer, shape, effects, x).pass,
                       random_rows(x.rows(), shape.dim, 1.0, Rng(seed, 0)));
}

double layer_lipschitz(const TransformerLayer& layer, const TransformerShape& shape,
                       const Effects& effects, Index n, double radius, Index draws,
                       std::uint64_t seed) {
  require(n >= 1 && draws >= 1 && radius >= 0.0, "layer",
          "tokens, draws and radius must be positive but got {}, {} and {}", n, draws, radius);
  const PositionTerms terms(effects, shape, n);
  double largest = 0.0;
  for (Index i = 0; i < draws; ++i) {
    const auto stream = 2 * static_cast<std::uint64_t>(i);
    const EigenMatrix x =
        at_first_layer(terms, random_rows(n, shape.dim, radius, Rng(seed, stream)));
    const double norm = spectral_norm(LayerPass(layer, terms, x),
                                      random_rows(n, shape.dim, 1.0, Rng(seed, stream + 1)));
    if (std::isnan(norm)) return norm;
    largest = std::max(largest, norm);
  }
  return largest;
}

}  // namespace sextant
