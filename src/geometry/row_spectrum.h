// SPDX-License-Identifier: Apache-2.0
// Leading eigenpairs of the centred Gram matrix of sqrt P: the plain Hellinger geometry of long
// contexts. All functions are collectives; every rank gets the result.
#pragma once

#include <optional>

#include "geometry/row_operator.h"

namespace sextant {

// What each rank may use of the memory of its machine.
struct MemoryShare {
  std::optional<double> limit = {};  // bytes; nothing: its part of 80 % of what is available
  Index ranks_here = 1;              // that share this machine
};

// Throws kRefused on every rank when `bytes` do not fit on one of them. `advice` ends the message.
void refuse_together(Communicator& ranks, const MemoryShare& share, double bytes,
                     std::string_view where, std::string_view what, std::string_view advice);

// Positions whose laws are all equal up to rounding have no spectrum worth the name.
bool indistinguishable(double trace, Index rows);

// By block Krylov on rank 0, products by all. The same bits for any number of ranks and threads.
// The multiplicity is not certified, unless the matrix is so small that it is written out.
Spectrum krylov_spectrum(const RowOperator& product, const PositionRows& rows, Communicator& ranks,
                         Index count);
// Most of any rank, beside the rows; network bytes of a product with one vector, in each step of a
// tree of ranks.
double krylov_bytes(Index rows, Index tokens, Index count, Index threads);
double krylov_network(Index rows, Index tokens);
double krylov_vectors(Index count);  // of the solver, on rank 0

// From the n x n matrix: each rank adds up the products of its share of the tokens, rank 0 solves.
// The same bits for any number of ranks and threads.
Spectrum dense_spectrum(const CellSource& cells, const PositionRows& rows, Communicator& ranks,
                        Index count, Index threads);
double dense_bytes(const PositionRows& rows, Index count);

// Fills residual and orthogonality of what another solver found, on every rank, and throws kNumeric
// where they are too large. `found` is that of rank 0.
Spectrum checked_spectrum(const RowOperator& product, Communicator& ranks, Spectrum found);

// Coordinates of classical MDS: column k is sqrt(lambda_k) u_k; negative eigenvalues give zeros.
Matrix coordinates(const Spectrum& spectrum);

}  // namespace sextant
