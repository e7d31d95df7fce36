// SPDX-License-Identifier: Apache-2.0
#include "cli/hand_over.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "base/check.h"
#include "base/text.h"
#include "cli/other_program.h"
#include "run/rank_watch.h"

namespace sextant::cli {
namespace {

std::optional<Index> number_in_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : parse_integer(value);
}

}  // namespace

Index launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const std::optional<Index> rank = number_in_variable(name))
      return std::max<Index>(*rank, 0);
  return 0;
}

namespace {

void let_first_rank_speak() { std::this_thread::sleep_for(turn_of(launched_rank())); }

}  // namespace

Index launched_size() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const std::optional<Index> size = number_in_variable(name))
      return std::max<Index>(*size, 1);
  if (std::getenv("PMIX_RANK") == nullptr) return 1;
  for (const char* name : {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"})
    if (const std::optional<Index> size = number_in_variable(name))
      return std::max<Index>(*size, 1);
  return 1;
}

bool started_as_ranks() { return launched_size() > 1; }

Index tasks_apart() {
  if (started_as_ranks() || number_in_variable("SLURM_PROCID") != Index{0}) return 1;
  return std::max<Index>(1, number_in_variable("SLURM_STEP_NUM_TASKS").value_or(1));
}

void refuse_ranks(std::string_view where, std::string_view why) {
  if (!started_as_ranks()) return;
  let_first_rank_speak();
  fail(ErrorCode::kUsage, where, "{}", why);
}

void hand_over(char** argv) {
  try {
    const std::filesystem::path program = other_program(
        "sextant-mpi", "SEXTANT_MPI",
        "the program for several ranks is not there; install the packages openmpi-bin and "
        "libopenmpi-dev and build again");
    std::error_code none;
    if (std::filesystem::equivalent(program, "/proc/self/exe", none))
      fail(ErrorCode::kUnreadable, path_text(program), "is this program, not sextant-mpi");
    execv(program.c_str(), argv);
    fail(ErrorCode::kUnreadable, path_text(program), "{}", std::strerror(errno));
  } catch (const Error&) {
    let_first_rank_speak();
    throw;
  }
}

}  // namespace sextant::cli
