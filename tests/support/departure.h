// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "sextant/profile.h"

namespace sextant {

// Where a measure of a profile leaves the range of training.
inline EncodingProfile::Departure departure(const EncodingProfile& profile,
                                            std::string_view measure) {
  for (const auto& each : profile.departures)
    if (each.measure == measure) return each;
  ADD_FAILURE() << "no measure " << measure;
  return {};
}

}  // namespace sextant
