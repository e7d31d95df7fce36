// SPDX-License-Identifier: Apache-2.0
// Generators with known blocks, in random bases and with noise.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "sextant/classify.h"
#include "sextant/matrix.h"

namespace sextant {

inline Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows(), b.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index k = 0; k < a.cols(); ++k)
      for (Index j = 0; j < b.cols(); ++j) result(i, j) += a(i, k) * b(k, j);
  return result;
}

inline Matrix transposed(const Matrix& a) {
  Matrix result(a.cols(), a.rows());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) result(j, i) = a(i, j);
  return result;
}

inline double frobenius(const Matrix& a) {
  double sum = 0.0;
  for (const double value : a.values()) sum += value * value;
  return std::sqrt(sum);
}

// The block with its kind filled in.
inline BlockFamily block(double decay, double frequency, Index size = 1, Index count = 1) {
  return {block_kind(decay, frequency, size), decay, frequency, size, count};
}

// Block diagonal, with links coupled by 1.
inline Matrix jordan_matrix(std::span<const BlockFamily> families) {
  Index dim = 0;
  for (const BlockFamily& family : families) dim += family.dim();
  Matrix x(dim, dim);
  Index start = 0;
  for (const BlockFamily& family : families) {
    const Index width = family.complex() ? 2 : 1;
    for (Index copy = 0; copy < family.count; ++copy)
      for (Index link = 0; link < family.size; ++link, start += width) {
        for (Index i = 0; i < width; ++i) {
          x(start + i, start + i) = family.decay;
          if (link + 1 < family.size) x(start + i, start + width + i) = 1.0;
        }
        if (width == 2) {
          x(start, start + 1) = -family.frequency;
          x(start + 1, start) = family.frequency;
        }
      }
  }
  return x;
}

inline Matrix random_normal(Index rows, Index cols, const Rng& rng) {
  Matrix result(rows, cols);
  std::uint64_t counter = 0;
  for (double& value : result.values()) value = rng.normal(counter++);
  return result;
}

// Gram-Schmidt, twice, of normal rows.
inline Matrix random_orthogonal(Index n, const Rng& rng) {
  Matrix q = random_normal(n, n, rng);
  for (Index i = 0; i < n; ++i)
    for (int round = 0; round < 2; ++round) {
      for (Index j = 0; j < i; ++j) {
        double dot = 0.0;
        for (Index k = 0; k < n; ++k) dot += q(i, k) * q(j, k);
        for (Index k = 0; k < n; ++k) q(i, k) -= dot * q(j, k);
      }
      double sum = 0.0;
      for (const double value : q.row(i)) sum += value * value;
      for (double& value : q.row(i)) value /= std::sqrt(sum);
    }
  return q;
}

// S x S^-1 for S = U diag(1 ... condition, geometric) V^T with random U, V.
inline Matrix similar(const Matrix& x, double condition, std::uint64_t seed) {
  const Index n = x.rows();
  const Matrix u = random_orthogonal(n, Rng(seed, 1)), v = random_orthogonal(n, Rng(seed, 2));
  Matrix inner = product(product(transposed(v), x), v);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n && n > 1; ++j)
      inner(i, j) *= std::pow(condition, static_cast<double>(i - j) / static_cast<double>(n - 1));
  return product(product(u, inner), transposed(u));
}

// x + E, normal with |E| = noise |x|, Frobenius.
inline Matrix with_noise(const Matrix& x, double noise, std::uint64_t seed) {
  Matrix result = random_normal(x.rows(), x.cols(), Rng(seed, 3));
  const double scale = noise * frobenius(x) / frobenius(result);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j) result(i, j) = x(i, j) + scale * result(i, j);
  return result;
}

}  // namespace sextant
