// SPDX-License-Identifier: Apache-2.0
// Times as JSON: docs/bench.md.
#pragma once

#include "io/json.h"
#include "measure/bench_run.h"
#include "run/bench_peers.h"

namespace sextant {

// name, measures, goals: what is known without running.
Json bench_case_json(const BenchCase& each);

// One object per row: size, amount, unit, checked, error, times of ours and of all rivals, ratios,
// goals with their verdicts.
Json bench_row_json(const BenchRow& row, const BenchSize& size);

// Versions or reasons by name.
Json peer_libraries_json(std::span<const PeerLibrary> libraries);

// build_json(), the model of the processor and the instruction set of the kernels. Nothing else of
// the computer.
Json bench_provenance_json();

// "R1: at least 0.75 x read and write in place", "C1: at least 70 MB/s".
std::string goal_text(const SpeedGoal& goal, std::string_view unit);

// "25.7 GB/s", "1.25e+06 matrices/s".
std::string rate_text(double per_second, std::string_view unit);

}  // namespace sextant
