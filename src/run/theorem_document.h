// SPDX-License-Identifier: Apache-2.0
// Theorems checked, several at once, and what came out as JSON: docs/report-format.md, `claims`.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/json.h"
#include "sextant/theorem.h"

namespace sextant {

struct CheckedTheorem {
  const TheoremInfo* info = nullptr;
  TheoremCheck check = {};
  std::optional<std::string> error = {};  // why it could not run; then the verdict is kNotTestable
};

// After each check, from the thread that ran it: how many are done, and the last of them.
using CheckProgress =
    std::function<void(std::size_t done, std::size_t total, const TheoremInfo& last)>;

// The theorems of these ids or names in the order given, each once; all for none. Throws kUsage
// with the nearest name.
std::vector<TheoremRegistry::Entry> chosen_theorems(std::span<const std::string> ids);

// One result per entry, in their order, the same for every number of threads. A check that throws
// Error or finds no memory becomes a result with `error`; the others go on. Throws as validate()
// does.
std::vector<CheckedTheorem> check_theorems(std::span<const TheoremRegistry::Entry> entries,
                                           const TheoremOptions& options, Index threads,
                                           const CheckProgress& progress = {});

// False for a finding without a number: nothing could be measured.
bool applies(const Finding& finding);

// The finding that decided, or nullptr where there is none.
const Finding* decisive_finding(const TheoremCheck& check);

// "docs/math/alibi_extrapolation.md".
std::string note_path(const TheoremInfo& info);

Json theorem_info_json(const TheoremInfo& info);
Json theorem_options_json(const TheoremOptions& options);

enum class FigurePoints { kAll, kThinned };
inline constexpr std::size_t kMostFigurePoints = 200;  // of a thinned curve

// title, x_label, y_label, log_x, log_y, curves.
Json figure_json(const Figure& figure, FigurePoints points);

// Numbers that are not finite are null. Thinned curves keep their ends; their y has five digits.
Json theorem_json(const CheckedTheorem& checked, FigurePoints points);

// All theorems with their default options, for a report: an array of theorem_json().
Json all_claims_json(std::uint64_t seed, Index threads);

}  // namespace sextant
