// SPDX-License-Identifier: Apache-2.0
// The eigensolvers behind sextant/geometry.h.
#pragma once

#include <cstdint>
#include <functional>

#include "math/lapack.h"
#include "sextant/geometry.h"

namespace sextant {

// What the result of any eigensolver is held to.
inline constexpr double kMostResidual = 1e-8;
inline constexpr double kMostOrthogonality = 1e-8;

// Eigenpairs by LAPACK: the `count` largest, 1 <= count <= n.
Spectrum lapack_eigenpairs(const Matrix& symmetric, Index count);

// Brings eigenvectors by columns into the form that Spectrum promises: largest first, in each
// vector the component of largest magnitude positive (the first one, if several tie to 1e-8).
// `rising`: the values rise.
Spectrum to_spectrum(const Vector& values, const Columns& vectors, bool rising);

// True where top_eigenpairs() of an operator writes it out as a matrix.
bool is_written_out(Index n, Index count);

// Fills residual (relative to the largest of `norm` and the |values|) and orthogonality.
void check_spectrum(const Operator& apply, double norm, Spectrum& spectrum);

struct KrylovPlan {
  Index count;           // wanted eigenpairs
  Index block;           // vectors that grow together, at least 2
  Index most_columns;    // products B x before it gives up
  bool hurried = false;  // gives up as soon as the trend says that most_columns will not do
};
// Block Krylov with full reorthogonalisation, Rayleigh-Ritz, and a restart from the best Ritz
// vectors. Before it ends, it starts again from random vectors orthogonal to what was found, so
// that copies of a multiple eigenvalue that the first blocks missed come in. No values: not
// converged.
Spectrum krylov_eigenpairs(Index n, const Operator& apply, const KrylovPlan& plan);

// How many eigenvalues of a symmetric matrix are above sigma (Sylvester's law on L D L^T). The
// matrix is destroyed.
Index eigenvalues_above(Matrix symmetric, double sigma);

}  // namespace sextant
