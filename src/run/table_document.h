// SPDX-License-Identifier: Apache-2.0
// A learned table as JSON: docs/models.md.
#pragma once

#include "io/json.h"
#include "model/table_facts.h"

namespace sextant {

// For pictures, long lists are the means of neighbours, at most 1024 of them, beside their first
// rows, and no number has more than five digits.
enum class TableRows { kAll, kPicture };

// shape, dtype, norms, neighbours, ranks, untrained rows, geometry, waves. `table` may have lost
// its values.
Json table_json(const LearnedTable& table, const TableFacts& facts, TableRows rows);

}  // namespace sextant
