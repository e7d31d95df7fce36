// SPDX-License-Identifier: Apache-2.0
#include "sextant/group.h"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/rounding.h"
#include "math/double_double.h"
#include "math/eigen_map.h"
#include "math/elementary.h"
#include "math/exponential_family.h"

namespace sextant {
namespace {

const double kLogOfLargestDouble = 709.78;

void check_blocks(const std::vector<JordanBlock>& blocks) {
  require(!blocks.empty(), "group", "blocks must not be empty");
  for (const JordanBlock& block : blocks) {
    require(block.size >= 1, "group", "block size must be at least 1 but got {}", block.size);
    require(std::isfinite(block.decay) && std::isfinite(block.frequency.high) &&
                std::isfinite(block.coupling),
            "group", "decay, frequency and coupling must be finite");
  }
}

Index total_dim(const std::vector<JordanBlock>& blocks) {
  Index dim = 0;
  for (const JordanBlock& block : blocks) dim += block.dim();
  return dim;
}

// e^(decay t); a growth that does not fit a double is refused before anything is multiplied.
double growth(const JordanBlock& block, double t) {
  if (block.decay == 0.0) return 1.0;
  const DoubleDouble exponent = DoubleDouble(block.decay) * t;
  if (exponent.high > kLogOfLargestDouble)
    fail(ErrorCode::kNumeric, "group",
         "exp({:.6g} * {:.6g}) must fit a double; count positions from a nearer origin",
         block.decay, t);
  return to_double(exp(exponent));
}

// x <- A(t) x, or A(t)^T x when `transposed`, over one chain; link i of the chain reads the links
// j >= i (j <= i when transposed), so working from that end needs no copy.
void apply_block(const JordanBlock& block, double t, double polynomial_t, bool transposed,
                 std::span<double> x) {
  const Index width = block.complex() ? 2 : 1;
  const double scale = growth(block, t);
  const CosSin turn = block.complex() ? cos_sin(t, block.frequency) : CosSin{1.0, 0.0};
  const double c = scale * to_double(turn.cos);
  const double s = scale * to_double(turn.sin) * (transposed ? -1.0 : 1.0);

  for (Index step = 0; step < block.size; ++step) {
    const Index i = transposed ? block.size - 1 - step : step;
    std::array<double, 2> sum = {};
    double weight = 1.0;  // (coupling t)^m / m!
    for (Index m = 0; m < block.size - step; ++m) {
      const Index j = transposed ? i - m : i + m;
      for (Index w = 0; w < width; ++w)
        sum[static_cast<std::size_t>(w)] += weight * x[static_cast<std::size_t>(j * width + w)];
      weight *= block.coupling * polynomial_t / static_cast<double>(m + 1);
    }
    const auto out = static_cast<std::size_t>(i * width);
    x[out] = c * sum[0] - s * sum[1];
    if (width == 2) x[out + 1] = s * sum[0] + c * sum[1];
  }
}

}  // namespace

OneParameterGroup::OneParameterGroup(std::vector<JordanBlock> blocks, std::vector<Index> order)
    : blocks_(std::move(blocks)), order_(std::move(order)) {
  check_blocks(blocks_);
  dim_ = total_dim(blocks_);
  if (order_.empty()) {
    order_.resize(static_cast<std::size_t>(dim_));
    std::iota(order_.begin(), order_.end(), 0);
  }
  require(static_cast<Index>(order_.size()) == dim_, "group",
          "order must have {} entries but got {}", dim_, order_.size());
  std::vector<bool> seen(order_.size());
  for (const Index i : order_) {
    require(i >= 0 && i < dim_ && !seen[static_cast<std::size_t>(i)], "group",
            "order must be a permutation of 0..{}", dim_ - 1);
    seen[static_cast<std::size_t>(i)] = true;
  }
}

OneParameterGroup OneParameterGroup::in_basis(std::vector<JordanBlock> blocks, Matrix basis) {
  OneParameterGroup group(std::move(blocks));
  require(basis.rows() == group.dim_ && basis.cols() == group.dim_, "group",
          "basis must be {0} x {0} but got {1} x {2}", group.dim_, basis.rows(), basis.cols());
  const auto b = as_eigen(std::as_const(basis));
  const double defect = (b.transpose() * b - EigenMatrix::Identity(group.dim_, group.dim_)).norm();
  const double tolerance = 1e-12 * static_cast<double>(group.dim_);
  require(defect <= tolerance, "group", "basis must be orthonormal but is off by {:.3g}", defect);
  group.basis_ = std::move(basis);
  return group;
}

OneParameterGroup OneParameterGroup::from_generator(Matrix generator) {
  OneParameterGroup group;
  group.dense_ = std::make_shared<const ExponentialFamily>(std::move(generator));
  group.dim_ = group.dense_->dim();
  return group;
}

void OneParameterGroup::apply(double t, double polynomial_t, bool transposed,
                              std::span<double> x) const {
  require(static_cast<Index>(x.size()) == dim_, "group", "vector must have {} entries but has {}",
          dim_, x.size());
  if (dense_) return transposed ? dense_->apply_transposed(t, x) : dense_->apply(t, x);
  if (basis_) as_eigen(x) = (as_eigen(*basis_).transpose() * as_eigen(x)).eval();
  Vector chain;
  std::size_t start = 0;
  for (const JordanBlock& block : blocks_) {
    const auto dim = static_cast<std::size_t>(block.dim());
    if (!block.trivial()) {
      chain.resize(dim);
      for (std::size_t i = 0; i < dim; ++i)
        chain[i] = x[static_cast<std::size_t>(order_[start + i])];
      apply_block(block, t, polynomial_t, transposed, chain);
      for (std::size_t i = 0; i < dim; ++i)
        x[static_cast<std::size_t>(order_[start + i])] = chain[i];
    }
    start += dim;
  }
  if (basis_) as_eigen(x) = (as_eigen(*basis_) * as_eigen(x)).eval();
}

void OneParameterGroup::apply_to_query(double t, std::span<double> x) const {
  apply(t, t, true, x);
}

void OneParameterGroup::apply_to_key(double t, std::span<double> x) const {
  apply(-t, -t, false, x);
}

Matrix OneParameterGroup::generator() const {
  if (dense_) return dense_->generator();
  Matrix x(dim_, dim_);
  std::size_t start = 0;
  for (const JordanBlock& block : blocks_) {
    const Index width = block.complex() ? 2 : 1;
    const auto at = [&](Index i, Index j) -> double& {
      return x(order_[start + static_cast<std::size_t>(i)],
               order_[start + static_cast<std::size_t>(j)]);
    };
    for (Index i = 0; i < block.dim(); ++i) at(i, i) = block.decay;
    for (Index i = 0; i + width < block.dim(); ++i) at(i, i + width) = block.coupling;
    for (Index i = 0; width == 2 && i < block.dim(); i += 2) {
      at(i, i + 1) = -block.frequency.high;
      at(i + 1, i) = block.frequency.high;
    }
    start += static_cast<std::size_t>(block.dim());
  }
  if (basis_)
    as_eigen(x) = (as_eigen(*basis_) * as_eigen(x) * as_eigen(*basis_).transpose()).eval();
  return x;
}

Matrix OneParameterGroup::matrix(double t, double polynomial_t) const {
  if (dense_) return dense_->at(t);
  Matrix transposed = Matrix::identity(dim_);
  for (Index column = 0; column < dim_; ++column)
    apply(t, polynomial_t, false, transposed.row(column));
  as_eigen(transposed).transposeInPlace();
  return transposed;
}

}  // namespace sextant
