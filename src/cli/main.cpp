// SPDX-License-Identifier: Apache-2.0
// The program sextant: one process.
#include <csignal>

#include "cli/interrupt.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  // A reader that closes the pipe is an error of write(), not a death by signal.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  sextant::cli::end_at_signals();
  return sextant::cli::guarded_main(argc, argv, sextant::alone(), sextant::cli::report_error);
}
