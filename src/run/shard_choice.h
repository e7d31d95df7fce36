// SPDX-License-Identifier: Apache-2.0
// Which part of divided work this process does, in the words of a user.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sextant/corpus.h"

namespace sextant {

// A variable of the environment; nothing where it is not set.
using Variables = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> environment_variable(const char* name);

// "2/8", or whose variables say it:
//   slurm-array  SLURM_ARRAY_TASK_ID among _COUNT from _MIN (or 0) on, in steps of _STEP (or 1)
//   slurm        SLURM_PROCID of SLURM_NTASKS
//   mpirun       OMPI_COMM_WORLD_RANK of OMPI_COMM_WORLD_SIZE, or MPICH's PMI_RANK of PMI_SIZE
//   torchrun     RANK of WORLD_SIZE
// Throws kUsage, naming `option`, for another text, for a variable that is missing or no number,
// and for an array that is no range.
Shard parse_shard(std::string_view option, std::string_view text,
                  const Variables& variables = environment_variable);

}  // namespace sextant
