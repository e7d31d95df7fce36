// SPDX-License-Identifier: Apache-2.0
// Extrapolation profiles as JSON: docs/profile.md. Numbers that are not finite become null.
#pragma once

#include <span>

#include "io/json.h"
#include "sextant/profile.h"

namespace sextant {

enum class ProfileRows {
  kAll,
  kThinned,  // at most 64 positions and 256 lags per encoding, five digits: enough for a picture
};

// {train, to, dim, heads, encodings[...], rows[...], first_departure{...}}.
Json profiles_json(std::span<const EncodingProfile> profiles, const ProfileOptions& options,
                   ProfileRows rows);

}  // namespace sextant
