// SPDX-License-Identifier: Apache-2.0
// The nearest generator of a family, in the Frobenius norm and in the basis that X is given in: a
// change of basis would change the norm that nearness is measured in.
#include "base/check.h"
#include "math/dense_svd.h"
#include "math/eigen_map.h"
#include "sextant/classify.h"

namespace sextant {
namespace {

// The symmetric part S with its eigenvalues clipped to one side of 0: half of S plus or minus |S|.
EigenMatrix clipped(const EigenMatrix& x, bool below) {
  const EigenMatrix symmetric = 0.5 * (x + x.transpose());
  const DenseSvd svd = dense_svd(symmetric);
  const EigenMatrix modulus = svd.v * svd.values.asDiagonal() * svd.v.transpose();
  const double side = below ? -0.5 : 0.5;
  return 0.5 * symmetric + side * modulus;
}

EigenMatrix nearest_of(const EigenMatrix& x, BlockKind kind) {
  const Index d = x.rows();
  EigenMatrix skew = 0.5 * (x - x.transpose());
  switch (kind) {
    case BlockKind::kNone:
      return EigenMatrix::Zero(d, d);
    case BlockKind::kRotation:
      return skew;
    case BlockKind::kSpiral:
      return skew + x.trace() / static_cast<double>(d) * EigenMatrix::Identity(d, d);
    case BlockKind::kDecay:
      return clipped(x, true);
    case BlockKind::kGrowth:
      return clipped(x, false);
    case BlockKind::kRealJordan:
    case BlockKind::kComplexJordan:
      break;
  }
  fail(ErrorCode::kUsage, "nearest",
       "family must be none, decay, growth, rotation or spiral but is {}: Jordan blocks come as "
       "near to other matrices as one likes, none is nearest",
       name(kind));
}

}  // namespace

NearestGenerator nearest_generator(const Matrix& x, BlockKind kind) {
  require(x.rows() == x.cols() && x.rows() > 0 && x.rows() <= kMostGenerator, "nearest",
          "matrix must be square with a side of 1 to {} but is {} x {}", kMostGenerator, x.rows(),
          x.cols());
  const EigenMatrix given = as_eigen(x);
  if (!given.allFinite()) fail(ErrorCode::kNumeric, "nearest", "matrix must be finite");
  const EigenMatrix best = nearest_of(given, kind);
  const double norm = given.norm();
  NearestGenerator result;
  result.x = to_matrix(best);
  result.families = classify_generator(result.x).families;
  result.residual = norm > 0.0 ? (given - best).norm() / norm : 0.0;
  return result;
}

}  // namespace sextant
