// SPDX-License-Identifier: Apache-2.0
#include "cli/lab_program.h"

#include "cli/other_program.h"

namespace sextant::cli {

std::filesystem::path lab_program() {
  return other_program("sextant-lab", "SEXTANT_LAB",
                       "the program that trains is not there; install the package libtorch-dev and "
                       "build again");
}

}  // namespace sextant::cli
