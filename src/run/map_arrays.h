// SPDX-License-Identifier: Apache-2.0
// Generators, maps, kernels and positions from arrays of numbers. `where` names the array in
// errors: its file, or an argument.
#pragma once

#include <string_view>
#include <vector>

#include "io/npy.h"
#include "sextant/classify.h"

namespace sextant {

// [d, d], or one per axis of the position, [axes, d, d]. Throws kMalformed for other shapes.
std::vector<Matrix> generators_of(const NpyArray& array, std::string_view where);

// Stacks [n, d, d], or [contents, n, d, d] for maps measured on several contents; positions 0, 1,
// ... or those of `at`. Throws kMalformed for other shapes.
MapSamples maps_of(const NpyArray& f, std::string_view where_f, const NpyArray& g,
                   std::string_view where_g, const std::optional<Positions>& at);

struct KernelSamples {
  Vector behind;  // at lags 0, 1, ...
  Vector ahead;   // at lags 0, -1, ...; empty for a one-sided kernel
};
// [n]; two-sided: [2n-1] with lag 0 in the middle. Throws kMalformed for other shapes.
KernelSamples kernel_of(NpyArray array, bool two_sided, std::string_view where);

// [n] or [n, axes].
Positions positions_of(const NpyArray& array, std::string_view where);

}  // namespace sextant
