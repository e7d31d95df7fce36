// SPDX-License-Identifier: Apache-2.0
// What an encoding does beyond the length it was trained at: docs/profile.md.
//
// A position t stands for row t of an input table, and for lag t of everything relative: the
// operator A(t), the bias b(t), the key offsets u(t), v(t), c(t). "Action" is all of these side by
// side; distances are Euclidean: Frobenius over sqrt d for operators, over the heads for biases, of
// the first head for key offsets. Everything is measured in one sequence of M positions.
//
// A key is beyond training where it stands at a position >= N of an input table; where there is no
// input table, at a lag >= N.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/encoding.h"

namespace sextant {

struct ProfileOptions {
  Index train = 64;  // positions of training, N
  Index to = 512;    // positions looked at, M > N
  Index dim = 64;    // of what does not fix its own
  Index heads = 8;
  std::function<void(double)> progress = {};  // of several encodings: the part done. Any thread
};
// Throws kUsage unless 2 <= train < to and dim and heads are positive; kRefused beyond
// kMostProfilePositions.
inline constexpr Index kMostProfilePositions = 16384;
// Multiplications and additions of one profile: some minutes.
inline constexpr double kMostProfileWork = 2e12;
void validate(const ProfileOptions& options);

// One position. What does not apply to an encoding is NaN; what overflows is kept as it is.
struct ProfilePoint {
  Index position = 0;
  // Of the action. A bias that depends on more than the lag is asked by the query max(t, N-1) here:
  // lags below N by a query of training.
  double norm = 0.0;
  double nearest = 0.0;     // distance to the nearest other action of 0..M-1
  double collisions = 0.0;  // how many other positions act alike, within rounding
  // Of the kernel of the last N positions (at most 512) that end here against that of the first,
  // relative, Frobenius: 0 for everything relative. The kernel is the logit of content 0: the Gram
  // matrix of the rows, and biases that depend on more than the lag.
  double gram_drift = 0.0;
  // z(t, 0): query t at the first key, which is lag t, in the first head: q = k = (1, ..., 1) plus
  // the rows, identity projections, content over sqrt d, plus the bias.
  double logit = 0.0;
  // The softmax of z(t, 0), ..., z(t, t): what share of its weight lies on keys beyond training,
  // how many keys it attends to (exp of the entropy), and the mean lag.
  double weight_beyond = 0.0;
  double effective_keys = 0.0;
  double mean_lag = 0.0;
};

// The measures of a point by name, in the order of declaration.
struct ProfileMeasure {
  std::string_view name;
  double ProfilePoint::*value;
};
std::span<const ProfileMeasure> profile_measures();

// How the weights of the last query on keys beyond training behave with rising lag. Undefined with
// fewer than four steps.
enum class Tail { kDecays, kFlat, kGrows, kErratic, kUndefined };
std::string_view name(Tail tail);  // "decays", "flat", "grows", "erratic", "undefined"

struct EncodingProfile {
  std::string encoding, title;
  std::string acts;                  // "rows", "operators", "bias", "key offsets", joined by " + "
  std::string reason;                // why there is no profile, or why it ends early; else empty
  bool initial_draw = false;         // its values are learned; the profile is that of a first draw
  std::vector<ProfilePoint> points;  // every position 0..M-1, or up to where the encoding ends
  Vector weights;                    // of the last query against the lag; empty without points
  Tail tail = Tail::kUndefined;
  double roughness = 0.0;  // steps up of the weights beyond training over all steps, 0 to 1
  // The first position from N on at which a measure leaves the range it had on 0..N-1 by more than
  // 1e-6 of its size, or is not finite (none: stays within). One for each of profile_measures().
  // The range of the logit is that of all pairs of training, z(s, t) with t <= s < N, and the first
  // query with a key t <= s outside of it departs; of relative encodings that is the first lag.
  struct Departure {
    std::string measure = {};
    std::optional<Index> position = {};
    double low = 0.0, high = 0.0;  // of training
  };
  std::vector<Departure> departures;
  Index distinct = 0;  // different actions among 0..M-1
};

// Throws like Encoding::effects(), and kRefused beyond memory and kMostProfileWork. An encoding
// that ends before M is profiled as far as it goes.
EncodingProfile extrapolation_profile(const Encoding& encoding, const ProfileOptions& options);

// The same for specs (empty: the catalogue), each once, on several threads. An encoding with a
// training length that its spec does not set is trained at N. A spec that is wrong as it stands
// throws like make(), and one that is beyond memory or kMostProfileWork throws kRefused, mostly
// before any work. What lacks its file, does not fit dim and heads, or is refused in the catalogue,
// has a reason and no points.
std::vector<EncodingProfile> extrapolation_profiles(const std::vector<std::string>& specs,
                                                    const ProfileOptions& options, Index threads);

}  // namespace sextant
