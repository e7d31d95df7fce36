// SPDX-License-Identifier: Apache-2.0
// Input tables against closed forms and published constants.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "math/wavelet.h"
#include "sextant/error.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

Vector row(const std::string& spec, Index dim, const Position& t) {
  Vector result(static_cast<std::size_t>(dim));
  encodings().make(spec)->effects({.dim = dim}).input->row(t, result);
  return result;
}

double norm(const Vector& x) {
  double sum = 0.0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

// Vaswani et al.: sin and cos of 10000^(-2k/8), to eight digits.
TEST(SinusoidalGolden, FirstPositionOfEightColumns) {
  const Vector sines = {0.84147098, 0.09983342, 0.00999983, 0.001};
  const Vector cosines = {0.54030231, 0.99500417, 0.99995, 0.9999995};
  const Vector interleaved = row("sinusoidal", 8, 1.0);
  const Vector split = row("sinusoidal(layout=split)", 8, 1.0);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(interleaved[2 * k], sines[k], 5e-9);
    EXPECT_NEAR(interleaved[2 * k + 1], cosines[k], 5e-9);
    EXPECT_EQ(split[k], interleaved[2 * k]);
    EXPECT_EQ(split[4 + k], interleaved[2 * k + 1]);
  }
}

TEST(SinusoidalGolden, NormIsTheRootOfHalfTheWidth) {
  for (const double t : {0.0, 1.0, 777.0, 1e7}) {
    EXPECT_NEAR(norm(row("sinusoidal", 64, t)), std::sqrt(32.0), 1e-14);
    EXPECT_NEAR(norm(row("sinusoidal(axes=2)", 64, t)), std::sqrt(32.0), 1e-14);
  }
}

// tensor2tensor and MLX space d/2 frequencies over d/2-1 steps: the last is exactly 1/base.
TEST(SinusoidalGolden, ClosedSpacingEndsAtOneOverTheBase) {
  const Vector last = row("sinusoidal(spacing=closed)", 8, 1.0);
  EXPECT_DOUBLE_EQ(last[6], std::sin(1e-4));
}

TEST(SinusoidalGolden, OddWidthEndsWithASine) {
  for (const Index d : {1, 3, 5, 127}) {
    const Vector odd = row("sinusoidal", d, 3.0);
    const double w = std::pow(10000.0, -static_cast<double>(d - 1) / static_cast<double>(d));
    EXPECT_NEAR(odd.back(), std::sin(3.0 * w), 1e-15) << d;
  }
}

TEST(SinusoidalGolden, TwoAxesAreTwoTables) {
  const double point[] = {3.0, 5.0};
  const Vector both = row("sinusoidal(axes=2)", 16, Position(point));
  const Vector y = row("sinusoidal", 8, 3.0), x = row("sinusoidal", 8, 5.0);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(both[i], y[i]);
    EXPECT_EQ(both[8 + i], x[i]);
  }
}

// Daubechies, Ten Lectures on Wavelets, 1992: phi of D4 at 1 and 2 is (1 +- sqrt 3)/2.
TEST(WaveletGolden, FourTapsAtTheIntegers) {
  const DaubechiesWavelet d4(4);
  EXPECT_NEAR(d4.phi(1.0), (1.0 + std::sqrt(3.0)) / 2.0, 1e-15);
  EXPECT_NEAR(d4.phi(2.0), (1.0 - std::sqrt(3.0)) / 2.0, 1e-15);
  EXPECT_EQ(d4.phi(0.0), 0.0);
  EXPECT_EQ(d4.phi(3.0), 0.0);
}

TEST(WaveletGolden, EightTapsAtTheIntegers) {
  const DaubechiesWavelet db4(8);
  EXPECT_NEAR(db4.phi(1.0), 1.00717, 5e-6);
  EXPECT_NEAR(db4.phi(2.0), -0.033837, 5e-7);
  EXPECT_NEAR(db4.phi(3.0), 0.03961, 5e-6);
}

TEST(WaveletGolden, LargestValues) {
  for (const auto& [taps, expected, tolerance] :
       {std::tuple{Index{4}, 1.7320508, 5e-8}, std::tuple{Index{8}, 1.359, 5e-4}}) {
    const DaubechiesWavelet wavelet(taps);
    double largest = 0.0;
    for (double x = 0.0; x < static_cast<double>(taps - 1); x += 1.0 / 1024.0)
      largest = std::max(largest, std::abs(wavelet.psi(x)));
    EXPECT_NEAR(largest, expected, tolerance);
  }
}

// The sum of phi over integer shifts is 1 at every point, and psi has vanishing moments.
TEST(WaveletGolden, PartitionOfUnityAndVanishingMoments) {
  for (const Index taps : {4, 8}) {
    const DaubechiesWavelet wavelet(taps);
    for (const double x : {0.0, 0.25, 1.0 / 3.0, 0.7, 0.875}) {
      double sum = 0.0;
      for (Index k = 0; k < taps; ++k) sum += wavelet.phi(x + static_cast<double>(k));
      EXPECT_NEAR(sum, 1.0, 1e-13) << taps << " at " << x;
    }
    double moment0 = 0.0, moment1 = 0.0;
    const double step = 1.0 / 4096.0;
    for (double x = 0.0; x < static_cast<double>(taps - 1); x += step) {
      moment0 += step * wavelet.psi(x);
      moment1 += step * x * wavelet.psi(x);
    }
    EXPECT_NEAR(moment0, 0.0, 1e-12);
    EXPECT_NEAR(moment1, 0.0, 1e-10);
  }
}

// Columns that are not zero everywhere, for training length 50: 62 atoms of D4, 82 of db4.
TEST(WaveletGolden, AtomsThatMeetTheTrainingRange) {
  for (const auto& [spec, atoms] :
       {std::pair{"wavelet(train=50)", 62}, std::pair{"wavelet(taps=8,train=50)", 82}}) {
    std::vector<bool> used(128);
    const auto effects = encodings().make(spec)->effects({.dim = 128});
    Vector values(128);
    for (double t = -64.0; t < 320.0; t += 0.25) {
      effects.input->row(t, values);
      for (std::size_t i = 0; i < 128; ++i)
        if (values[i] != 0.0) used[i] = true;
    }
    EXPECT_EQ(std::count(used.begin(), used.end(), true), atoms) << spec;
  }
}

TEST(WaveletGolden, CompactSupportMakesFarRowsEqual) {
  Index zero_rows = 0;
  for (Index t = 0; t < 200; ++t) {
    const bool zero = norm(row("wavelet(train=50)", 64, static_cast<double>(t))) == 0.0;
    EXPECT_EQ(zero, t >= 128) << t;
    zero_rows += zero;
  }
  EXPECT_EQ(zero_rows, 72);
}

TEST(WaveletGolden, RowNormalisation) {
  EXPECT_NEAR(norm(row("wavelet(train=50,norm=unit)", 64, 20.0)), 1.0, 1e-14);
  EXPECT_NEAR(norm(row("wavelet(train=50,norm=sqrt)", 64, 20.0)), std::sqrt(32.0), 1e-13);
}

TEST(LegendreGolden, ClampedRowIsOnes) {
  for (const double t : {50.0, 51.0, 1e6}) {
    const Vector ones = row("legendre(train=50)", 64, t);
    EXPECT_EQ(norm(ones), 8.0);
    EXPECT_EQ(ones[63], 1.0);
  }
}

TEST(LegendreGolden, SmallDegreesAreTheTextbookPolynomials) {
  const double x = 2.0 * 13.0 / 50.0 - 1.0;
  const Vector p = row("legendre(train=50)", 4, 13.0);
  EXPECT_EQ(p[0], 1.0);
  EXPECT_DOUBLE_EQ(p[1], x);
  EXPECT_NEAR(p[2], (3.0 * x * x - 1.0) / 2.0, 1e-15);
  EXPECT_NEAR(p[3], (5.0 * x * x * x - 3.0 * x) / 2.0, 1e-15);
}

// |P_63(t/50)| without a clamp, to the digits given.
TEST(LegendreGolden, UnclampedRowsExplode) {
  const auto last = [](double t) {
    return std::abs(row("legendre(train=50,x=unit,beyond=none)", 64, t)[63]);
  };
  EXPECT_NEAR(last(51.0) / 3.6e4, 1.0, 0.02);
  EXPECT_NEAR(last(60.0) / 9e15, 1.0, 0.06);
  EXPECT_NEAR(last(100.0) / 8e34, 1.0, 0.07);
  EXPECT_NEAR(last(200.0) / 2e55, 1.0, 0.3);
  EXPECT_THROW(last(1e7), Error) << "a row that does not fit a double is refused";
}

TEST(LearnedGolden, BeyondTheTableIsAnErrorByDefault) {
  EXPECT_THROW(row("learned(train=16)", 8, 16.0), Error);
  EXPECT_EQ(row("learned(train=16,beyond=clamp)", 8, 99.0), row("learned(train=16)", 8, 15.0));
}

TEST(LearnedGolden, InterpolationReadsBetweenRows) {
  const Vector low = row("learned(train=16)", 8, 3.0), high = row("learned(train=16)", 8, 4.0);
  const Vector mid = row("learned(train=16,beyond=interpolate)", 8, 3.25);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(mid[i], 0.75 * low[i] + 0.25 * high[i], 1e-17);
}

TEST(LearnedGolden, InterpolationOnAGridIsBilinear) {
  const auto cell = [](double line, double column) {
    const double point[] = {line, column};
    return row("learned(train=12,grid=3,beyond=interpolate)", 8, Position(point));
  };
  const Vector a = cell(1, 2), b = cell(1, 3), c = cell(2, 2), d = cell(2, 3), mid = cell(1.5, 2.5);
  EXPECT_EQ(a, row("learned(train=12)", 8, 6.0)) << "line 1, column 2 of 3 x 4";
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(mid[i], (a[i] + b[i] + c[i] + d[i]) / 4.0, 1e-17);
}

}  // namespace
}  // namespace sextant
