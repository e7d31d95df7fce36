// SPDX-License-Identifier: Apache-2.0
// The arrays that a trial leaves in its folder; docs/lab.md lists them.
#pragma once

#include <filesystem>

#include "lab/checkpoint.h"
#include "lab/learned.h"

namespace sextant {

// Of floats, doubles or 64-bit integers.
void write_npy(const std::filesystem::path& path, const torch::Tensor& tensor);

// rows.npy [snapshots, n, dim] and rows_steps.npy [snapshots].
void write_kept_rows(const std::filesystem::path& folder, const TrainingProgress& progress);

// learned_<term>_<parameter>.npy of each trained term, and learned.json with the specs that load
// them. Nothing where nothing of the encoding was trained.
void write_learned(const std::filesystem::path& folder, const EncodingModule& encoding);

}  // namespace sextant
