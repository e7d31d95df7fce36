// SPDX-License-Identifier: Apache-2.0
// A solver that a program may bring along: the library and `sextant` link none of its libraries.
#pragma once

#include <functional>

#include "geometry/row_operator.h"

namespace sextant {

// A collective: the `count` largest eigenpairs of the operator, checked, on every rank.
using DistributedSolver =
    std::function<Spectrum(const RowOperator&, const PositionRows&, Communicator&, Index count)>;

// That of --solver slepc; empty unless the program has set it.
DistributedSolver& slepc_solver();

}  // namespace sextant
