// SPDX-License-Identifier: Apache-2.0
// The command line as a function: what the programs sextant and sextant-mpi are made of.
#pragma once

#include <functional>
#include <string>

#include "base/communicator.h"

namespace sextant::cli {

// Says what is wrong and returns the exit status of the program.
using OnError = std::function<int(const std::string& message, int status)>;

// Never throws. Under a launcher of MPI, with alone(), a verb that takes ranks is handed over to
// sextant-mpi.
int guarded_main(int argc, char** argv, Communicator& ranks, const OnError& on_error);

// Prints "sextant: error: MESSAGE" in one line on stderr and returns `status`.
int report_error(std::string message, int status);

}  // namespace sextant::cli
