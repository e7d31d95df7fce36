// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/rng.h"
#include "groups/group_fit.h"
#include "math/eigen_map.h"
#include "math/matrix_exponential.h"
#include "sextant/classify.h"
#include "sextant/error.h"

namespace sextant {
namespace {

// F(s) = A(s)^T and G(t) = A(-t), so that F(s)^T G(t) = A(s - t).
MapSamples samples_at(const Matrix& x, const Vector& positions) {
  const auto count = static_cast<Index>(positions.size());
  Matrix times(count, 1);
  MapSamples samples;
  for (Index i = 0; i < count; ++i) {
    times(i, 0) = positions[static_cast<std::size_t>(i)];
    Matrix f = matrix_exponential(x, times(i, 0));
    as_eigen(f).transposeInPlace();
    samples.f.push_back(std::move(f));
    samples.g.push_back(matrix_exponential(x, -times(i, 0)));
  }
  samples.s = samples.t = Positions::from(times);
  return samples;
}

MapSamples samples_of(const Matrix& x, Index count, double step = 1.0) {
  Vector positions;
  for (Index i = 0; i < count; ++i) positions.push_back(step * static_cast<double>(i));
  return samples_at(x, positions);
}

// Noise relative to each map.
void disturb(std::vector<Matrix>& stack, double noise, std::uint64_t stream) {
  for (std::size_t n = 0; n < stack.size(); ++n) {
    const Rng rng(stream, n);
    const double size = noise * as_eigen(stack[n]).norm() / static_cast<double>(stack[n].rows());
    for (std::size_t i = 0; i < stack[n].values().size(); ++i)
      stack[n].values()[i] += size * rng.normal(i);
  }
}

Matrix from_rows(const std::vector<Vector>& rows) {
  Matrix m(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j)
      m(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return m;
}

double difference(const Matrix& a, const Matrix& b) {
  return (as_eigen(a) - as_eigen(b)).norm() / as_eigen(b).norm();
}

struct Named {
  const char* name;
  Matrix x;
};
std::vector<Named> generators() {
  return {
      {"rotation", from_rows({{0.0, -0.5}, {0.5, 0.0}})},
      {"spiral", from_rows({{-0.05, -0.4}, {0.4, -0.05}})},
      {"Jordan", from_rows({{-0.1, 0.2}, {0.0, -0.1}})},
      {"mixed", from_rows({{0.0, -0.8, 0.0, 0.0, 0.1},
                           {0.8, 0.0, 0.1, 0.0, 0.0},
                           {0.0, 0.0, -0.05, 0.2, 0.0},
                           {0.0, 0.0, 0.0, -0.05, 0.0},
                           {0.0, 0.0, 0.0, 0.0, -0.15}})},
      {"slow rotation", from_rows({{0.0, -0.05}, {0.05, 0.0}})},
  };
}

TEST(Maps, OfAGroupGiveItsGeneratorBack) {
  for (const Named& one : generators()) {
    const MapTest test = test_maps(samples_of(one.x, 16));
    EXPECT_EQ(test.verdict, MapVerdict::kGroup) << one.name << ": " << test.reason;
    ASSERT_TRUE(test.generator) << one.name;
    EXPECT_LT(difference(*test.generator, one.x), 1e-11) << one.name;
    EXPECT_LT(test.recovery_residual.value_or(1.0), 1e-11) << one.name;
    EXPECT_FALSE(test.warnings.empty()) << "the highest frequency is named";
  }
}

// The error of X relative to |X| is that of the table, with a factor, once |X| times the longest
// lag is at least 1; below, it grows as the inverse.
TEST(Maps, GiveTheGeneratorBackToSevenTimesTheirNoise) {
  constexpr double kFactor = 7.0;
  for (const Named& one : generators()) {
    for (const double size : {1.0, 0.3, 0.03}) {
      Matrix x = one.x;
      as_eigen(x) *= size;
      const double reach = as_eigen(x).norm() * 15.0;
      for (const double noise : {1e-10, 1e-8, 1e-6, 1e-4, 1e-3}) {
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
          MapSamples samples = samples_of(x, 16);
          disturb(samples.f, noise, seed);
          disturb(samples.g, noise, seed + 100);
          const MapTest test = test_maps(samples, {.noise = noise});
          ASSERT_EQ(test.verdict, MapVerdict::kGroup) << one.name << ": " << test.reason;
          ASSERT_TRUE(test.generator);
          EXPECT_LT(difference(*test.generator, x), kFactor * noise / std::min(1.0, reach))
              << one.name << " size " << size << " noise " << noise << " reach " << reach;
          const bool warned = test.warnings.size() > 1;
          EXPECT_EQ(warned, as_eigen(*test.generator).norm() * 15.0 < 1.0);
        }
      }
    }
  }
}

TEST(Maps, ThatDoNothingHaveNoFamilyButNone) {
  for (const double noise : {1e-10, 1e-3}) {
    MapSamples samples = samples_of(Matrix(3, 3), 8);
    disturb(samples.f, noise, 1);
    disturb(samples.g, noise, 2);
    const MapTest test = test_maps(samples, {.noise = noise});
    ASSERT_TRUE(test.families) << test.reason;
    ASSERT_EQ(test.families->families.size(), 1u);
    EXPECT_EQ(test.families->families[0].kind, BlockKind::kNone);
    EXPECT_EQ(test.families->families[0].count, 3);
  }
}

TEST(Maps, KeepTheirGroupUnderAFixedFactor) {
  const Matrix x = generators()[3].x;
  MapSamples samples = samples_of(x, 12);
  const Rng rng(11, 0);
  Matrix factor(5, 5);
  for (std::size_t i = 0; i < 25; ++i) factor.values()[i] = rng.normal(i);
  for (Matrix& g : samples.g) as_eigen(g) = (as_eigen(g) * as_eigen(factor)).eval();
  const MapTest test = test_maps(samples);
  ASSERT_EQ(test.verdict, MapVerdict::kGroup) << test.reason;
  EXPECT_LT(difference(test.generator.value(), x), 1e-9);
}

TEST(Maps, ReadRealTimes) {
  const Matrix x = generators()[1].x;
  const MapTest test = test_maps(samples_of(x, 12, 0.25));
  ASSERT_EQ(test.verdict, MapVerdict::kGroup) << test.reason;
  EXPECT_DOUBLE_EQ(test.step, 0.25);
  EXPECT_NEAR(test.highest_frequency, 4.0 * std::numbers::pi, 1e-12);
  EXPECT_LT(difference(test.generator.value(), x), 1e-10);
}

// A learned time, two of whose moments almost coincide: noise over the least lag would drown X.
TEST(Maps, ReadIrregularTimes) {
  const Vector times = {0.0, 0.7, 0.701, 1.9, 2.4, 3.8, 4.1, 5.5, 6.2, 7.9};
  const Matrix x = generators()[1].x;
  MapSamples samples = samples_at(x, times);
  EXPECT_LT(difference(test_maps(samples).generator.value(), x), 1e-10);
  disturb(samples.f, 1e-5, 1);
  disturb(samples.g, 1e-5, 2);
  const MapTest test = test_maps(samples, {.noise = 1e-5});
  ASSERT_EQ(test.verdict, MapVerdict::kGroup) << test.reason;
  EXPECT_LT(difference(test.generator.value(), x), 30.0 * 1e-5);
}

Vector irregular_times(Index count, double span) {
  const Rng rng(21, 0);
  Vector times;
  for (Index i = 0; i < count; ++i)
    times.push_back(span *
                    (static_cast<double>(i) + 0.9 * rng.uniform(static_cast<std::uint64_t>(i))) /
                    static_cast<double>(count));
  return times;
}

// Rotations by t^2: every lag occurs once, and R(s^2 - u^2) R(u^2 - t^2) = R(s^2 - t^2).
TEST(Maps, ThatNoExponentialFitsAreNoGroupHoweverTheLawHolds) {
  const Vector times = irregular_times(12, 6.0);
  MapSamples samples = samples_at(Matrix(2, 2), times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double c = std::cos(times[i] * times[i]), s = std::sin(times[i] * times[i]);
    samples.f[i] = samples.g[i] = from_rows({{c, s}, {-s, c}});
  }
  const MapTest test = test_maps(samples);
  EXPECT_EQ(test.verdict, MapVerdict::kNotRelative) << test.reason;
  EXPECT_GT(test.recovery_residual.value_or(0.0), 0.1);
  EXPECT_FALSE(test.generator);
  EXPECT_FALSE(test.families);
  EXPECT_NE(test.reason.find("misses the samples"), std::string::npos) << test.reason;
}

// Of 60 irregular times 3541 lags: every 24th part of them has hardly a sum among the others.
TEST(Maps, OfManyIrregularTimesAreTestedByTheLaw) {
  const Matrix x = generators()[1].x;
  const MapTest test = test_maps(samples_at(x, irregular_times(60, 20.0)));
  ASSERT_EQ(test.verdict, MapVerdict::kGroup) << test.reason;
  ASSERT_TRUE(test.group_residual);
  EXPECT_LT(*test.group_residual, 1e-11);
  EXPECT_LT(difference(test.generator.value(), x), 1e-9);
}

TEST(Maps, TellTheirProgressOnce) {
  double last = 0.0;
  bool falls = false;
  ClassifyOptions options;
  options.progress = [&](double part) {
    falls = falls || part < last;
    last = part;
  };
  test_maps(samples_of(generators()[3].x, 12), options);
  EXPECT_FALSE(falls);
  EXPECT_EQ(last, 1.0);
}

// An exact generator is an offer: rotations by 0.5 per step are not those by 0.4.
TEST(Maps, DoNotTakeAGeneratorThatMissesThem) {
  const Matrix x = generators()[0].x, other = from_rows({{0.0, -0.4}, {0.4, 0.0}});
  std::vector<SampledPair> pairs;
  for (Index i = 0; i < 8; ++i)
    for (Index j = 0; j < 8; ++j)
      pairs.push_back({.i = i, .j = j, .s = static_cast<double>(i), .t = static_cast<double>(j)});
  const LagMeans means = lag_means(pairs, [&](std::size_t n) -> EigenMatrix {
    const Matrix a = matrix_exponential(x, static_cast<double>(pairs[n].i - pairs[n].j));
    return as_eigen(a);
  });
  MapTest test;
  test.dim = 2;
  decide(means, {}, other, test);
  ASSERT_EQ(test.verdict, MapVerdict::kGroup) << test.reason;
  EXPECT_LT(difference(test.generator.value(), x), 1e-11);
  ASSERT_FALSE(test.warnings.empty());
  EXPECT_NE(test.warnings.front().find("own generator"), std::string::npos);
}

TEST(Maps, TakeAFrequencyPastHalfATurnForItsAlias) {
  const double frequency = 2.0 * std::numbers::pi - 1.0;
  const MapTest test = test_maps(samples_of(from_rows({{0.0, -frequency}, {frequency, 0.0}}), 8));
  ASSERT_TRUE(test.generator);
  EXPECT_NEAR((*test.generator)(1, 0), -1.0, 1e-10);
}

TEST(Maps, NameAFrequencyThatItsAliasFitsAsWell) {
  const double frequency = std::numbers::pi - 1e-10;
  EXPECT_TRUE(test_maps(samples_of(from_rows({{0.0, -frequency}, {frequency, 0.0}}), 8)).aliased);
  EXPECT_FALSE(test_maps(samples_of(from_rows({{0.0, -3.0}, {3.0, 0.0}}), 8)).aliased);
}

// F(s)^T = [[1, s], [0, 0]], G(t) = [[-t, 0], [1, 0]]: F^T G = [[s - t, 0], [0, 0]].
TEST(Maps, ThatAreRelativeWithASingularStartAreNoGroup) {
  MapSamples samples;
  samples.s = samples.t = Positions::range(10);
  for (Index i = 0; i < 10; ++i) {
    const auto t = static_cast<double>(i);
    samples.f.push_back(from_rows({{1.0, 0.0}, {t, 0.0}}));
    samples.g.push_back(from_rows({{-t, 0.0}, {1.0, 0.0}}));
  }
  const MapTest test = test_maps(samples);
  EXPECT_EQ(test.verdict, MapVerdict::kRelative);
  EXPECT_FALSE(test.group_residual);
  ASSERT_TRUE(test.realisation) << test.reason;
  const Realisation& found = *test.realisation;
  ASSERT_EQ(found.x.rows(), 2);
  const auto x = as_eigen(found.x);
  EXPECT_LT((x * x).norm(), 1e-9 * x.squaredNorm());
  ASSERT_EQ(found.generator.families.size(), 1u);
  EXPECT_EQ(found.generator.families[0].kind, BlockKind::kRealJordan);
  EXPECT_EQ(found.generator.families[0].size, 2);
  const Matrix at_seven = matrix_exponential(found.x, 7.0);
  const EigenMatrix a = as_eigen(found.c) * as_eigen(at_seven) * as_eigen(found.b);
  EXPECT_NEAR(a(0, 0), 7.0, 1e-8);
}

// F(s) = e_s e_0^T: F(s)^T G(t) is e_0 e_0^T at lag 0 and zero elsewhere, powers of a nilpotent Z.
// Any n numbers follow some recurrence of order n / 2: that is no evidence.
TEST(Maps, WithArbitraryValuesByLagHaveNoRealisation) {
  MapSamples samples;
  const Rng rng(11, 0);
  samples.s = samples.t = Positions::range(10);
  for (Index i = 0; i < 10; ++i) {
    Matrix f(11, 11), g(11, 11);  // F(s)^T G(t) has K(s - t) in its corner
    for (Index j = 0; j < 10; ++j) f(j, 0) = rng.normal(static_cast<std::uint64_t>(9 + i - j));
    g(i, 0) = 1.0;
    samples.f.push_back(f);
    samples.g.push_back(g);
  }
  const MapTest test = test_maps(samples);
  EXPECT_EQ(test.verdict, MapVerdict::kRelative) << test.reason;
  EXPECT_FALSE(test.realisation) << test.reason;
  EXPECT_EQ(test.reason.find("lift"), std::string::npos) << test.reason;
  EXPECT_EQ(test.reason.find("it is C exp"), std::string::npos) << test.reason;
}

TEST(Maps, ThatEndAfterALagHaveNoLogarithm) {
  MapSamples samples;
  samples.s = samples.t = Positions::range(6);
  for (Index i = 0; i < 6; ++i) {
    Matrix f(6, 6);
    f(i, 0) = 1.0;
    samples.f.push_back(f);
    samples.g.push_back(f);
  }
  const MapTest test = test_maps(samples);
  EXPECT_EQ(test.verdict, MapVerdict::kRelative);
  EXPECT_FALSE(test.realisation);
  EXPECT_NE(test.reason.find("no real logarithm"), std::string::npos) << test.reason;
}

TEST(Maps, ThatFollowThePositionAreNotRelative) {
  MapSamples samples = samples_of(generators()[0].x, 8);
  as_eigen(samples.f[5])(0, 1) += 0.25;
  const MapTest test = test_maps(samples);
  EXPECT_EQ(test.verdict, MapVerdict::kNotRelative);
  ASSERT_TRUE(test.worst);
  EXPECT_EQ(test.worst->i, 5);
  EXPECT_EQ(test.worst->s, 5.0);
}

TEST(Maps, ThatDifferBetweenContentsAreContentDependent) {
  MapSamples samples = samples_of(generators()[0].x, 8);
  samples.contents.push_back({.f = samples.f, .g = samples.g});
  EXPECT_EQ(test_maps(samples).verdict, MapVerdict::kGroup);
  as_eigen(samples.contents[0].g[3]) *= 1.01;
  EXPECT_EQ(test_maps(samples).verdict, MapVerdict::kContentDependent);
}

// Two commuting rotations, one per axis: the generator of scalar positions is their sum.
TEST(Maps, OfTwoAxesAreTestedOnVectorLags) {
  Matrix places(9, 2);
  MapSamples samples;
  const auto turn = [](double angle) {
    return from_rows({{std::cos(angle), -std::sin(angle)}, {std::sin(angle), std::cos(angle)}});
  };
  for (Index i = 0; i < 9; ++i) {
    places(i, 0) = static_cast<double>(i / 3);
    places(i, 1) = static_cast<double>(i % 3);
    const double angle = 0.3 * places(i, 0) + 0.5 * places(i, 1);
    samples.f.push_back(turn(-angle));
    samples.g.push_back(turn(-angle));
  }
  samples.s = samples.t = Positions::from(places);
  const MapTest test = test_maps(samples);
  ASSERT_EQ(test.verdict, MapVerdict::kGroup) << test.reason;
  EXPECT_NEAR(test.generator.value()(1, 0), 0.8, 1e-12);
}

ErrorCode code_of(const MapSamples& samples, std::string_view text) {
  try {
    test_maps(samples);
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find(text), std::string_view::npos) << error.what();
    return error.code();
  }
  ADD_FAILURE() << "expected Error";
  return ErrorCode::kInternal;
}

TEST(Maps, RefuseWhatDoesNotFit) {
  EXPECT_EQ(code_of({}, "empty"), ErrorCode::kUsage);
  EXPECT_EQ(code_of(samples_of(generators()[0].x, 3), "4 positions"), ErrorCode::kUsage);
  MapSamples shapes = samples_of(generators()[0].x, 8);
  shapes.g[2] = Matrix(3, 3);
  EXPECT_EQ(code_of(shapes, "G[2]"), ErrorCode::kUsage);
  MapSamples holes = samples_of(generators()[0].x, 8);
  holes.f[4](0, 0) = std::nan("");
  EXPECT_EQ(code_of(holes, "F[4]"), ErrorCode::kNumeric);
  MapSamples apart = samples_of(generators()[0].x, 8);
  apart.t = Positions::range(8, 0.5);
  EXPECT_EQ(code_of(apart, "share a position"), ErrorCode::kUsage);
  MapSamples many;
  many.f = many.g = std::vector<Matrix>(2100, Matrix::identity(1));
  many.s = many.t = Positions::range(2100);
  EXPECT_EQ(code_of(many, "pairs of positions"), ErrorCode::kRefused);
}

}  // namespace
}  // namespace sextant
