// SPDX-License-Identifier: Apache-2.0
// Leading eigenpairs by SLEPc: vectors lie over the ranks too, where Krylov of our own holds them
// on rank 0. Linked into sextant-mpi only.
#pragma once

#include "geometry/row_operator.h"

namespace sextant {

// A DistributedSolver. MPI must have been started. Throws kNumeric where SLEPc gives up or its
// result fails our checks. The multiplicity is not certified.
Spectrum slepc_spectrum(const RowOperator& product, const PositionRows& rows, Communicator& ranks,
                        Index count);

}  // namespace sextant
