// SPDX-License-Identifier: Apache-2.0
#include "math/exponential_family.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "math/eigen_map.h"
#include "math/real_schur.h"

namespace sextant {
namespace {

constexpr double kLargestEntry = 0x1p500;

Columns by_columns(const Matrix& m) {
  Columns result(m.rows(), m.cols());
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) result.col(j)[i] = m(i, j);
  return result;
}

Columns transposed(const Columns& m) {
  Columns result(m.rows, m.rows);
  for (Index i = 0; i < m.rows; ++i)
    for (Index j = 0; j < m.rows; ++j) result.col(j)[i] = m.col(i)[j];
  return result;
}

auto column(const Columns& m, Index j) {
  return Eigen::Map<const Eigen::VectorXd>(m.col(j), m.rows);
}

// The columns summed with these weights, always from the first to the last: what BLAS adds in which
// order depends on how many vectors there are.
void combine(const Columns& m, std::span<const double> weights, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (Index j = 0; j < m.rows; ++j)
    as_eigen(out) += weights[static_cast<std::size_t>(j)] * column(m, j);
}

// The norm of all that stands beside the blocks of the diagonal.
double coupling_norm(const Columns& t, const std::vector<SchurBlock>& blocks) {
  double sum = 0.0;
  for (const SchurBlock& block : blocks)
    for (Index j = block.at; j < block.at + block.dim(); ++j)
      sum += column(t, j).head(block.at).squaredNorm();
  return std::sqrt(sum);
}

// Q is orthogonal to some units in the last place per rotation that made it; about d of them meet
// in an entry.
bool is_rounding(double coupling, const Columns& t) {
  const double unit = std::numeric_limits<double>::epsilon() * as_eigen(std::span(t.values)).norm();
  return coupling <= 4.0 * (4.0 + std::sqrt(static_cast<double>(t.rows))) * unit;
}

bool is_skew(const Matrix& x) {
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j <= i; ++j)
      if (x(i, j) != -x(j, i)) return false;
  return true;
}

// A skew X has no real parts, and pairs that turn: so A(t) is orthogonal for every t.
void make_skew(std::vector<SchurBlock>& blocks) {
  for (SchurBlock& block : blocks) {
    block.decay = 0.0;
    block.lower = 0.5 * (block.lower - block.upper);
    block.upper = -block.lower;
    block.frequency = std::abs(block.lower);
  }
}

}  // namespace

ExponentialFamily::ExponentialFamily(Matrix generator) : generator_(std::move(generator)) {
  const Index d = generator_.rows();
  require(d == generator_.cols() && d > 0, "generator", "matrix must be square but got {} x {}", d,
          generator_.cols());
  for (const double x : generator_.values())
    if (!(std::abs(x) <= kLargestEntry))
      fail(ErrorCode::kNumeric, "generator", "entries must stay below 2^500 but one is {}", x);
  Columns t = by_columns(generator_);
  q_ = Columns(d, d);
  to_real_schur(d, t.col(0), q_.col(0));
  q_transposed_ = transposed(q_);
  blocks_ = schur_blocks(t);
  if (!is_rounding(coupling_norm(t, blocks_), t))
    coupled_.emplace(std::move(t));
  else if (is_skew(generator_))
    make_skew(blocks_);
}

Matrix ExponentialFamily::at(double t) const {
  const Index d = dim();
  Columns left;  // Q exp(tT)^T: the rows of Q exp(tT) Q^T are the columns of this times Q^T
  if (coupled_) {
    const Columns middle = transposed(coupled_->at(t));
    left = Columns(d, d);
    multiply(d, d, d, 1.0, q_.col(0), d, middle.col(0), d, 0.0, left.col(0), d);
  } else {
    left = q_;
    for (const SchurBlock& block : blocks_) {
      const BlockExponential e = exponential(block, t);
      Eigen::Map<Eigen::MatrixXd> columns(left.col(block.at), d, block.dim());
      if (block.pair()) {
        Eigen::Matrix2d rows;
        rows << e.diagonal, e.lower, e.upper, e.diagonal;
        columns = (columns.leftCols<2>() * rows).eval();
      } else {
        columns *= e.diagonal;
      }
    }
  }
  Matrix result(d, d);
  multiply(d, d, d, 1.0, left.col(0), d, q_transposed_.col(0), d, 0.0, result.values().data(), d);
  return result;
}

std::vector<Matrix> ExponentialFamily::at(std::span<const double> t) const {
  std::vector<Matrix> result;
  result.reserve(t.size());
  for (const double time : t) result.push_back(at(time));
  return result;
}

Vector ExponentialFamily::to_schur_basis(std::span<const double> x) const {
  require(static_cast<Index>(x.size()) == dim(), "generator",
          "vector must have {} entries but has {}", dim(), x.size());
  Vector z(x.size());
  combine(q_transposed_, x, z);
  return z;
}

Vector ExponentialFamily::in_schur_basis(double t, bool transposed_map, const Vector& z) const {
  Vector result(z.size());
  if (coupled_) {
    combine(transposed_map ? transposed(coupled_->at(t)) : coupled_->at(t), z, result);
    return result;
  }
  for (const SchurBlock& block : blocks_) {
    BlockExponential e = exponential(block, t);
    if (transposed_map) std::swap(e.upper, e.lower);
    const auto i = static_cast<std::size_t>(block.at);
    result[i] = e.diagonal * z[i];
    if (!block.pair()) continue;
    result[i] += e.upper * z[i + 1];
    result[i + 1] = e.lower * z[i] + e.diagonal * z[i + 1];
  }
  return result;
}

void ExponentialFamily::apply(double t, bool transposed_map, std::span<double> x) const {
  combine(q_, in_schur_basis(t, transposed_map, to_schur_basis(x)), x);
}

void ExponentialFamily::apply(double t, std::span<double> x) const { apply(t, false, x); }

void ExponentialFamily::apply_transposed(double t, std::span<double> x) const { apply(t, true, x); }

Matrix ExponentialFamily::apply(std::span<const double> t, std::span<const double> x) const {
  const Vector z = to_schur_basis(x);
  Matrix result(static_cast<Index>(t.size()), dim());
  for (std::size_t i = 0; i < t.size(); ++i)
    combine(q_, in_schur_basis(t[i], false, z), result.row(static_cast<Index>(i)));
  return result;
}

}  // namespace sextant
