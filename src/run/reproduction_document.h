// SPDX-License-Identifier: Apache-2.0
// Published numbers beside our own as JSON: docs/reproduce.md.
#pragma once

#include "io/json.h"
#include "training/reproduction.h"

namespace sextant {

// name, source, method, number of cells, whether some are trained, names of corpora.
Json reproduction_info_json(const ReproductionRegistry::Entry& entry);

// One object per cell: name, source, place, cell, relation, published, ours, sd, condition, setup,
// verdict, remark, readings.
Json cells_json(const Reproduction& table);

}  // namespace sextant
