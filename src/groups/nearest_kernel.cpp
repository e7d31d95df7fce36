// SPDX-License-Identifier: Apache-2.0
// The nearest sum of jets of a given shape: variable projection. Coefficients are linear and solved
// for; decays and frequencies move by Levenberg-Marquardt with Kaufman's Jacobian (BIT 15, 1975),
// from starts that the Hankel matrix and a fixed grid propose, part by part.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include "base/check.h"
#include "groups/jets.h"
#include "groups/shift.h"
#include "math/complex_schur.h"
#include "math/dense_svd.h"
#include "sextant/classify.h"

namespace sextant {
namespace {

using Blocks = std::vector<BlockFamily>;
using Starts = std::vector<std::pair<double, double>>;  // decay, frequency

constexpr int kMostSteps = 100;
constexpr double kLeastFrequency = 1e-6;  // a part that rotates keeps its sine
constexpr double kLargestGrowth = 600.0;  // e^(decay lag) stays a finite number
constexpr Index kMoreExponents[] = {0, 2, 6};

// Least squares of n samples and w columns is n w^2 of work.
constexpr double kSecondsPerWork = 4e-9;
constexpr double kMostFitWork = 7.5e10;

bool rotates(BlockKind kind) {
  return kind == BlockKind::kRotation || kind == BlockKind::kSpiral ||
         kind == BlockKind::kComplexJordan;
}
bool has_free_decay(BlockKind kind) {
  return kind != BlockKind::kNone && kind != BlockKind::kRotation;
}

Index columns(const FamilyShape::Part& part) { return part.size * (rotates(part.kind) ? 2 : 1); }

// Coefficients, decay and frequency.
Index free_numbers(const FamilyShape::Part& part) {
  return columns(part) + (has_free_decay(part.kind) ? 1 : 0) + (rotates(part.kind) ? 1 : 0);
}

// The nearest numbers that the part may have.
BlockFamily admitted(const FamilyShape::Part& part, double decay, double frequency, double span) {
  const double most = kLargestGrowth / span;
  decay = has_free_decay(part.kind) ? std::clamp(decay, -most, most) : 0.0;
  if (part.kind == BlockKind::kDecay) decay = std::min(decay, 0.0);
  if (part.kind == BlockKind::kGrowth) decay = std::max(decay, 0.0);
  frequency =
      rotates(part.kind) ? std::clamp(std::abs(frequency), kLeastFrequency, std::numbers::pi) : 0.0;
  return {.kind = part.kind, .decay = decay, .frequency = frequency, .size = part.size};
}

class ShapeFit {
 public:
  ShapeFit(std::span<const double> k, const FamilyShape& shape) : k_(k), parts_(shape.parts) {
    for (std::size_t i = 0; i < k.size(); ++i) lags_.push_back(static_cast<double>(i));
    for (const FamilyShape::Part& part : parts_) width_ += columns(part);
    for (const double decay : {0.0, -0.5, -2.0, -8.0, -32.0, 1.0, 4.0})
      for (const double frequency : {0.005, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9})
        starts_.emplace_back(decay / span(), frequency * std::numbers::pi);
    check_work();
    propose();
  }

  // The best of both orders of choosing.
  Blocks best() const {
    std::vector<std::size_t> order(parts_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const Blocks one = refined(chosen(order));
    std::reverse(order.begin(), order.end());
    const Blocks other = refined(chosen(order));
    return residual(other) < residual(one) ? other : one;
  }

  JetFit fit(const Blocks& blocks) const { return fit_jets(blocks, lags_, k_); }

 private:
  double span() const { return lags_.back(); }
  double residual(const Blocks& blocks) const { return fit(blocks).residual; }

  // Refuses what would take too long, before it is begun.
  void check_work() const {
    Index proposed = 0;
    for (const Index more : kMoreExponents) proposed += width_ + more;
    const auto squares = [&](auto begin, auto end) {
      double sum = 0.0, width = 0.0;
      for (auto part = begin; part != end; ++part) {
        width += static_cast<double>(columns(*part));
        const bool fixed = part->kind == BlockKind::kNone;
        sum +=
            width * width * static_cast<double>(starts_of(*part).size() + (fixed ? 0 : proposed));
      }
      return sum + 2.0 * kMostSteps * width * width;
    };
    const double work = static_cast<double>(k_.size()) * (squares(parts_.begin(), parts_.end()) +
                                                          squares(parts_.rbegin(), parts_.rend()));
    if (work > kMostFitWork)
      fail(
          ErrorCode::kRefused, "nearest",
          "{} samples and a shape of {} parts must take at most {:.0f} minutes but may take {:.0f}",
          k_.size(), parts_.size(), kMostFitWork * kSecondsPerWork / 60.0,
          work * kSecondsPerWork / 60.0);
  }

  // Exponents of the Hankel matrix are tried before the grid.
  void propose() {
    Starts found;
    const auto side = static_cast<Index>((k_.size() + 1) / 2);
    const DenseSvd svd = dense_svd(hankel_matrix(k_, side, side));
    for (const Index more : kMoreExponents) {
      if (width_ + more >= side) break;
      const EigenMatrix z = shift_of_range(svd.u, width_ + more);
      if (!z.allFinite()) continue;
      const ComplexSchur schur(to_matrix(z));
      for (Index i = 0; i < schur.dim(); ++i) {
        const Complex value = schur.eigenvalue(i);
        if (std::abs(value) > 0.0 && value.imag() >= 0.0)
          found.emplace_back(std::log(std::abs(value)), std::arg(value));
      }
    }
    starts_.insert(starts_.begin(), found.begin(), found.end());
  }

  // What the starts become for this part, each once.
  Blocks starts_of(const FamilyShape::Part& part) const {
    Blocks result;
    std::set<std::pair<double, double>> seen;
    for (const auto& [decay, frequency] : starts_) {
      const BlockFamily block = admitted(part, decay, frequency, span());
      if (seen.emplace(block.decay, block.frequency).second) result.push_back(block);
    }
    return result;
  }

  // Parts one after another, each at the start that helps the most.
  Blocks chosen(const std::vector<std::size_t>& order) const {
    Blocks blocks(parts_.size());
    Blocks so_far;
    for (const std::size_t p : order) {
      double least = std::numeric_limits<double>::infinity();
      const Blocks starts = starts_of(parts_[p]);
      blocks[p] = starts.front();
      so_far.emplace_back();
      for (const BlockFamily& start : starts) {
        so_far.back() = start;
        const double off = residual(so_far);
        if (!(off < least)) continue;
        least = off;
        blocks[p] = start;
      }
      so_far.back() = blocks[p];
    }
    return blocks;
  }

  // Derivatives of the residual by every free number, the coefficients following. [n, free]
  Eigen::MatrixXd jacobian(const Blocks& blocks, const JetFit& fit) const {
    const auto n = static_cast<Index>(k_.size());
    const auto lag = as_eigen(std::span(lags_)).array();
    std::vector<Eigen::VectorXd> moves;
    Eigen::MatrixXd all(n, 0);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      Eigen::MatrixXd own = jet_columns(blocks[b], lags_);
      const Eigen::VectorXd c = as_eigen(std::span(fit.coefficients[b]));
      if (has_free_decay(blocks[b].kind)) moves.emplace_back((lag * (own * c).array()).matrix());
      if (rotates(blocks[b].kind)) {
        Eigen::VectorXd turned(c.size());
        for (Index i = 0; i < c.size(); i += 2) {
          turned(i) = c(i + 1);
          turned(i + 1) = -c(i);
        }
        moves.emplace_back((lag * (own * turned).array()).matrix());
      }
      all.conservativeResize(n, all.cols() + own.cols());
      all.rightCols(own.cols()) = own;
    }
    Eigen::MatrixXd result(n, static_cast<Index>(moves.size()));
    for (std::size_t m = 0; m < moves.size(); ++m) result.col(static_cast<Index>(m)) = moves[m];
    for (Index j = 0; j < all.cols(); ++j) all.col(j).stableNormalize();
    const DenseSvd svd = dense_svd(all);
    const auto range = svd.u.leftCols(numerical_rank(svd.values, 1e-13).rank);
    result -= range * (range.transpose() * result).eval();
    return result;
  }

  Blocks moved(const Blocks& blocks, const Eigen::VectorXd& step) const {
    Blocks result;
    Index at = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const BlockKind kind = blocks[b].kind;
      const double decay = blocks[b].decay + (has_free_decay(kind) ? step(at++) : 0.0);
      const double frequency = blocks[b].frequency + (rotates(kind) ? step(at++) : 0.0);
      result.push_back(admitted(parts_[b], decay, frequency, span()));
    }
    return result;
  }

  Blocks refined(Blocks blocks) const {
    const Eigen::VectorXd target = as_eigen(k_);
    double damping = 1e-3;
    JetFit here = fit(blocks);
    for (int step = 0; step < kMostSteps && damping < 1e12 && std::isfinite(here.residual);
         ++step) {
      const Eigen::MatrixXd j = jacobian(blocks, here);
      if (j.cols() == 0) break;
      Eigen::MatrixXd normal = j.transpose() * j;
      normal.diagonal() *= 1.0 + damping;
      const Eigen::VectorXd change =
          dense_svd(normal).solve(j.transpose() * (target - here.fitted)).col(0);
      const Blocks next = change.allFinite() ? moved(blocks, change) : blocks;
      JetFit there = fit(next);
      const bool better = there.residual < here.residual;
      damping *= better ? 0.2 : 5.0;
      if (!better) continue;
      blocks = next;
      here = std::move(there);
    }
    return blocks;
  }

  std::span<const double> k_;
  const std::vector<FamilyShape::Part>& parts_;
  Vector lags_;
  Index width_ = 0;  // columns of all parts
  Starts starts_;
};

}  // namespace

NearestKernel nearest_kernel(std::span<const double> k, const FamilyShape& shape) {
  const auto count = static_cast<Index>(k.size());
  Index least = 0;
  for (const FamilyShape::Part& part : shape.parts) least += free_numbers(part);
  least = std::max(least, kLeastKernelSamples);
  require(!shape.parts.empty(), "nearest", "shape must have a part");
  require(count >= least && count <= kMostKernelSamples, "nearest",
          "samples must be {} to {} for this shape but are {}", least, kMostKernelSamples, count);
  if (!as_eigen(k).allFinite()) fail(ErrorCode::kNumeric, "nearest", "samples must be finite");
  const ShapeFit search(k, shape);
  NearestKernel result;
  result.blocks = search.best();
  JetFit fit = search.fit(result.blocks);
  if (!std::isfinite(fit.residual))
    fail(ErrorCode::kNumeric, "nearest", "jets must stay finite over {} lags", count);
  for (BlockFamily& block : result.blocks)
    block.kind = block_kind(block.decay, block.frequency, block.size);
  result.coefficients = std::move(fit.coefficients);
  result.residual = fit.residual;
  result.fitted.assign(fit.fitted.begin(), fit.fitted.end());
  return result;
}

}  // namespace sextant
