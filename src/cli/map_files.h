// SPDX-License-Identifier: Apache-2.0
// Generators, maps and kernels from files.
#pragma once

#include <string>
#include <vector>

#include "run/map_arrays.h"

namespace sextant::cli {

// True for a name that ends as a file of numbers does, so that it is no spec.
bool names_array(std::string_view text);

// [d, d], or one per axis of the position, [axes, d, d]. Throws kMalformed for other shapes.
std::vector<Matrix> read_generators(const std::string& file);

// Stacks [n, d, d], or [contents, n, d, d] for maps measured on several contents; positions 0, 1,
// ... or those of `at`, [n] or [n, axes]. Throws kMalformed for other shapes.
MapSamples read_maps(const std::string& f, const std::string& g, const std::string& at);

// [n]; two-sided: [2n-1] with lag 0 in the middle. Throws kMalformed for other shapes.
KernelSamples read_kernel(const std::string& file, bool two_sided);

// Positions from a .npy file, [n] or [n, axes].
Positions read_positions(const std::string& file);

}  // namespace sextant::cli
