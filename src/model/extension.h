// SPDX-License-Identifier: Apache-2.0
// Longer contexts for a rotary model, compared without training: what each rule does to the angles
// that the weights have seen, and what of the short range it changes.
//
// K(lag) = mean over pairs of m^2 cos(lag w): the mean logit of a random unit vector with itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/json.h"
#include "sextant/model.h"

namespace sextant {

inline constexpr Index kLongestExtension = Index{1} << 24;  // the work is lags times pairs
inline constexpr Index kShortLags = 64;                     // lags 1 to this are the short range

// Rules of ladders, then maps of positions. The order is that of tables, and decides ties.
inline constexpr std::string_view kExtensionMethods[] = {
    "linear", "ntk", "dynamic", "yarn", "llama3", "longrope", "self-extend", "rerope"};

// The present rule of an extended model with the factor of another length. What else it says stays,
// but for attention_factor, which belongs to the old one.
struct ContinuedRule {
  RopeKeys keys = {};
  RotaryOperator ladder = {};
};

struct ExtensionSubject {
  std::string spec = {};  // unscaled: rope(base=..,partial=..,pairing=..)
  Index head_dim = 0;
  Index trained = 0;  // the original length
  Index to = 0;
  std::string family = {};
  std::string only = {};  // the one type that the family's programs agree on, see Family::scaling
  std::string length_pointer = {};             // where the file has its length and theta;
  std::string theta_pointer = {};              // empty: nowhere
  RopeKeys keys = {};                          // as the model has them now
  std::optional<RotaryOperator> present = {};  // of an extended model, at `to`
  std::optional<ContinuedRule> continued = {};
  std::vector<std::string> notes = {};
};

// The layers of full attention: others see a window and need no extension. Throws kUsage when no
// such layer turns, `to` does not exceed the trained length, the rule has no extension, or nothing
// says the length before a scaling that does not count from one.
ExtensionSubject extension_subject(const Model& model, Index to,
                                   Engine engine = Engine::kHuggingFace);

// Self-Extend: lags up to `window` as they are, beyond it groups of `group` positions share one
// (Jin et al., arXiv:2401.01325). ReRoPE: group 0, all lags beyond the window are the window
// (Su, 2023). For the last query of a group; others round up.
struct LagMap {
  Index window = 0, group = 0;

  Index operator()(Index lag) const;
  Index largest(Index length) const;  // over all queries and keys of a sequence
};

struct ExtensionMeasures {
  Index turning = 0;          // pairs that complete a turn within the new length
  Index beyond = 0;           // pairs whose phases leave what training has shown them
  double excess = 0.0;        // by how much the worst of them does, in radians, at most a turn
  Index colliding = 0;        // lags that act as a smaller one does
  Index nearest_lag = 0;      // lags so far apart, kShortLags at least, come closest:
  double nearest = 0.0;       // |e^(i lag w) - 1|, root mean square over pairs; 2 at most
  double drift = 0.0;         // max over short lags of |K'(lag) - K(lag)| / K(0)
  double shape_drift = 0.0;   // the same of K / K(0): without the factor on all logits
  double logit_factor = 1.0;  // m^2
  double resolution = 1.0;    // |e^(iw') - 1| of neighbours by the unscaled one
};

struct ExtensionCandidate {
  std::string method = {};     // "none", "present", or of kExtensionMethods
  RotaryOperator ladder = {};  // with its spec
  std::optional<LagMap> map = {};
  double factor = 1.0;  // new length by trained length
  ExtensionMeasures measures = {};
};

struct ExtensionReport {
  Index pairs = 0;
  Index trained_turning = 0;  // pairs that complete a turn in the trained length
  std::vector<ExtensionCandidate> candidates = {};
  std::string recommended = {};
  std::string reason = {};
};

struct ExtensionOptions {
  std::optional<Index> window = {};  // of the maps; default a quarter and half of training
};

ExtensionReport compare_extensions(const ExtensionSubject& subject,
                                   const ExtensionOptions& options = {});

ExtensionMeasures measure_extension(const ExtensionSubject& subject, const RotaryOperator& ladder,
                                    const std::optional<LagMap>& map);

// longrope's lists as a start for a search, not the result of one: 1 for pairs that complete a turn
// in the trained length, the factor for the others.
std::vector<double> longrope_start(const RotaryOperator& unscaled, Index trained, double factor);

enum class ConfigSpelling { kV4, kV5 };  // rope_scaling and rope_theta, or rope_parameters
ConfigSpelling spelling_of(const RopeKeys& keys);

// What to change in config.json; an empty object for maps of positions, which no key expresses.
Json extension_snippet(const ExtensionSubject& subject, const ExtensionCandidate& candidate,
                       ConfigSpelling spelling);
// What the programs of the family read, where it is not every type; else empty.
std::string family_limit(const ExtensionSubject& subject);
// What the keys do not say: lengths to set elsewhere, caches, what an engine must do.
std::vector<std::string> extension_remarks(const ExtensionSubject& subject,
                                           const ExtensionCandidate& candidate,
                                           ConfigSpelling spelling);

}  // namespace sextant
