// SPDX-License-Identifier: Apache-2.0
// Certificates of kernels: a finite sum of jets has a Hankel matrix of finite rank (Kronecker).
//
// n samples make a matrix of floor((n + 1) / 2) rows, square or with one column more, so that all
// of them count. Singular values count relative to the largest. For both signs of the lag the
// Toeplitz matrix K(i - j) is, with its columns reversed, the Hankel matrix of K from the farthest
// key ahead on: one method serves both.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "groups/jets.h"
#include "groups/shift.h"
#include "math/dense_svd.h"
#include "sextant/classify.h"

namespace sextant {
namespace {

void check(std::span<const double> k, std::span<const double> ahead, double noise) {
  const auto count = static_cast<Index>(k.size());
  require(count >= kLeastKernelSamples && count <= kMostKernelSamples, "kernel",
          "samples must be {} to {} but are {}", kLeastKernelSamples, kMostKernelSamples, count);
  require(ahead.empty() || ahead.size() == k.size(), "kernel",
          "lags ahead must be as many as behind, {}, but are {}", k.size(), ahead.size());
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(k.begin(), k.end(), finite) || !std::all_of(ahead.begin(), ahead.end(), finite))
    fail(ErrorCode::kNumeric, "kernel", "values must be finite");
  if (ahead.empty()) return;
  const double size = as_eigen(k).cwiseAbs().maxCoeff();
  require(std::abs(ahead.front() - k.front()) <= allowance(noise, 1) * size, "kernel",
          "both sides must start with K(0) but start with {} and {}", k.front(), ahead.front());
}

// K from lag -(n-1) to n-1, or from 0 on where there is one side; the largest is 1, so that nothing
// overflows on the way.
Vector sequence(std::span<const double> k, std::span<const double> ahead) {
  Vector result;
  for (std::size_t i = ahead.size(); i > 1; --i) result.push_back(ahead[i - 1]);
  result.insert(result.end(), k.begin(), k.end());
  const double largest = as_eigen(std::span<const double>(result)).cwiseAbs().maxCoeff();
  if (largest > 0.0)
    for (double& value : result) value /= largest;
  return result;
}

// First at the tolerance that decides, then at coarser ones.
std::vector<KernelCertificate::Rank> ranks(const Eigen::VectorXd& singular_values, double noise) {
  const double allowed = allowance(noise, singular_values.size());
  std::vector<KernelCertificate::Rank> result = {numerical_rank(singular_values, allowed)};
  for (const double tolerance : {1e-12, 1e-10, 1e-8, 1e-6, 1e-3})
    if (tolerance > allowed) result.push_back(numerical_rank(singular_values, tolerance));
  return result;
}

DenseSvd decomposed(std::span<const double> k) {
  const auto count = static_cast<Index>(k.size());
  const Index rows = (count + 1) / 2;
  return dense_svd(hankel_matrix(k, rows, count + 1 - rows));
}

// Decides by `rank` of the matrix of the whole sequence, whose first lag is `first`.
void decide(const DenseSvd& svd, const KernelCertificate::Rank& rank, const Vector& all,
            double first, KernelCertificate& result) {
  const Index side = svd.values.size();
  const double allowed = rank.tolerance;
  const std::string_view matrix = result.two_sided ? "Toeplitz" : "Hankel";
  if (rank.rank == 0) {
    result.finite = true;
    result.reason = "the kernel is zero";
    return;
  }
  if (2 * rank.rank > side || !clear_gap(rank)) {
    result.reason = fmt::format(
        "the {} matrix has rank {} of {} at tolerance {:.2g} with a gap of {:.2g} only: no finite "
        "sum of jets shows in {} samples",
        matrix, rank.rank, side, allowed, rank.gap, result.samples);
    return;
  }
  const double spread = svd.values(0) / svd.values(rank.rank - 1);
  const double uncertain = std::min(0.1, allowed * spread);
  const EigenMatrix z = shift_of_range(svd.u, rank.rank);
  std::vector<BlockFamily> exponents = exponents_of_shift(z, uncertain);
  if (exponents.empty()) {
    result.reason = fmt::format(
        "the {} matrix has rank {}, but its shift is singular: the kernel ends, as no group does",
        matrix, rank.rank);
    return;
  }
  Vector lags;
  for (std::size_t i = 0; i < all.size(); ++i) lags.push_back(first + static_cast<double>(i));
  result.residual = fit_jets(exponents, lags, all).residual;
  result.finite = result.residual <= uncertain;
  result.reason = result.finite
                      ? fmt::format("rank {} of {} with a gap of {:.2g}: {} (residual {:.2g})",
                                    rank.rank, side, rank.gap, describe(exponents), result.residual)
                      : fmt::format("{} of rank {} misses the kernel by {:.2g}",
                                    describe(exponents), rank.rank, result.residual);
  if (result.finite) result.exponents = std::move(exponents);
}

}  // namespace

KernelCertificate certify_kernel(std::span<const double> k, std::span<const double> ahead,
                                 const ClassifyOptions& options) {
  check(k, ahead, options.noise);
  KernelCertificate result;
  result.samples = static_cast<Index>(k.size());
  result.two_sided = !ahead.empty();
  const Vector all = sequence(k, ahead);
  const DenseSvd behind = decomposed(std::span(all).last(k.size()));
  const Eigen::VectorXd& values = behind.values;
  result.hankel = ranks(values, options.noise);
  for (const double value : values)
    result.singular_values.push_back(values(0) > 0.0 ? value / values(0) : 0.0);
  if (options.progress) options.progress(0.5);
  if (result.two_sided) {
    const DenseSvd both = decomposed(all);
    result.toeplitz = ranks(both.values, options.noise);
    decide(both, result.toeplitz.front(), all, 1.0 - static_cast<double>(k.size()), result);
  } else {
    decide(behind, result.hankel.front(), all, 0.0, result);
  }
  if (options.progress) options.progress(1.0);
  return result;
}

}  // namespace sextant
