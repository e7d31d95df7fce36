// SPDX-License-Identifier: Apache-2.0
// What the library relies on in BLAS and LAPACK: calls from several threads do not disturb each
// other.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "base/rng.h"
#include "math/gram.h"
#include "sextant/geometry.h"

namespace sextant {
namespace {

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  const Rng rng(seed, 1);
  Matrix m(rows, cols);
  for (std::size_t i = 0; i < m.values().size(); ++i) m.values()[i] = rng.normal(i);
  return m;
}

// A product of matrices and a dense eigenproblem of a size that depends on `job`.
Vector answer(Index job) {
  const Index n = 20 + job * 37 % 150;
  const DistanceMatrix distances = stored(
      *distances_of_rows(random_matrix(n, 1 + job * 53 % 40, static_cast<std::uint64_t>(job))));
  Spectrum spectrum = top_eigenpairs(gram_of_squared(distances), 0);
  Vector result = std::move(spectrum.values);
  result.insert(result.end(), spectrum.vectors.values().begin(), spectrum.vectors.values().end());
  return result;
}

TEST(Lapack, CallsFromSeveralThreadsGiveTheBitsOfOneThread) {
  constexpr Index kJobs = 24;
  std::vector<Vector> expected;
  for (Index job = 0; job < kJobs; ++job) expected.push_back(answer(job));
  std::vector<int> wrong(4);
  {
    std::vector<std::jthread> threads;
    for (Index thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&expected, &wrong, thread] {
        for (Index step = 0; step < kJobs; ++step) {
          const Index job = (step * 7 + thread * 13) % kJobs;
          const Vector found = answer(job);
          const Vector& right = expected[static_cast<std::size_t>(job)];
          if (std::memcmp(found.data(), right.data(), right.size() * sizeof(double)) != 0) {
            ++wrong[static_cast<std::size_t>(thread)];
          }
        }
      });
    }
  }
  EXPECT_EQ(wrong, std::vector<int>(4));
}

}  // namespace
}  // namespace sextant
