// SPDX-License-Identifier: Apache-2.0
// T12: why no bound of this library promises that a model generalises to longer sequences.
#include "sextant/theorem.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    "as in the paper: two-layer C-RASP programs, and transformers through their equivalence",
    "a bound that is computable from the program; for single programs bounds can exist",
};

constexpr TheoremInfo kInfo = {
    .id = "T12",
    .name = "no_free_lunch",
    .title = "No free lunch in length generalisation",
    .source = "arXiv:2603.02238",
    .claim =
        "no computable bound on length generalisation exists for two-layer C-RASP, hence none "
        "for transformers",
    .statement = "cited beside every extrapolation bound; an impossibility is not computed",
    .conditions = kConditions,
};

TheoremCheck check(const TheoremOptions&) {
  return {.verdict = ClaimVerdict::kNotTestable,
          .reason =
              "cited, not computed: no finite computation shows that a computable bound does "
              "not exist"};
}

}  // namespace

void register_no_free_lunch(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
