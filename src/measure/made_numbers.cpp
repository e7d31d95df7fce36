// SPDX-License-Identifier: Apache-2.0
#include "measure/made_numbers.h"

#include <Eigen/QR>
#include <cmath>

#include "base/rng.h"
#include "math/eigen_map.h"
#include "math/lapack.h"

namespace sextant {
namespace {

constexpr std::uint64_t kSeed = 20240607;

EigenMatrix gaussian_square(Index d) {
  const Rng rng(kSeed, 5);
  return EigenMatrix::NullaryExpr(
      d, d, [&](Index i, Index j) { return rng.normal(static_cast<std::uint64_t>(i * d + j)); });
}

}  // namespace

SparseColumns zipf_columns(Index rows, Index columns, double mass) {
  const Rng rng(kSeed, 1);
  SparseColumns s;
  s.rows = rows;
  std::uint64_t counter = 0;
  for (Index v = 0; v < columns; ++v) {
    const double share = mass > 0.0 ? 1.0 - std::exp(-mass / static_cast<double>(v + 1)) : 1.0;
    for (Index i = 0; i < rows; ++i) {
      const double draw = rng.uniform(counter++);
      if (draw >= share) continue;
      s.row.push_back(static_cast<std::uint32_t>(i));
      s.value.push_back(std::sqrt((draw + 1e-3) / static_cast<double>(v + 1)));
    }
    s.starts.push_back(s.row.size());
  }
  return s;
}

Vector written_out(const SparseColumns& s) {
  Vector dense(static_cast<std::size_t>(s.rows * s.columns()));
  for (std::size_t v = 0; v + 1 < s.starts.size(); ++v) {
    for (std::size_t k = s.starts[v]; k < s.starts[v + 1]; ++k)
      dense[v * static_cast<std::size_t>(s.rows) + s.row[k]] = s.value[k];
  }
  return dense;
}

Matrix noisy_gram(Index n, double noise) {
  const Rng rng(kSeed, 3);
  const Index dim = n + n / 2;
  Matrix x(n, dim);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < dim; ++k) {
      const double decay = 1.0 / static_cast<double>(1 + k);
      const double phase = static_cast<double>(i * (k + 1)) / static_cast<double>(n);
      x(i, k) =
          decay * std::cos(3.0 * phase) + noise / std::sqrt(static_cast<double>(dim)) *
                                              rng.normal(static_cast<std::uint64_t>(i * dim + k));
    }
  }
  Matrix b(n, n);
  multiply_transposed(n, n, dim, 1.0, x.values().data(), dim, x.values().data(), dim, 0.0,
                      b.values().data(), n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) b(i, j) = b(j, i);
  }
  return b;
}

Matrix made_points(Index n, Index dim, PointCloud cloud) {
  const Rng rng(kSeed, 2);
  Matrix result(n, dim);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < dim; ++k) {
      if (cloud == PointCloud::kGaussian) {
        result(i, k) = rng.normal(static_cast<std::uint64_t>(i * dim + k));
        continue;
      }
      const Index pair = k - k % 2;
      const double phase = static_cast<double>(i) *
                           std::pow(1e4, -static_cast<double>(pair) / static_cast<double>(dim));
      result(i, k) = k % 2 == 0 ? std::sin(phase) : std::cos(phase);
    }
  }
  return result;
}

Matrix normal_generator(Index d) {
  EigenMatrix blocks = EigenMatrix::Zero(d, d);
  for (Index i = 0; i < d; i += 2) {
    const double w = std::pow(1e4, -static_cast<double>(i) / static_cast<double>(d));
    blocks(i, i) = blocks(i + 1, i + 1) = kGeneratorDecay * w;
    blocks(i + 1, i) = w;
    blocks(i, i + 1) = -w;
  }
  const Eigen::MatrixXd random = gaussian_square(d);
  const EigenMatrix q = Eigen::HouseholderQR<Eigen::MatrixXd>(random).householderQ();
  return to_matrix(q * blocks * q.transpose());
}

Matrix general_generator(Index d) { return to_matrix(gaussian_square(d) / static_cast<double>(d)); }

}  // namespace sextant
