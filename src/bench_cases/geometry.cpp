// SPDX-License-Identifier: Apache-2.0
// The heavy steps between counts and stress: Gram matrices, leading eigenpairs, sums over pairs.
#include "sextant/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "math/spectrum.h"
#include "measure/bench_case.h"
#include "measure/made_numbers.h"
#include "measure/plain_loops.h"

namespace sextant {
namespace {

constexpr double kMegabyte = 1e6;
constexpr char kDsyrk[] = "dsyrk of OpenBLAS", kDsyevr[] = "dsyevr of LAPACK";

double doubles(Index rows, Index cols) { return 8.0 * static_cast<double>(rows * cols); }

// ---------------------------------------------------------------------------------------------
// S S^T of roots of counts

struct GramSize {
  Index n, columns;
};
GramSize gram_size(const BenchSize& size) {
  return size.quick ? GramSize{256, 4000} : GramSize{2048, 30000};
}

struct GramJob {
  SparseColumns roots = {};
  Vector dense = {};  // what BLAS multiplies, [columns, n]
  Matrix ours = {}, theirs = {};
};

void multiply_by_blas(GramJob& job) {
  const BlasCall call;
  const int n = blas_int(job.roots.rows);
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, n, blas_int(job.roots.columns()), 1.0,
              job.dense.data(), n, 0.0, job.theirs.values().data(), n);
}

std::string gram_fault(GramJob& job) {
  if (job.ours.rows() != job.theirs.rows()) return "the matrix has another size";
  multiply_by_blas(job);
  double worst = 0.0, largest = 0.0;
  for (Index i = 0; i < job.ours.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      worst = std::max(worst, std::abs(job.ours(i, j) - job.theirs(i, j)));
      largest = std::max(largest, std::abs(job.theirs(i, j)));
    }
  }
  // Sums of thousands of products in another order.
  if (worst <= 1e-12 * largest) return {};
  return fmt::format("an entry differs from that of BLAS by {:.2g}", worst);
}

// `mass` as zipf_columns takes it.
BenchWork gram_work(const BenchSize& size, double mass) {
  const auto [n, columns] = gram_size(size);
  const auto job = std::make_shared<GramJob>();
  job->roots = zipf_columns(n, columns, mass);
  job->dense = written_out(job->roots);
  job->theirs = Matrix(n, n);
  const Index pairs = n * (n + 1) / 2;
  const double density =
      static_cast<double>(job->roots.value.size()) / static_cast<double>(n * columns);
  return {.size = fmt::format("{} positions, {} tokens, {:.0f} % of the counts not zero", n,
                              columns, 100.0 * density),
          .amount = static_cast<double>(pairs),
          .unit = "pairs of positions",
          .run = [job, size] { job->ours = gram(job->roots, size.threads); },
          .fault = [job] { return gram_fault(*job); },
          .plain = fill_of(std::span(job->theirs.values()), size.threads),
          .others = {{kDsyrk, [job] { multiply_by_blas(*job); }}},
          .most_repeats = size.quick ? 1000 : 3};
}

double gram_bytes(const BenchSize& size) {
  const auto [n, columns] = gram_size(size);
  constexpr double kEntries = 3.0;  // values, rows, and room to grow, beside the dense copy
  return (1.0 + kEntries) * doubles(n, columns) + 4.0 * doubles(n, n);
}

// ---------------------------------------------------------------------------------------------
// Leading eigenpairs

struct SpectrumSize {
  Index n, count;
};
// Above 1024, where blocks of vectors take over from LAPACK.
SpectrumSize spectrum_size(const BenchSize& size) {
  return size.quick ? SpectrumSize{1100, 16} : SpectrumSize{4096, 64};
}

// B v = lambda v, vectors orthonormal, and as many eigenvalues above the last of them as there are:
// these are the largest and no other.
std::string spectrum_fault(const Matrix& b, const Spectrum& found) {
  const Index n = b.rows(), count = std::ssize(found.values);
  const double largest = found.values.front();
  Matrix image(n, count);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < count; ++k) image(i, k) += b(i, j) * found.vectors(j, k);
  for (Index k = 0; k < count; ++k) {
    double residual = 0.0, norm = 0.0, overlap = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double v = found.vectors(i, k);
      residual += std::pow(image(i, k) - found.values[static_cast<std::size_t>(k)] * v, 2);
      norm += v * v;
      if (k > 0) overlap += v * found.vectors(i, k - 1);
    }
    if (!(std::sqrt(residual) <= kMostResidual * largest))
      return fmt::format("pair {} has the residual {:.2g}", k, std::sqrt(residual) / largest);
    if (!(std::abs(norm - 1.0) <= kMostOrthogonality && std::abs(overlap) <= kMostOrthogonality))
      return fmt::format("vector {} is not orthonormal to the one before", k);
  }
  const Index above = eigenvalues_above(b, found.values.back() - kMostResidual * largest);
  if (above == count) return {};
  return fmt::format("{} eigenvalues reach the last of the {} that were found", above, count);
}

BenchWork spectrum_work(const BenchSize& size) {
  const auto [n, count] = spectrum_size(size);
  struct Job {
    Matrix b;
    Spectrum found = {};
  };
  const auto job = std::make_shared<Job>(Job{noisy_gram(n, 1.0)});
  return {.size = fmt::format("n = {}, the {} largest", n, count),
          .amount = static_cast<double>(count),
          .unit = "eigenpairs",
          .run = [job, size, r = count] { job->found = top_eigenpairs(job->b, r, size.threads); },
          .fault = [job] { return spectrum_fault(job->b, job->found); },
          .plain = pass_over(std::as_bytes(std::span(job->b.values())), size.threads),
          .others = {{kDsyevr, [job, r = count] { job->found = lapack_eigenpairs(job->b, r); }}},
          .most_repeats = size.quick ? 1000 : 2};
}

double spectrum_bytes(const BenchSize& size) {
  constexpr double kCopies = 5.0;  // the matrix, its factors and LAPACK's work space
  const Index n = spectrum_size(size).n;
  return kCopies * doubles(n, n);
}

// ---------------------------------------------------------------------------------------------
// Stress

constexpr Index kStressDim = 64, kTargetDim = 12;
constexpr double kPeerArrays = 10.0;  // n x n, of float, that array libraries hold at once
Index stress_positions(const BenchSize& size) { return size.quick ? 512 : 4096; }

struct StressJob {
  Matrix points = {};
  DistanceMatrix target = {};
  PairSums sums = {};
};

// One pair after the other.
std::string stress_fault(const StressJob& job) {
  double dd = 0.0, de = 0.0, ee = 0.0;
  for (Index i = 0; i < job.target.size(); ++i) {
    for (Index j = i + 1; j < job.target.size(); ++j) {
      double squared = 0.0;
      for (Index k = 0; k < kStressDim; ++k) {
        const double difference = job.points(i, k) - job.points(j, k);
        squared += difference * difference;
      }
      const double d = job.target(i, j);
      dd += d * d;
      de += d * std::sqrt(squared);
      ee += squared;
    }
  }
  const double raw = (dd - 2.0 * de + ee) / dd, scaled = 1.0 - de * de / (dd * ee);
  // Millions of terms of one sign, added in another order.
  if (std::abs(job.sums.raw() - raw) <= 1e-9 * raw && std::abs(job.sums.scaled() - scaled) <= 1e-9)
    return {};
  return fmt::format("stress {:.12g} should be {:.12g}", job.sums.raw(), raw);
}

BenchWork stress_work(const BenchSize& size) {
  const Index n = stress_positions(size);
  const auto job = std::make_shared<StressJob>();
  job->points = made_points(n, kStressDim, PointCloud::kSinusoids);
  job->target = stored(*distances_of_rows(made_points(n, kTargetDim, PointCloud::kGaussian)));
  return {.size = fmt::format("n = {}, sinusoids of width {}", n, kStressDim),
          .amount = static_cast<double>(DistanceMatrix::pairs(n)),
          .unit = "pairs of positions",
          .run =
              [job, size] {
                const DistanceMatrix* const targets[] = {&job->target};
                job->sums = pair_sums(targets, *distances_of_rows(job->points), size.threads)[0];
              },
          .fault = [job] { return stress_fault(*job); },
          .plain = pass_over(std::as_bytes(std::span(job->target.values())), size.threads),
          .peer = PeerTask{.function = "stress",
                           .libraries = {"numpy", "torch"},
                           .sizes = {{"n", n}, {"dim", kStressDim}},
                           .bytes = kPeerArrays / 2.0 * doubles(n, n)}};
}

}  // namespace

void register_geometry(BenchRegistry& cases) {
  cases.add({.name = "gram-sparse",
             .measures = "Hellinger Gram matrix of positions with a long tail of rare tokens",
             .goals = {{"G1", kDsyrk, 1.3}},
             .bytes = gram_bytes,
             .prepare = [](const BenchSize& size) {
               return gram_work(size, size.quick ? 100.0 : 1000.0);
             }});
  cases.add({.name = "gram-dense",
             .measures = "Hellinger Gram matrix where every token stands everywhere",
             .goals = {{"G1", kDsyrk, 0.95}},
             .bytes = gram_bytes,
             .prepare = [](const BenchSize& size) { return gram_work(size, 0.0); }});
  cases.add({.name = "eigenpairs",
             .measures = "leading eigenpairs of a Gram matrix with a noisy bulk, certified",
             .goals = {{"G2", kDsyevr, 2.0}},
             .bytes = spectrum_bytes,
             .prepare = spectrum_work});
  cases.add({.name = "stress",
             .measures = "stress of an encoding's points against given distances",
             .goals = {{"G3", "numpy", 3.5}},
             .bytes =
                 [](const BenchSize& size) {
                   const Index n = stress_positions(size);
                   return doubles(n, n) + 64.0 * kMegabyte;  // tiles
                 },
             .prepare = stress_work});
}

}  // namespace sextant
