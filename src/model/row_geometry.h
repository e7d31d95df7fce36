// SPDX-License-Identifier: Apache-2.0
// Distances between the rows of a table: how many dimensions they need, whether they grow with the
// lag, and which waves the rows are made of.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "math/eigen_map.h"
#include "model/table_facts.h"

namespace sextant {

// `rows` stand at the positions `at` of a table of `length` rows. REQUIRES: at rises, and the rows
// are not all equal.
TableGeometry row_geometry(const Eigen::Ref<const EigenMatrix>& rows, const std::vector<Index>& at,
                           Index length);

}  // namespace sextant
