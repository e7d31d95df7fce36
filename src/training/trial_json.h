// SPDX-License-Identifier: Apache-2.0
// Trials and their results as JSON: how the program that plans talks to the one that computes.
//
// Members have the names of sextant/trial.h; enumerations are words: norm none|before|after,
// activation gelu|relu, precision float|double, end finished|not finite. Numbers read back to the
// same bits, but one that is not finite is written as null and read as NaN. `accuracy` alone is
// left out where there is none.
#pragma once

#include <string_view>

#include "io/json_input.h"
#include "sextant/trial.h"

namespace sextant {

Json trial_json(const Trial& trial);
Json trial_result_json(const TrialResult& result);

// Throw kMalformed "where: /member: ..." for a member that is missing, unknown or of another type.
// What the values mean is not looked at: see validate().
Trial read_trial(const JsonInput& json, std::string_view where);
TrialResult read_trial_result(const JsonInput& json, std::string_view where);

}  // namespace sextant
