// SPDX-License-Identifier: Apache-2.0
// exp(tX) at many times from one Schur form, decomposition included.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "math/eigen_map.h"
#include "math/exponential_family.h"
#include "math/matrix_exponential.h"
#include "measure/bench_case.h"
#include "measure/made_numbers.h"
#include "measure/plain_loops.h"

namespace sextant {
namespace {

constexpr char kEachTime[] = "one Pade exponential for each t";

struct Sizes {
  Index d, times;
};
Sizes sizes_of(const BenchSize& size) { return size.quick ? Sizes{32, 32} : Sizes{128, 256}; }

double bytes_of(const BenchSize& size) {
  const Sizes sizes = sizes_of(size);
  return 3.0 * 8.0 * static_cast<double>(sizes.times * sizes.d * sizes.d);
}

struct Job {
  explicit Job(const Sizes& sizes)
      : generator(normal_generator(sizes.d)),
        written(static_cast<std::size_t>(sizes.times * sizes.d * sizes.d)) {
    for (Index i = 0; i < sizes.times; ++i) times.push_back(static_cast<double>(i) + 0.25);
    for (Index i = 0; i < sizes.d; ++i) vector.push_back(std::cos(static_cast<double>(i)));
  }

  Matrix generator;
  Vector times = {}, vector = {};
  std::vector<Matrix> matrices = {};
  Matrix images = {};  // row i is exp(t_i X) x
  Vector written;      // as many numbers as `matrices`, for the plain loop
};

double distance(std::span<const double> a, std::span<const double> b) {
  return (as_eigen(a) - as_eigen(b)).norm() / as_eigen(b).norm();
}

// Squaring loses about |tX| units in the last place.
double allowed(double t) { return 1e-14 * (100.0 + 10.0 * t); }

std::string matrices_fault(const Job& job) {
  for (std::size_t i = 0; i < job.times.size(); i += 16) {
    const double t = job.times[i];
    const Matrix expected = matrix_exponential(job.generator, t);
    if (!(distance(job.matrices[i].values(), expected.values()) <= allowed(t)))
      return fmt::format("exp(tX) at t = {} is not that of scaling and squaring", t);
  }
  return {};
}

std::string images_fault(const Job& job) {
  for (std::size_t i = 0; i < job.times.size(); i += 16) {
    const double t = job.times[i];
    const Matrix expected = matrix_exponential(job.generator, t);
    const Eigen::VectorXd image = as_eigen(expected) * as_eigen(std::span(job.vector));
    const std::span<const double> plain(image.data(), job.vector.size());
    if (!(distance(job.images.row(static_cast<Index>(i)), plain) <= allowed(t)))
      return fmt::format("exp(tX) x at t = {} is not that of scaling and squaring", t);
  }
  return {};
}

std::string size_text(const Sizes& sizes) {
  return fmt::format("{} values of t, d = {}, X normal", sizes.times, sizes.d);
}

BenchWork matrices_work(const BenchSize& size) {
  const Sizes sizes = sizes_of(size);
  const auto job = std::make_shared<Job>(sizes);
  return {.size = size_text(sizes),
          .amount = static_cast<double>(sizes.times),
          .unit = "matrices",
          .run = [job] { job->matrices = ExponentialFamily(job->generator).at(job->times); },
          .fault = [job] { return matrices_fault(*job); },
          .plain = fill_of(std::span(job->written), size.threads),
          .others = {{kEachTime,
                      [job] {
                        for (std::size_t i = 0; i < job->times.size(); ++i)
                          job->matrices[i] = matrix_exponential(job->generator, job->times[i]);
                      }}},
          .most_repeats = size.quick ? 1000 : 3,
          .peer = PeerTask{.function = "exponentials",
                           .libraries = {"scipy", "torch"},
                           .sizes = {{"d", sizes.d}, {"times", sizes.times}},
                           .dtype = "f64",
                           .bytes = bytes_of(size)}};
}

BenchWork images_work(const BenchSize& size) {
  const Sizes sizes = sizes_of(size);
  const auto job = std::make_shared<Job>(sizes);
  const auto count = static_cast<std::size_t>(sizes.times * sizes.d);
  return {
      .size = size_text(sizes),
      .amount = static_cast<double>(sizes.times),
      .unit = "vectors",
      .run =
          [job] { job->images = ExponentialFamily(job->generator).apply(job->times, job->vector); },
      .fault = [job] { return images_fault(*job); },
      .plain = fill_of(std::span(job->written).first(count), size.threads),
      .peer = PeerTask{.function = "exponential_images",
                       .libraries = {"scipy"},
                       .sizes = {{"d", sizes.d}, {"times", sizes.times}},
                       .dtype = "f64"}};
}

}  // namespace

void register_exponential(BenchRegistry& cases) {
  cases.add({.name = "exponential-matrices",
             .measures = "matrices exp(tX) for many t, decomposition included, on one thread",
             .goals = {{"E1", kEachTime, 8.0}},
             .bytes = bytes_of,
             .prepare = matrices_work});
  cases.add({.name = "exponential-vectors",
             .measures = "exp(tX) x for many t, decomposition included, on one thread",
             .goals = {{"E1", "scipy", 20.0}},
             .bytes = bytes_of,
             .prepare = images_work});
}

}  // namespace sextant
