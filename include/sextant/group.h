// SPDX-License-Identifier: Apache-2.0
// One-parameter matrix groups A(t) = exp(tX).
//
// A linear, translation-invariant, continuous encoding of queries and keys is such a group, up to
// a change of basis that the projections W_Q, W_K absorb. Rotations give RoPE, real eigenvalues
// give decay, and blocks with size > 1 give the non-diagonalisable family (polynomial in t).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sextant/double_double.h"
#include "sextant/matrix.h"

namespace sextant {

// Eigenvalue decay +- i*frequency with a Jordan chain of `size` links; the links are coupled by
// `coupling` (1 in the textbook form). A(t) of the block is, for links i <= j,
//   e^(decay t) R(frequency t) (coupling t)^(j-i) / (j-i)!
// with R the rotation by its angle, or 1 when the block is real.
struct JordanBlock {
  double decay = 0.0;            // real part; negative decays with the lag
  DoubleDouble frequency = 0.0;  // radians per position
  Index size = 1;                // links, not real dimensions
  double coupling = 1.0;
  bool rotates = false;  // two real coordinates per link even where the frequency is 0

  bool complex() const { return rotates || frequency.high != 0.0; }
  Index dim() const { return complex() ? 2 * size : size; }
  bool trivial() const { return decay == 0.0 && frequency.high == 0.0 && size == 1; }
};

class ExponentialFamily;  // src/math/exponential_family.h

class OneParameterGroup {
 public:
  // Blocks along the diagonal. Coordinate i of the blocks is coordinate order[i] of the vector;
  // an empty order is the identity. Throws kUsage for a size below 1, a value that is not finite,
  // or an order that is no permutation.
  explicit OneParameterGroup(std::vector<JordanBlock> blocks, std::vector<Index> order = {});

  // The same in another orthonormal basis: A(t) = basis exp(tJ) basis^T, [dim, dim].
  static OneParameterGroup in_basis(std::vector<JordanBlock> blocks, Matrix basis);

  // Any real generator X, [dim, dim]; blocks() is empty. X is decomposed here, once, in O(dim^3);
  // copies share the result. A query or key then costs O(dim^2) where X is normal and O(dim^3)
  // where it is not. Rounding errors grow with t |X|. Throws kNumeric where X is not finite; asking
  // for A(t) does where it overflows or means nothing.
  static OneParameterGroup from_generator(Matrix generator);

  Index dim() const { return dim_; }
  const std::vector<JordanBlock>& blocks() const { return blocks_; }
  const std::vector<Index>& order() const { return order_; }

  // x <- A(t)^T x, what a query at t receives. Then <query(s), key(t)> = q^T A(s - t) k.
  void apply_to_query(double t, std::span<double> x) const;

  // x <- A(-t) x, what a key at t receives. Cost O(dim) when every block has size 1.
  void apply_to_key(double t, std::span<double> x) const;

  // Dense X and dense A(t). For tests, plots and classification, never for attention.
  Matrix generator() const;
  Matrix matrix(double t) const { return matrix(t, t); }

  // A(t) with another time in the polynomial factors (coupling * polynomial_t)^r / r!. With a
  // bounded polynomial_t a Jordan block stays bounded, and the family is no group any more.
  Matrix matrix(double t, double polynomial_t) const;

 private:
  OneParameterGroup() = default;
  void apply(double t, double polynomial_t, bool transposed, std::span<double> x) const;

  std::vector<JordanBlock> blocks_;
  std::vector<Index> order_;
  std::optional<Matrix> basis_;
  std::shared_ptr<const ExponentialFamily> dense_;
  Index dim_ = 0;
};

}  // namespace sextant
