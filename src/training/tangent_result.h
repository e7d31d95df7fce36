// SPDX-License-Identifier: Apache-2.0
// What `sextant-lab ntk` leaves beside the result of its trial: how far the tangent kernel moved.
#pragma once

#include <filesystem>

#include "io/json.h"
#include "sextant/matrix.h"

namespace sextant {

inline constexpr const char* kTangentName = "ntk.json";

// Of Gram matrices K of parameter gradients, K0 before the first step and K1 after the last, in
// Frobenius norms.
struct TangentResult {
  Index outputs = 0;        // rows of K
  double start_norm = 0.0;  // |K0|
  double end_norm = 0.0;    // |K1|
  double drift = 0.0;       // |K1 - K0| / |K0|; 0 where both are 0
  double alignment = 0.0;  // <K0, K1> / (|K0| |K1|): 1 where only the scale moved; 0 where one is 0
};
// REQUIRES: one shape.
TangentResult tangent_result(const Matrix& start, const Matrix& end);

Json tangent_result_json(const TangentResult& result);
// Of the file in a trial's folder. Throws kUnreadable and kMalformed.
TangentResult read_tangent_result(const std::filesystem::path& folder);

}  // namespace sextant
