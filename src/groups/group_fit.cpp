// SPDX-License-Identifier: Apache-2.0
#include "groups/group_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "groups/realisation.h"
#include "groups/shift.h"
#include "math/dense_svd.h"
#include "math/exponential_family.h"
#include "sextant/error.h"

namespace sextant {
namespace {

// |X| times the longest lag, over the noise and sqrt(d), that the samples of X = 0 may show.
constexpr double kNoGenerator = 3.0;
constexpr double kShiftError = 2.0;   // of X, relative, over the noise of the samples
constexpr double kMostLawWork = 2e9;  // of the law and of the recovery, each: d^3 per product
constexpr double kMostSides = 24.0;   // of the law: 24^2 products show a group as well as all do

std::size_t products(Index dim) {
  const auto d = static_cast<double>(dim);
  return static_cast<std::size_t>(std::max(kMostLawWork / (d * d * d), 9.0));
}

// B(lag) = A(lag) A(0)^-1, and the size that its noise is relative to.
struct Normalised {
  const LagMean* lag = nullptr;
  EigenMatrix b;
  double size = 0.0;
};
std::vector<Normalised> normalised(const LagMeans& means, const DenseSvd& zero) {
  const Index d = zero.values.size();
  const EigenMatrix inverse = zero.solve(Eigen::MatrixXd::Identity(d, d));
  const double gain = 1.0 / zero.values(d - 1);
  std::vector<Normalised> result;
  for (const LagMean& lag : means.lags) {
    EigenMatrix b = lag.mean * inverse;
    const double size = std::max(b.norm(), gain / std::sqrt(lag.weight));
    result.push_back({.lag = &lag, .b = std::move(b), .size = size});
  }
  return result;
}

Position sum(const Position& a, const Position& b, Index axes) {
  std::array<double, kMaxAxes> x = {};
  for (Index axis = 0; axis < axes; ++axis) x[static_cast<std::size_t>(axis)] = a[axis] + b[axis];
  return Position(std::span(x).first(static_cast<std::size_t>(axes)));
}

bool is_zero(const LagMeans& means, const LagMean& lag) {
  return std::abs(lag.lag[0]) <= means.tolerance && means.find(Position(0.0)) == &lag;
}

// Relative residual of B(a) B(b) = B(a + b) over sampled lags but 0; none where no such three were
// sampled. Of the b that go with an a some are taken from all over: steps of a golden section visit
// every lag once, the next far from the last.
std::optional<double> law_residual(const LagMeans& means, const std::vector<Normalised>& b) {
  const double most = std::sqrt(static_cast<double>(products(b.front().b.rows())));
  const auto sides = static_cast<std::size_t>(std::min(most, kMostSides));
  const std::size_t stride = (b.size() + sides - 1) / sides;
  auto jump = static_cast<std::size_t>(0.618 * static_cast<double>(b.size())) + 1;
  while (std::gcd(jump, b.size()) != 1) ++jump;
  double off = 0.0, all = 0.0;
  for (std::size_t i = 0; i < b.size(); i += stride) {
    if (is_zero(means, *b[i].lag)) continue;
    std::size_t found = 0;
    for (std::size_t n = 0; n < b.size() && found < sides; ++n) {
      const std::size_t j = n * jump % b.size();
      if (is_zero(means, *b[j].lag)) continue;
      const LagMean* total = means.find(sum(b[i].lag->lag, b[j].lag->lag, means.axes));
      if (total == nullptr) continue;
      ++found;
      const Normalised& both = b[static_cast<std::size_t>(total - means.lags.data())];
      const double root = std::sqrt(static_cast<double>(both.b.rows()));
      const double scale = b[i].size * b[j].size / root + both.size;
      off += (b[i].b * b[j].b - both.b).squaredNorm();
      all += scale * scale;
    }
  }
  if (all == 0.0) return std::nullopt;
  return std::sqrt(off / all);
}

// The Z that takes B(lag) to B(lag + step) for all scalar lags, by least squares.
EigenMatrix fitted_shift(const LagMeans& means, const std::vector<Normalised>& b, double step) {
  const Index d = b.front().b.rows();
  EigenMatrix cross = EigenMatrix::Zero(d, d), own = EigenMatrix::Zero(d, d);
  for (const LagMean* from : means.scalar()) {
    const LagMean* to = means.find(Position(from->lag[0] + step));
    if (to == nullptr) continue;
    const EigenMatrix& here = b[static_cast<std::size_t>(from - means.lags.data())].b;
    const EigenMatrix& there = b[static_cast<std::size_t>(to - means.lags.data())].b;
    const double weight = from->weight * to->weight / (from->weight + to->weight);
    cross += weight * there * here.transpose();
    own += weight * here * here.transpose();
  }
  return dense_svd(own).solve(cross.transpose()).transpose();
}

// Over all scalar lags, of wide maps over some from the least to the largest; infinite where
// exp(lag X) overflows.
double recovery_residual(const LagMeans& means, const EigenMatrix& zero, const Matrix& x) try {
  const ExponentialFamily family(x);
  const std::vector<const LagMean*> lags = means.scalar();
  const std::size_t count = std::min(lags.size(), products(x.rows()));
  double off = 0.0, all = 0.0;
  for (std::size_t n = 0; n < count; ++n) {
    const LagMean& lag = *lags[count > 1 ? n * (lags.size() - 1) / (count - 1) : 0];
    const Matrix a = family.at(lag.lag[0]);
    off += lag.weight * (as_eigen(a) * zero - lag.mean).squaredNorm();
    all += lag.weight * lag.mean.squaredNorm();
  }
  return std::sqrt(off / all);
} catch (const Error& error) {
  if (error.code() != ErrorCode::kNumeric) throw;
  return std::numeric_limits<double>::infinity();
}

double least_positive_lag(const LagMeans& means) {
  double step = std::numeric_limits<double>::infinity();
  for (const LagMean* lag : means.scalar())
    if (lag->lag[0] > means.tolerance) step = std::min(step, lag->lag[0]);
  return step;
}

double span_of(const LagMeans& means) {
  double span = 0.0;
  for (const LagMean* lag : means.scalar()) span = std::max(span, std::abs(lag->lag[0]));
  return span;
}

void set_step(const LagMeans& means, MapTest& test) {
  test.step = least_positive_lag(means);
  test.highest_frequency = std::numbers::pi / test.step;
}

// Generator, families and residual of what obeys the law, with the warnings that go with samples.
// False, with the residual alone, where exp(lag X) misses the samples. Errors of X count lag times.
bool recover(const LagMeans& means, const EigenMatrix& zero, Matrix x,
             const ClassifyOptions& options, bool exact, MapTest& test) {
  const double reach = as_eigen(x).norm() * span_of(means);
  const double least =
      kNoGenerator * std::max(options.noise, 1e-15) * std::sqrt(static_cast<double>(test.dim));
  if (!exact && reach <= least) x = Matrix(x.rows(), x.cols());
  const double residual = recovery_residual(means, zero, x);
  test.recovery_residual = residual;
  if (!(residual <= allowance(options.noise, test.dim) * (1.0 + reach))) return false;
  ClassifyOptions of_x = options;
  if (!exact) {
    const double noise = std::max({options.noise, residual, 1e-15}) / std::clamp(reach, 1e-3, 1.0);
    of_x.noise = std::max(options.noise, std::min(kShiftError * noise, 0.1));
    test.warnings.push_back(
        fmt::format("samples with step {:.4g} show frequencies modulo {:.4g}, none above {:.4g}",
                    test.step, 2.0 * test.highest_frequency, test.highest_frequency));
    if (reach < 1.0)
      test.warnings.push_back(
          fmt::format("|X| times the longest lag is {:.2g}: the relative error of X is the noise "
                      "over it; sample longer lags",
                      reach));
  }
  test.families = classify_generator(x, of_x);
  test.generator = std::move(x);
  return true;
}

// The verdict on what obeys the law where it was sampled, and is no exp(lag X). Where no lag but 0
// occurs twice, F(s)^T G(t) obeys it whatever F and G are.
void decide_missed(const LagMeans& means, const ClassifyOptions& options, MapTest& test) {
  const std::string missed =
      fmt::format("exp(lag X) misses the samples by {:.3g}", test.recovery_residual.value_or(0.0));
  if (means.compared) {
    decide_realisation(means, options, fmt::format("{}; {}", test.reason, missed), test);
    return;
  }
  test.verdict = MapVerdict::kNotRelative;
  test.reason = fmt::format(
      "no lag but 0 occurs twice, so that only a fit could show a function of the lag, and {}: not "
      "relative, or sampled too sparsely to tell",
      missed);
}

// Whether all scalar lags are multiples of the step: only then powers of Z are all there is.
bool at_whole_steps(const LagMeans& means, double step) {
  const std::vector<const LagMean*> lags = means.scalar();
  return std::all_of(lags.begin(), lags.end(), [&](const LagMean* lag) {
    const double steps = std::abs(lag->lag[0]) / step;
    return std::abs(lag->lag[0] - std::copysign(std::round(steps) * step, lag->lag[0])) <=
           means.tolerance * std::max(1.0, steps);
  });
}

// X by longer shifts, whose logarithms divide the noise by a longer lag, as long as |X| lag <= 1
// leaves no doubt about the branch.
Matrix refined(const LagMeans& means, const std::vector<Normalised>& b, Matrix x, double step,
               double allowed) {
  const double longest = 0.5 * span_of(means);
  for (int round = 0; round < 4; ++round) {
    double next = step;
    for (const LagMean* lag : means.scalar())
      if (lag->lag[0] <= longest && lag->lag[0] * as_eigen(x).norm() <= 1.0)
        next = std::max(next, lag->lag[0]);
    if (next <= step) break;
    std::optional<Matrix> better = generator_of_shift(fitted_shift(means, b, next), next, allowed);
    if (!better) break;
    x = std::move(*better);
    step = next;
  }
  return x;
}

// A group by its law: recovers X from the shift.
enum class Recovery { kDone, kSingular, kMissed };
Recovery recover_from_shift(const LagMeans& means, const std::vector<Normalised>& b,
                            const EigenMatrix& zero, const ClassifyOptions& options,
                            MapTest& test) {
  const double allowed = allowance(options.noise, test.dim);
  const EigenMatrix z = fitted_shift(means, b, test.step);
  const ShiftSpectrum spectrum = shift_spectrum(z, allowed);
  if (spectrum.singular) return Recovery::kSingular;
  const bool powers = at_whole_steps(means, test.step);
  if (!spectrum.pairs_up()) {
    if (!powers) return Recovery::kMissed;
    test.integer_time_only = true;
    test.reason +=
        "; Z = A(step) A(0)^-1 has a negative eigenvalue, (-1)^t, an odd number of times: a group "
        "at whole steps only, without a real generator";
    return Recovery::kDone;
  }
  test.aliased = !spectrum.negative.empty() || spectrum.nearest <= std::max(allowed, 1e-9);
  if (test.aliased)
    test.warnings.push_back(fmt::format(
        "a frequency is within noise of {:.4g}, half a turn per step: its mirror fits as well",
        test.highest_frequency));
  std::optional<Matrix> x = generator_of_shift(z, test.step, allowed);
  if (!x) {
    test.reason += "; negative eigenvalues of Z have Jordan chains: no real logarithm is sought";
    return powers ? Recovery::kDone : Recovery::kMissed;
  }
  const bool found = recover(means, zero, refined(means, b, std::move(*x), test.step, allowed),
                             options, false, test);
  return found ? Recovery::kDone : Recovery::kMissed;
}

}  // namespace

bool decide_relative(const LagMeans& means, const ClassifyOptions& options, MapTest& test) {
  test.relative_residual = means.residual;
  test.worst = means.worst;
  const double allowed = allowance(options.noise, test.dim);
  if (means.residual <= allowed) return true;
  test.verdict = MapVerdict::kNotRelative;
  test.reason = fmt::format(
      "forms of one lag differ: relative residual {:.3g}, allowed {:.2g}; worst at s={:.6g}, "
      "t={:.6g}",
      means.residual, allowed, means.worst ? means.worst->s : 0.0,
      means.worst ? means.worst->t : 0.0);
  return false;
}

void decide_realisation(const LagMeans& means, const ClassifyOptions& options,
                        const std::string& because, MapTest& test) {
  set_step(means, test);
  test.verdict = MapVerdict::kRelative;
  RealisationSearch search = realise(means, test.step, options);
  test.reason = fmt::format("{}; {}", because, search.reason);
  if (search.one_sided)
    test.warnings.push_back(
        fmt::format("under a causal mask it is a group by a lift of order {}", search.rank));
  test.realisation = std::move(search.found);
}

void decide(const LagMeans& means, const ClassifyOptions& options,
            const std::optional<Matrix>& exact, MapTest& test) {
  if (!decide_relative(means, options, test)) return;
  set_step(means, test);
  const double allowed = allowance(options.noise, test.dim);
  const LagMean* at_zero = means.find(Position(0.0));
  assert(at_zero != nullptr);
  const DenseSvd zero = dense_svd(at_zero->mean);
  if (zero.reciprocal_condition() <= allowed) {
    decide_realisation(means, options,
                       fmt::format("A(0) is singular (least singular value over largest {:.2g})",
                                   zero.reciprocal_condition()),
                       test);
    return;
  }
  const std::vector<Normalised> b = normalised(means, zero);
  test.group_residual = law_residual(means, b);
  if (const double law = test.group_residual.value_or(0.0); !(law <= allowed)) {
    decide_realisation(
        means, options,
        fmt::format("A(a) A(0)^-1 A(b) = A(a+b) fails by {:.3g}, allowed {:.2g}", law, allowed),
        test);
    return;
  }
  test.verdict = MapVerdict::kGroup;
  test.reason =
      test.group_residual
          ? fmt::format("A(a) A(0)^-1 A(b) = A(a+b) holds to {:.2g}", *test.group_residual)
          : std::string("exp(lag X) fits, no lags a, b, a+b were sampled");
  if (exact) {
    if (recover(means, at_zero->mean, *exact, options, true, test)) return;
    test.warnings.push_back(
        fmt::format("the samples miss the encoding's own generator by {:.2g}; X is fitted to them",
                    test.recovery_residual.value_or(0.0)));
  }
  switch (recover_from_shift(means, b, at_zero->mean, options, test)) {
    case Recovery::kDone:
      return;
    case Recovery::kSingular:
      decide_realisation(means, options, "A(step) is singular: powers of it, but no group", test);
      return;
    case Recovery::kMissed:
      decide_missed(means, options, test);
  }
}

ClassifyOptions rest_of(const ClassifyOptions& options, double from) {
  ClassifyOptions result = options;
  if (options.progress)
    result.progress = [inner = options.progress, from, reached = from](double part) mutable {
      reached = std::max(reached, from + (1.0 - from) * part);
      inner(reached);
    };
  return result;
}

}  // namespace sextant
