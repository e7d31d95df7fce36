// SPDX-License-Identifier: Apache-2.0
#include "sextant/profile.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "encoding/params.h"
#include "math/tiles.h"
#include "sextant/registry.h"
#include "theory/actions.h"
#include "theory/attention_tail.h"
#include "theory/kernel_drift.h"
#include "theory/neighbours.h"

namespace sextant {
namespace {

// A measure has left its range when it is outside by more than this share of its size.
constexpr double kOutside = 1e-9;

constexpr std::array<ProfileMeasure, 8> kMeasures = {{
    {"norm", &ProfilePoint::norm},
    {"nearest", &ProfilePoint::nearest},
    {"collisions", &ProfilePoint::collisions},
    {"gram_drift", &ProfilePoint::gram_drift},
    {"logit", &ProfilePoint::logit},
    {"weight_beyond", &ProfilePoint::weight_beyond},
    {"effective_keys", &ProfilePoint::effective_keys},
    {"mean_lag", &ProfilePoint::mean_lag},
}};

Matrix input_part(const Actions& all) {
  Matrix rows(all.points.rows(), all.row_columns);
  for (Index t = 0; t < rows.rows(); ++t)
    std::ranges::copy(all.points.row(t).first(static_cast<std::size_t>(all.row_columns)),
                      rows.row(t).begin());
  return rows;
}

// What counts as the size of a measure besides its values in training: shares have the size 1, and
// distances that of the actions.
double natural_size(const ProfileMeasure& measure, double largest_norm) {
  if (measure.name == "gram_drift" || measure.name == "weight_beyond") return 1.0;
  return measure.name == "nearest" ? largest_norm : 0.0;
}

EncodingProfile::Departure departure(const ProfileMeasure& measure,
                                     std::span<const ProfilePoint> points, Index train,
                                     double largest_norm) {
  EncodingProfile::Departure result{.measure = std::string(measure.name)};
  const auto inside = points.first(std::min(points.size(), static_cast<std::size_t>(train)));
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const ProfilePoint& point : inside) {
    if (std::isnan(point.*measure.value)) continue;
    low = std::min(low, point.*measure.value);
    high = std::max(high, point.*measure.value);
  }
  result.low = low;
  result.high = high;
  const double size =
      std::max({std::abs(low), std::abs(high), natural_size(measure, largest_norm)});
  for (const ProfilePoint& point : points.subspan(inside.size())) {
    const double value = point.*measure.value;
    // A value that is not finite is outside of every range.
    if (value >= low - kOutside * size && value <= high + kOutside * size && std::isfinite(value))
      continue;
    result.position = point.position;
    break;
  }
  return result;
}

void add_departures(Index train, EncodingProfile& profile) {
  double largest_norm = 0.0;
  for (const ProfilePoint& point : profile.points)
    if (point.position < train) largest_norm = std::max(largest_norm, point.norm);
  for (const ProfileMeasure& measure : kMeasures)
    profile.departures.push_back(departure(measure, profile.points, train, largest_norm));
}

EncodingProfile named(std::string encoding, std::string_view title) {
  EncodingProfile profile;
  profile.encoding = std::move(encoding);
  profile.title = title;
  return profile;
}

EncodingProfile profile_of(const std::string& text, const ProfileOptions& options) {
  EncodingSpec spec = EncodingSpec::parse(text);
  for (EncodingSpec::Term& term : spec.terms) {
    const EncodingInfo& info = encodings().info(term.name);
    if (lacks_file(info, term)) {
      EncodingProfile profile = named(text, info.title);
      profile.reason = needed_file(info);
      return profile;
    }
    add_training_length(term, options.train);
  }
  // Wrong as it was typed is the caller's error; what does not fit these sizes is a result.
  const std::unique_ptr<Encoding> typed = encodings().make(text);
  try {
    return extrapolation_profile(*encodings().make(spec.text()), options);
  } catch (const Error& error) {
    EncodingProfile profile = named(typed->spec(), typed->info().title);
    profile.reason = error.what();
    return profile;
  }
}

}  // namespace

std::string_view name(Tail tail) {
  constexpr std::string_view kNames[] = {"decays", "flat", "grows", "erratic", "undefined"};
  return kNames[static_cast<std::size_t>(tail)];
}

std::span<const ProfileMeasure> profile_measures() { return kMeasures; }

void validate(const ProfileOptions& options) {
  if (const Index most = std::max(options.train, options.to); most > kMostProfilePositions)
    fail(ErrorCode::kRefused, "--to", "at most {} positions are looked at but got {}",
         kMostProfilePositions, most);
  require(options.train >= 2, "--train", "must be at least 2 but got {}", options.train);
  require(options.to > options.train, "--to", "must be beyond --train {} but got {}", options.train,
          options.to);
  require(options.dim >= 1, "--dim", "must be positive but got {}", options.dim);
  require(options.heads >= 1, "--heads", "must be positive but got {}", options.heads);
}

EncodingProfile extrapolation_profile(const Encoding& encoding, const ProfileOptions& options) {
  validate(options);
  const Extent extent =
      encoding.fitted({.positions = options.to, .dim = options.dim, .heads = options.heads});
  const Effects effects = encoding.effects(extent);
  const Actions all = actions(effects, extent);
  // What no registry made has no spec.
  const bool made = !encoding.spec().empty();
  EncodingProfile profile =
      named(made ? encoding.spec() : std::string(encoding.info().name), encoding.info().title);
  profile.acts = all.acts;
  profile.reason = all.ends;
  profile.initial_draw = made && is_initial_draw(encoding);
  const Index end = all.points.rows();
  if (end == 0) return profile;

  const Neighbours near = neighbours(all.points, options.train);
  const HeadAttention head =
      head_attention(HeadLogits(effects, extent, input_part(all), end, 1.0), options.train);
  const Vector drift =
      kernel_drift(HeadLogits(effects, extent, input_part(all), end, 0.0), options.train);
  profile.points.reserve(static_cast<std::size_t>(end));
  for (std::size_t t = 0; t < drift.size(); ++t) {
    profile.points.push_back({.position = static_cast<Index>(t),
                              .norm = near.norms[t],
                              .nearest = near.nearest[t],
                              .collisions = near.collisions[t],
                              .gram_drift = drift[t],
                              .logit = head.logits[t],
                              .weight_beyond = head.rows[t].weight_beyond,
                              .effective_keys = head.rows[t].effective_keys,
                              .mean_lag = head.rows[t].mean_lag});
  }
  profile.distinct = near.distinct;
  const TailShape shape = tail_shape(head.weights, options.train);
  profile.tail = shape.tail;
  profile.roughness = shape.roughness;
  profile.weights = head.weights;
  add_departures(options.train, profile);
  return profile;
}

std::vector<EncodingProfile> extrapolation_profiles(const std::vector<std::string>& specs,
                                                    const ProfileOptions& options, Index threads) {
  validate(options);
  const std::vector<std::string> all = specs.empty() ? encodings().names() : specs;
  std::vector<EncodingProfile> profiles(all.size());
  std::atomic<Index> done = 0;
  const auto count = static_cast<Index>(all.size());
  for_each_item(count, threads, [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    profiles[at] = profile_of(all[at], options);
    const Index finished = ++done;
    if (options.progress)
      options.progress(static_cast<double>(finished) / static_cast<double>(count));
  });
  return profiles;
}

}  // namespace sextant
