// SPDX-License-Identifier: Apache-2.0
// Table 3 of Jordan-RoPE: columns of each scheme are fitted to three targets on lags below 1024 by
// ridge regression; the mean square error is taken on lags below 8192. The solver is not stated.
// Both Jordan rows fit a float32 one, whose noise their condition numbers amplify.
#include <fmt/format.h>

#include <Eigen/QR>
#include <array>
#include <cmath>
#include <functional>

#include "groups/jets.h"
#include "math/dense_svd.h"
#include "sextant/classify.h"
#include "training/reproduction.h"

namespace sextant {
namespace {

constexpr Index kFitted = 1024;
constexpr Index kEvaluated = 8192;
constexpr double kLength = 1024.0;  // L: polynomial factors are (lag/L)^r
constexpr double kRidge = 1e-4;
constexpr double kGamma = 1e-4;  // damping
constexpr Index kFrequencies = 16;
constexpr Index kTarget = 3;  // the targets turn with w_3
constexpr double kIllConditioned = 1e4;

double frequency(Index k) { return std::pow(1e4, -2.0 * static_cast<double>(k) / 64.0); }

// The columns of one scheme are the jets of its blocks and perhaps a bias, lag/L, beside a constant
// that all schemes have.
struct Scheme {
  std::string_view name;
  std::vector<BlockFamily> blocks;
  bool bias;
  std::array<std::string_view, 3> published;
};

std::vector<BlockFamily> rotations(double decay, Index size) {
  std::vector<BlockFamily> blocks;
  for (Index k = 0; k < kFrequencies; ++k)
    blocks.push_back({block_kind(decay, frequency(k), size), decay, frequency(k), size, 1});
  return blocks;
}

// The published direct sum is read as rotations beside a nilpotent block, whose columns 1 and lag/L
// repeat the constant: the problem is singular but for the ridge.
std::vector<Scheme> schemes() {
  std::vector<BlockFamily> direct_sum = rotations(0.0, 1);
  direct_sum.push_back({BlockKind::kRealJordan, 0.0, 0.0, 2, 1});
  return {{"RoPE", rotations(0.0, 1), false, {"0.000", "17.618", "8.791"}},
          {"damped RoPE", rotations(-kGamma, 1), false, {"0.054", "17.583", "9.510"}},
          {"RoPE + ALiBi", rotations(0.0, 1), true, {"0.000", "0.000", "8.791"}},
          {"ALiBi", {}, true, {"0.505", "0.000", "10.666"}},
          {"direct sum", direct_sum, false, {"0.000", "0.000", "8.819"}},
          {"raw Jordan", rotations(-kGamma, 2), false, {"0.004", "462.0", "1.975"}}};
}

struct Target {
  std::string_view name;
  std::function<double(double)> at;
};

std::array<Target, 3> targets() {
  const double w = frequency(kTarget);
  return {{{"cos(w lag)", [w](double lag) { return std::cos(w * lag); }},
           {"-lag/L", [](double lag) { return -lag / kLength; }},
           {"(lag/L) cos(w lag)", [w](double lag) { return lag / kLength * std::cos(w * lag); }}}};
}

// One row per lag. Jets are taken of lag/L, which makes their polynomial factors (lag/L)^r.
Eigen::MatrixXd columns(const Scheme& scheme, Index lags) {
  Vector parts;
  for (Index i = 0; i < lags; ++i) parts.push_back(static_cast<double>(i) / kLength);
  Eigen::MatrixXd result = Eigen::MatrixXd::Ones(lags, 1);
  const auto append = [&result](const Eigen::MatrixXd& more) {
    result.conservativeResize(Eigen::NoChange, result.cols() + more.cols());
    result.rightCols(more.cols()) = more;
  };
  if (scheme.bias) append(as_eigen(std::span<const double>(parts)));
  for (BlockFamily block : scheme.blocks) {
    block.decay *= kLength;
    block.frequency *= kLength;
    append(jet_columns(block, parts));
  }
  return result;
}

// argmin |A x - y|^2 + ridge |x|^2, by QR of [A; sqrt(ridge) I]: no squared condition number.
Eigen::VectorXd ridge_solution(const Eigen::MatrixXd& a, const Eigen::VectorXd& y) {
  const Index width = a.cols();
  Eigen::MatrixXd stacked(a.rows() + width, width);
  stacked << a, std::sqrt(kRidge) * Eigen::MatrixXd::Identity(width, width);
  Eigen::VectorXd right(stacked.rows());
  right << y, Eigen::VectorXd::Zero(width);
  return stacked.colPivHouseholderQr().solve(right);
}

Eigen::VectorXd samples(const Target& target, Index lags) {
  Eigen::VectorXd result(lags);
  for (Index i = 0; i < lags; ++i) result(i) = target.at(static_cast<double>(i));
  return result;
}

constexpr ReproductionInfo kInfo = {
    .name = "jordan-rope",
    .source = "Jordan-RoPE, 2026, arXiv:2605.04217, table 3",
    .method =
        "ridge 1e-4 on lags 0..1023, mean square error on 0..8191; 16 frequencies 1e4^(-2k/64), "
        "w = w_3, L = 1024, damping 1e-4, a constant in every scheme; doubles, QR"};

std::vector<PublishedCell> cells() {
  std::vector<PublishedCell> result;
  for (const Scheme& scheme : schemes()) {
    std::size_t at = 0;
    for (const Target& target : targets())
      result.push_back(computed_cell(fmt::format("{} / {}", scheme.name, target.name), "table 3",
                                     scheme.published[at++], "in doubles, by QR"));
  }
  return result;
}

void compute(std::span<PublishedCell> cells, const ReproductionContext&) {
  std::size_t at = 0;
  for (const Scheme& scheme : schemes()) {
    const Eigen::MatrixXd fitted = columns(scheme, kFitted);
    const Eigen::MatrixXd evaluated = columns(scheme, kEvaluated);
    const Eigen::VectorXd singular = singular_values(fitted);
    const double condition = singular(0) / singular(singular.size() - 1);
    for (const Target& target : targets()) {
      PublishedCell& cell = cells[at++];
      const Eigen::VectorXd solution = ridge_solution(fitted, samples(target, kFitted));
      const Eigen::VectorXd miss = evaluated * solution - samples(target, kEvaluated);
      cell.readings.front().ours = miss.squaredNorm() / static_cast<double>(kEvaluated);
      cell.condition = condition;
      if (condition <= kIllConditioned) continue;
      cell.stated = false;
      cell.remark = "ill-conditioned: the solver, which is not stated, decides";
    }
  }
}

}  // namespace

void register_jordan_rope(ReproductionRegistry& registry) { registry.add(kInfo, cells, compute); }

}  // namespace sextant
