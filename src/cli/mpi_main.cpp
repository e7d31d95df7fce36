// SPDX-License-Identifier: Apache-2.0
// The program sextant-mpi: the verbs of sextant by the ranks of an MPI job.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/check.h"
#include "base/text.h"
#include "cli/hand_over.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/program.h"
#include "run/handshake.h"
#include "run/mpi_communicator.h"
#ifdef SEXTANT_WITH_SLEPC
#include "run/slepc_spectrum.h"
#include "run/spectrum_solver.h"
#endif

namespace sextant::cli {
namespace {

// Seconds without a sign of life after which a rank is lost.
std::chrono::duration<double> deadline() {
  const char* text = std::getenv("SEXTANT_RANK_DEADLINE");
  if (text == nullptr || *text == '\0') return RankWatch{}.deadline;
  const std::optional<double> seconds = parse_number(text);
  constexpr double kLeast = 5.0, kDay = 86400.0;  // signs of life come each second, or late
  require(seconds && *seconds >= kLeast && *seconds <= kDay, "SEXTANT_RANK_DEADLINE",
          "must be a number of seconds, {} to {}, but is '{}'", kLeast, kDay, escaped(text));
  return std::chrono::duration<double>(*seconds);
}

// Ranks of a launcher whose language this MPI does not speak are each alone: all would do the
// whole.
void check_launcher(const Communicator& ranks) {
  if (launched_size() == 1 || launched_size() == ranks.size()) return;
  std::this_thread::sleep_for(turn_of(launched_rank()));
  fail(
      ErrorCode::kRankLost, "MPI",
      "the launcher started {} ranks but MPI sees {}: use the launcher of the MPI that sextant-mpi "
      "was built with",
      launched_size(), ranks.size());
}

// An error that all ranks share is printed once: rank 0 ends the job before the others speak.
int end_with_error(MpiCommunicator& ranks, const std::string& message, int status) {
  std::this_thread::sleep_for(turn_of(ranks.rank()));
  report_error(ranks.is_root() ? message : fmt::format("rank {}: {}", ranks.rank(), message),
               status);
  ranks.end_job(status);
}

int ranks_main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  RankWatch watch;
  watch.deadline = deadline();
  watch.stopping = is_asked_to_stop;
  watch.stop = request_stop;
  watch.lost = [](std::string_view text) {
    report_error(std::string(text), exit_status(ErrorCode::kRankLost));
  };
  MpiCommunicator ranks(argc, argv, std::move(watch), launched_rank());
  if (!ranks.is_root()) mute_output();
  const auto on_error = [&ranks](const std::string& message, int status) {
    return end_with_error(ranks, message, status);
  };
  try {
    check_launcher(ranks);
    check_same_program(ranks, SEXTANT_VERSION, arguments);
  } catch (const Error& error) {
    return on_error(error.what(), exit_status(error.code()));
  }
#ifdef SEXTANT_WITH_SLEPC
  slepc_solver() = slepc_spectrum;
#endif
  return guarded_main(argc, argv, ranks, on_error);
}

}  // namespace
}  // namespace sextant::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  sextant::cli::end_at_signals();
  try {
    return sextant::cli::ranks_main(argc, argv);
  } catch (const sextant::Error& error) {
    return sextant::cli::report_error(error.what(), sextant::exit_status(error.code()));
  } catch (const std::exception& error) {
    return sextant::cli::report_error(error.what(),
                                      sextant::exit_status(sextant::ErrorCode::kInternal));
  }
}
