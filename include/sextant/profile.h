// SPDX-License-Identifier: Apache-2.0
// What an encoding does beyond the length it was trained at.
//
// A position t stands for row t of an input table, and for lag t of everything relative: the
// operator A(t), the bias b(t). "Action" is that row, operator or bias; distances are Euclidean
// (Frobenius over sqrt d for operators; over heads for biases).
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sextant/encoding.h"

namespace sextant {

struct ProfileOptions {
  Index train = 64;  // positions of training, N
  Index to = 512;    // positions looked at, M > N
  Index dim = 64;
  Index heads = 8;
};
// Throws kUsage unless 2 <= train < to and dim and heads are positive; kRefused beyond
// kMostProfilePositions, which bounds time and memory.
inline constexpr Index kMostProfilePositions = 16384;
void validate(const ProfileOptions& options);

// One position. What does not apply to an encoding is NaN.
struct ProfilePoint {
  Index position = 0;
  double norm = 0.0;        // of the action
  double nearest = 0.0;     // distance to the nearest other action of 0..M-1
  double collisions = 0.0;  // how many other positions act alike, within rounding
  // Of the kernel of the N positions that end here against that of the first N, relative,
  // Frobenius: 0 for everything relative.
  double gram_drift = 0.0;
  double logit = 0.0;  // of a unit pair at this lag: the last position M-1 asks, content q = k
  // A head without content at query t: what share of its weight lies on lags >= N, how many keys it
  // attends to (exp of the entropy), and the mean lag.
  double weight_beyond = 0.0;
  double effective_keys = 0.0;
  double mean_lag = 0.0;
};

// How the weights of the last query behave over lags beyond training.
enum class Tail { kDecays, kFlat, kGrows, kErratic, kUndefined };
std::string_view name(Tail tail);  // "decays", "flat", "grows", "erratic", "undefined"

struct EncodingProfile {
  std::string encoding, title;
  std::string acts;                  // what a position stands for: "rows", "operators", "bias", ...
  std::string reason;                // why there is no profile, or why it ends early; else empty
  std::vector<ProfilePoint> points;  // every position 0..M-1, or up to where the encoding ends
  Vector weights;                    // of the last query against the lag, [M]; empty: none
  Tail tail = Tail::kUndefined;
  double roughness = 0.0;  // upward steps of the weights beyond N over all steps, 0 to 1
  // The first position at which a measure leaves the range it had on 0..N-1 (none: stays within).
  struct Departure {
    std::string measure;
    std::optional<Index> position;
    double low = 0.0, high = 0.0;  // of training
  };
  std::vector<Departure> departures;
  Index distinct = 0;  // different actions among 0..M-1
};

// Throws like Encoding::effects(). An encoding that ends before M is profiled as far as it goes.
EncodingProfile extrapolation_profile(const Encoding& encoding, const ProfileOptions& options);

// The same for specs (empty: the catalogue) on several threads; what cannot be built has a reason
// and no points.
std::vector<EncodingProfile> extrapolation_profiles(const std::vector<std::string>& specs,
                                                    const ProfileOptions& options, Index threads);

}  // namespace sextant
