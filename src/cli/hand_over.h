// SPDX-License-Identifier: Apache-2.0
// sextant started by mpirun or srun: the program of the same verbs that speaks MPI takes over.
#pragma once

#include <string_view>

#include "sextant/matrix.h"

namespace sextant::cli {

// What the launcher of MPI calls this process; 0 where nothing says it.
Index launched_rank();

// How many of us a launcher of MPI started, 1 without one: Open MPI, MPICH, or Slurm with PMI or
// PMIx.
Index launched_size();
bool started_as_ranks();  // several

// Tasks that srun started beside this one, with it, which MPI cannot bring together: without PMIx.
// 1 where there are none, and in all tasks but the first.
Index tasks_apart();

// Throws kUsage, "WHERE: WHY", when a launcher started several of us.
void refuse_ranks(std::string_view where, std::string_view why);

// Becomes sextant-mpi with the same arguments: what SEXTANT_MPI names, else beside this program,
// else in PATH. Throws kUnreadable, saying how to get it. Of both errors one line is printed: ranks
// other than the first wait a moment before they throw.
[[noreturn]] void hand_over(char** argv);

}  // namespace sextant::cli
