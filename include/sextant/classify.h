// SPDX-License-Identifier: Apache-2.0
// Which one-parameter group? Families of a generator, tests of sampled maps, certificates of
// kernels.
//
// A linear, continuous encoding whose logit depends on the lag alone is A(lag) = exp(lag X) when
// A(0) is invertible, and C exp(lag X) B in general. X decides all: its real Jordan blocks are the
// families. Rounding destroys Jordan blocks, so every answer is given for a relative noise of the
// input, with the backward error that it took and a word on whether other noise would have changed
// it.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/encoding.h"
#include "sextant/matrix.h"

namespace sextant {

// ---------------------------------------------------------------------------------------------
// Families

enum class BlockKind { kNone, kDecay, kGrowth, kRotation, kSpiral, kRealJordan, kComplexJordan };
std::string_view name(BlockKind kind);  // "none", "decay", ..., "real Jordan", "complex Jordan"

// One kind of block and how often it occurs.
struct BlockFamily {
  BlockKind kind = BlockKind::kNone;
  double decay = 0.0;      // real part of the eigenvalue: negative decays with the lag
  double frequency = 0.0;  // >= 0; a conjugate pair counts once
  Index size = 1;          // links of the Jordan chain, not real dimensions
  Index count = 1;

  bool complex() const { return frequency != 0.0; }
  Index dim() const { return size * count * (complex() ? 2 : 1); }  // real coordinates of all
};

// The kind of a block with these numbers.
BlockKind block_kind(double decay, double frequency, Index size);

// "rotation 0.5 (x2), real Jordan of order 2 at -0.1"; "" for none at all.
std::string describe(std::span<const BlockFamily> families);

// What |exp(lag X)| does as the lag grows.
enum class Stability { kDecays, kBounded, kGrowsPolynomially, kGrowsExponentially };
std::string_view name(Stability stability);  // "decays", "bounded", "grows polynomially", ...

// A lag per format of numbers; infinity: never.
struct Horizon {
  double f16 = std::numeric_limits<double>::infinity();
  double bf16 = std::numeric_limits<double>::infinity();
  double f32 = std::numeric_limits<double>::infinity();
  double f64 = std::numeric_limits<double>::infinity();
};

// ---------------------------------------------------------------------------------------------
// A generator

// What noise of relative size eta may cost: a structure counts when it is this many eta away.
inline constexpr double kNoiseFactor = 30.0;

struct ClassifyOptions {
  double noise = 1e-12;  // of the input, relative to its norm
  // Called now and then with the part of the work that is done, 0 to 1. May be empty.
  std::function<void(double)> progress = {};
};

struct GeneratorClass {
  Index dim = 0;
  double norm = 0.0;   // Frobenius
  double noise = 0.0;  // as asked
  // What was set to zero to get these blocks, relative to the norm: at most 30 noise for each
  // multiple eigenvalue, the root of the squares of all.
  double backward_error = 0.0;
  std::vector<BlockFamily> families;               // by frequency, decay, size
  Stability stability = Stability::kBounded;       // as the lag goes to +infinity
  Stability stability_back = Stability::kBounded;  // to -infinity: keys ahead of the query
  bool norm_preserving = true;                     // X is skew
  bool needs_causal_mask = false;                  // unbounded for keys ahead of the query
  // The first lag >= 0 at which |exp(lag X)| exceeds the largest finite number. Found at doubling
  // lags and refined to about 0.1 %, so that a swell and ebb within one doubling can be missed.
  // Lags at which the noise decides (30 noise (lag |X|)^size > 1), and lag |X| > 2^25, are reached
  // by the law of the fastest block instead, from the largest lag below: early where that block
  // does not lead there yet. For dim > 512 by that law alone, as if the basis were orthonormal.
  Horizon overflow;
  // From this lag on |exp(lag X)| is below the smallest normal number; as exact as `overflow`.
  Horizon vanishing;
  // The position at which factors e^(at), e^(-as) of a logit overflow, each alone.
  Horizon split_overflow;
  // exp(lag X) at growing lags: its 2-norm and its condition number, infinite beyond rounding. Lags
  // 1, 2, 4, ..., 1024 while the norm is finite and lag |X| <= 2^26; for dim > 256 lag 1 only, for
  // dim > 1024 none.
  struct At {
    double lag = 0.0, norm = 0.0, condition = 0.0;
  };
  std::vector<At> conditioning;
  std::string closed_form;  // of exp(lag X), in plain text
  // Where noise / 10 or 10 noise gives other blocks, or noise moves an eigenvalue past another one
  // that was not found to be the same: the label is not to be trusted.
  bool ambiguous = false;
  struct Other {
    double noise = 0.0;
    std::vector<BlockFamily> families;
  };
  std::vector<Other> others;  // only labels that differ
};

// Throws kUsage unless X is square, not empty and at most kMostGenerator wide, kNumeric where it
// is not finite, kRefused where so many eigenvalues of a wide X are equal up to the noise that
// trying them would take more than about fifteen minutes. Cost 20 d^3 where few are: a second for
// d = 250, a minute for d = 2000; O(d^4) for many.
inline constexpr Index kMostGenerator = 4096;
GeneratorClass classify_generator(const Matrix& x, const ClassifyOptions& options = {});

// ---------------------------------------------------------------------------------------------
// Samples

enum class MapVerdict { kGroup, kRelative, kNotRelative, kContentDependent };
// "group", "relative but no group", "not relative", "content dependent".
std::string_view name(MapVerdict verdict);

// A(lag) = C exp(lag X) B, found from samples: X is [order, order].
struct Realisation {
  Matrix c, x, b;
  double residual = 0.0;     // relative, over the samples
  GeneratorClass generator;  // of X
};

struct MapTest {
  MapVerdict verdict = MapVerdict::kNotRelative;
  std::string reason;  // one sentence with the numbers that decided
  Index dim = 0;
  double relative_residual = 0.0;  // how far the logit is from a function of the lag
  struct Pair {
    Index i = 0, j = 0;  // F(s_i)^T G(t_j) is the farthest from the mean of its lag
    double s = 0.0, t = 0.0, residual = 0.0;
  };
  std::optional<Pair> worst;
  // Of A(a) A(0)^-1 A(b) = A(a+b). None where A(0) is singular or no such lags were sampled.
  std::optional<double> group_residual;
  std::optional<Matrix> generator;  // X of a group
  // Of A(lag) A(0)^-1 = exp(lag X), relative; infinite where it overflows. A group only where it is
  // within what noise is allowed, times 1 + |X| span: errors of X grow with the lag.
  std::optional<double> recovery_residual;
  std::optional<GeneratorClass> families;  // of that X
  std::optional<Realisation> realisation;  // of what is relative but no group, when there is one
  double step = 1.0;                       // between the sampled lags
  double highest_frequency = 0.0;          // pi / step: frequencies are known modulo 2 pi / step
  bool aliased = false;                    // one is so near to it that its neighbour fits as well
  // A negative eigenvalue, (-1)^t, an odd number of times: no real logarithm. An even number is
  // half a turn per step, `aliased`.
  bool integer_time_only = false;
  std::vector<std::string> warnings;
};

// Samples of the maps q' = F(s) q and k' = G(t) k at the positions of both, [d, d] each. `contents`
// are further stacks measured on other contents of the sequence; they differ only where the maps
// depend on the content.
struct MapSamples {
  std::vector<Matrix> f, g;
  Positions s = Positions::range(0), t = Positions::range(0);
  struct Stacks {
    std::vector<Matrix> f, g;
  };
  std::vector<Stacks> contents = {};
};
// Means per lag are weighted by the inverse squares of |F(s)| |G(t)|, to which noise is relative. A
// residual is taken for noise up to 30 times `noise`, and up to 1e-13 sqrt(d) for rounding. With
// several axes the law is tested on vector lags; the generator is that of scalar positions, the sum
// of those of the axes. Where no lag but 0 occurs twice the law holds whatever F and G are: then
// the fit of exp(lag X) decides, and what it misses is not relative. Throws kUsage for shapes that
// do not agree, for fewer than 4 positions of F or G, where no lag occurs twice, and where no
// position is shared; kNumeric for maps that are not finite; kRefused for more than 4e6 pairs of
// positions and where the means of all lags would take more than 2 GiB. Cost O(n^2 d^3) for n
// positions.
MapTest test_maps(const MapSamples& samples, const ClassifyOptions& options = {});

// The same for an encoding of the library, by its pair forms in homogeneous coordinates (q,1),
// (k,1): biases and linear terms are part of the maps. The head is the last one. Where only M of
// the form acts, dim is that of M; where only a bias acts it is 1, and no bias that varies is a
// group. Where the maps are groups their generator is given exactly, not as sampled, once exp(lag
// X) of it fits the samples. Pairs masked by -infinity do not exist. Above dim 256 fewer lags are
// sampled: 20 seconds for dim 512. Throws kRefused beyond kMostEncodingDim.
inline constexpr Index kMostEncodingDim = 512;
MapTest test_encoding(const Encoding& encoding, const Extent& extent,
                      const ClassifyOptions& options = {});

// ---------------------------------------------------------------------------------------------
// Kernels

// Lags of one sign: the largest singular value decomposition has this side, for both signs, or half
// of it for one.
inline constexpr Index kMostKernelSamples = 4096;
inline constexpr Index kLeastKernelSamples = 4;

struct KernelCertificate {
  Index samples = 0;
  bool two_sided = false;
  // A finite-dimensional group produces it: few exponents and a clear gap at the first tolerance.
  bool finite = false;
  std::string reason;
  struct Rank {
    double tolerance = 0.0;  // relative to the largest singular value
    Index rank = 0;
    double gap = 0.0;  // the last singular value that counts over the first that does not
  };
  // Of K(i+j), lags >= 0: first at the tolerance that decides, 30 noise or rounding, then at
  // coarser powers of ten.
  std::vector<Rank> hankel;
  std::vector<Rank> toeplitz;  // of K(i-j), both signs of the lag, which then decides; else empty
  Vector singular_values;      // of the Hankel matrix, over the largest
  std::vector<BlockFamily> exponents;  // when finite: K is a sum of jets of these
  double residual = 0.0;               // of the recovered sum, relative
};
// K at lags 0, 1, ..., n-1 (`ahead`: at lags 0, -1, ..., of the same length, or empty). Throws
// kUsage for fewer than kLeastKernelSamples or more than kMostKernelSamples, kNumeric where one is
// not finite. Cost 3 n^3 for one sign, 20 n^3 for both: ten seconds, a minute and a half for the
// most samples.
KernelCertificate certify_kernel(std::span<const double> k, std::span<const double> ahead = {},
                                 const ClassifyOptions& options = {});

// ---------------------------------------------------------------------------------------------
// The nearest member of a family

// What a member may consist of: blocks with free numbers.
struct FamilyShape {
  struct Part {
    BlockKind kind = BlockKind::kNone;
    Index size = 1;
  };
  std::vector<Part> parts;
  // "spiral+jordan(2)", "rotation*3+decay". Throws kUsage with the place of the fault.
  static FamilyShape parse(std::string_view text);
};

struct NearestKernel {
  std::vector<BlockFamily> blocks;
  // Per block: for each r < size of lag^r e^(decay lag) cos, then, where it rotates, of the sine.
  std::vector<Vector> coefficients;
  double residual = 0.0;  // relative, root mean square
  Vector fitted;          // at the lags of the samples
};
// K at lags 0, 1, ..., n-1. Deterministic; the least of several local searches. Throws kUsage for
// fewer samples than free numbers or more than kMostKernelSamples, kNumeric where one is not finite
// or every jet of a part overflows, kRefused where the searches may take more than five minutes:
// many samples and many parts.
NearestKernel nearest_kernel(std::span<const double> k, const FamilyShape& shape);

struct NearestGenerator {
  Matrix x;
  std::vector<BlockFamily> families;
  double residual = 0.0;  // |X - nearest| / |X|
};
// The nearest in the Frobenius norm, in the basis of X: none is 0, rotations are skew, spirals skew
// plus a multiple of 1, decay and growth symmetric with eigenvalues of one sign. Throws kUsage for
// Jordan families, which come arbitrarily near to everything, and unless X is square.
NearestGenerator nearest_generator(const Matrix& x, BlockKind kind);

}  // namespace sextant
