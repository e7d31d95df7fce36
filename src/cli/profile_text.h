// SPDX-License-Identifier: Apache-2.0
// The answers of `sextant profile` for people.
#pragma once

#include <span>
#include <string>

#include "cli/output.h"
#include "sextant/profile.h"

namespace sextant::cli {

// Two tables, what is missing from them and why, and a legend.
std::string profile_text(std::span<const EncodingProfile> profiles, const ProfileOptions& options,
                         const Style& style);

// Norms, logits and weights of a few encodings.
std::string profile_plots(std::span<const EncodingProfile> profiles, const Style& style);

}  // namespace sextant::cli
