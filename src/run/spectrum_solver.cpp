// SPDX-License-Identifier: Apache-2.0
#include "run/spectrum_solver.h"

namespace sextant {

DistributedSolver& slepc_solver() {
  static DistributedSolver solver;
  return solver;
}

}  // namespace sextant
