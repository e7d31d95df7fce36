// SPDX-License-Identifier: Apache-2.0
#include "theory/memorisation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/rng.h"
#include "math/dense_svd.h"
#include "theory/layer.h"

namespace sextant {
namespace {

constexpr double kSameOutput = 1e-10;
constexpr double kRankTolerance = 1e-12;  // of the norm; rounding leaves some 1e-15

enum Stream : std::uint64_t { kSymbols = 101, kWeights, kOffsets, kTargets, kSequences };

EigenMatrix normal_matrix(Index rows, Index cols, std::uint64_t seed, Stream stream) {
  EigenMatrix result(rows, cols);
  const Rng rng(seed, stream);
  std::uint64_t next = 0;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) result(i, j) = rng.normal(next++);
  return result;
}

// Left singular vectors beyond rounding, by columns.
Eigen::MatrixXd range_of(const Eigen::MatrixXd& a, double norm) {
  const DenseSvd svd = dense_svd(a);
  const Index rank = (svd.values.array() > kRankTolerance * norm).count();
  return svd.u.leftCols(rank);
}

double mean_square(const Eigen::VectorXd& x) {
  return x.squaredNorm() / static_cast<double>(x.size());
}

// [pairs, dim]
EigenMatrix outputs(const Transformer& model, const Effects& effects,
                    const std::vector<std::string>& sequences, std::uint64_t seed) {
  const auto n = static_cast<Index>(sequences.front().size());
  const PositionTerms terms(effects, model.shape, n);
  const EigenMatrix symbols = normal_matrix(2, model.shape.dim, seed, kSymbols);
  EigenMatrix result(n * static_cast<Index>(sequences.size()), model.shape.dim),
      x(n, model.shape.dim);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    for (Index t = 0; t < n; ++t)
      x.row(t) = symbols.row(sequences[i][static_cast<std::size_t>(t)] == '1' ? 1 : 0);
    result.middleRows(static_cast<Index>(i) * n, n) = residual_stream(model, terms, x);
  }
  return result;
}

// A random layer of as many units as rows. Steep ones: neighbours differ in which are on.
Eigen::MatrixXd widened(const EigenMatrix& x, std::uint64_t seed) {
  constexpr double kSteepness = 4.0;
  const Index units = x.rows() + x.rows() / 4;
  const EigenMatrix weights = normal_matrix(units, x.cols(), seed, kWeights);
  const EigenMatrix offsets = normal_matrix(1, units, seed, kOffsets);
  EigenMatrix hidden =
      kSteepness / std::sqrt(static_cast<double>(x.cols())) * x * weights.transpose();
  hidden.rowwise() += kSteepness * offsets.row(0);
  return hidden.unaryExpr([](double value) { return gelu(value); });
}

struct Orbit {
  double total = 0.0;  // of the targets
  std::vector<Index> members;
};

// How many of the given rows differ from all those before them.
Index distinct_rows(const EigenMatrix& x, const std::vector<Index>& rows) {
  Index count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto same = [&](Index before) {
      return (x.row(rows[i]) - x.row(before)).norm() <= kSameOutput * x.row(rows[i]).norm();
    };
    if (std::none_of(rows.begin(), rows.begin() + static_cast<Index>(i), same)) ++count;
  }
  return count;
}

}  // namespace

double readout_error(const Matrix& features, const Vector& targets) {
  Eigen::MatrixXd centred = as_eigen(features);
  const double norm = centred.norm();
  centred.rowwise() -= centred.colwise().mean().eval();
  Eigen::VectorXd rest = as_eigen(std::span(targets));
  rest.array() -= rest.mean();
  const Eigen::MatrixXd range = range_of(centred, norm);
  rest -= range * (range.transpose() * rest);
  return mean_square(rest);
}

std::vector<std::string> binary_sequences(Index n, Index most, std::uint64_t seed) {
  const auto length = static_cast<std::size_t>(n);
  const auto text = [&](std::uint64_t bits) {
    std::string x(length, '0');
    for (std::size_t i = 0; i < length; ++i) x[i] = (bits >> i & 1) != 0 ? '1' : '0';
    return x;
  };
  const std::uint64_t all = std::uint64_t{1} << length;
  std::set<std::string> chosen;
  if (all <= static_cast<std::uint64_t>(most)) {
    for (std::uint64_t bits = 0; bits < all; ++bits) chosen.insert(text(bits));
  } else {
    chosen = {text(0), text(all - 1)};
    const Rng rng(seed, kSequences);
    for (std::uint64_t draw = 0; static_cast<Index>(chosen.size()) + 1 < most; ++draw) {
      const std::string x = text(rng.at(draw));
      chosen.insert({x, std::string(x.rbegin(), x.rend())});
    }
  }
  return {chosen.begin(), chosen.end()};
}

Memorisation memorise(const Transformer& model, const Effects& effects,
                      const ResidualSymmetry& symmetry, const std::vector<std::string>& sequences,
                      std::uint64_t seed) {
  const EigenMatrix stream = outputs(model, effects, sequences, seed);
  const Index pairs = stream.rows();
  const Eigen::VectorXd targets =
      normal_matrix(pairs, 1, seed, kTargets).normalized() * std::sqrt(static_cast<double>(pairs));
  std::map<std::string, Orbit> orbits;
  Index row = 0;
  for (const std::string& x : sequences)
    for (std::size_t t = 0; t < x.size(); ++t, ++row) {
      Orbit& orbit = orbits[symmetry.orbit(x, t)];
      orbit.total += targets(row);
      orbit.members.push_back(row);
    }
  double within = 0.0;  // orbits, squares about their means: 0 where each is a single pair
  std::vector<Index> firsts;
  for (const auto& entry : orbits) {
    const Orbit& orbit = entry.second;
    const double mean = orbit.total / static_cast<double>(orbit.members.size());
    for (const Index member : orbit.members) within += std::pow(targets(member) - mean, 2);
    firsts.push_back(orbit.members.front());
  }
  const Eigen::MatrixXd features = widened(stream, seed);
  const Eigen::MatrixXd range = range_of(features, features.norm());
  return {.pairs = pairs,
          .orbits = static_cast<Index>(orbits.size()),
          .distinct = distinct_rows(stream, firsts),
          .rank = range.cols(),
          .error = mean_square(targets - range * (range.transpose() * targets)),
          .least = within / static_cast<double>(pairs)};
}

}  // namespace sextant
