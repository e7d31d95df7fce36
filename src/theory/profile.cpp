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
#include "math/eigen_map.h"
#include "math/tiles.h"
#include "sextant/registry.h"
#include "theory/actions.h"
#include "theory/attention_tail.h"
#include "theory/kernel_drift.h"
#include "theory/neighbours.h"
#include "theory/profile_cost.h"

namespace sextant {
namespace {

// A measure has left its range when it is outside by more than this share of its size.
// Tables often come in float: their rounding is below it.
constexpr double kOutside = 1e-6;

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

// The values that a measure takes at one position; NaN where one is not finite.
struct Reach {
  double low = 0.0, high = 0.0;
};

EncodingProfile::Departure departure(std::string_view measure, std::span<const Reach> reaches,
                                     Index train, double scale) {
  EncodingProfile::Departure result{.measure = std::string(measure)};
  const auto inside = std::min(reaches.size(), static_cast<std::size_t>(train));
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Reach& reach : reaches.first(inside)) {
    if (std::isnan(reach.low)) continue;
    low = std::min(low, reach.low);
    high = std::max(high, reach.high);
  }
  result.low = low;
  result.high = high;
  const double slack = kOutside * std::max({std::abs(low), std::abs(high), scale});
  const auto beyond = reaches.subspan(inside);
  const auto leaves = std::ranges::find_if(beyond, [&](const Reach& reach) {
    // What is not finite is outside of every range.
    return !(reach.low >= low - slack && reach.high <= high + slack && std::isfinite(reach.low) &&
             std::isfinite(reach.high));
  });
  if (leaves != beyond.end())
    result.position = static_cast<Index>(inside) + static_cast<Index>(leaves - beyond.begin());
  return result;
}

// Logits depart by all keys of a query, other measures by the value of the point.
void add_departures(std::span<const HeadRow> queries, Index train, EncodingProfile& profile) {
  double largest_norm = 0.0;
  for (const ProfilePoint& point : profile.points)
    if (point.position < train) largest_norm = std::max(largest_norm, point.norm);
  for (const ProfileMeasure& measure : kMeasures) {
    std::vector<Reach> reaches;
    reaches.reserve(profile.points.size());
    for (std::size_t t = 0; t < profile.points.size(); ++t) {
      const double value = profile.points[t].*measure.value;
      reaches.push_back(measure.name == "logit" ? Reach{queries[t].low, queries[t].high}
                                                : Reach{value, value});
    }
    profile.departures.push_back(
        departure(measure.name, reaches, train, natural_size(measure, largest_norm)));
  }
}

// A bias that depends on more than the lag is asked by the last query of training at lags below N,
// and by the first query that sees the lag from there on.
Vector norms_as_met(const LogitBias& bias, const Actions& all, const Extent& extent, Index train) {
  Vector norms, action;
  norms.reserve(static_cast<std::size_t>(all.points.rows()));
  for (Index t = 0; t < all.points.rows(); ++t) {
    const Index query = std::max(t, train - 1);
    action.assign(all.points.row(t).begin(), all.points.row(t).end());
    for (Index h = 0; h < extent.heads; ++h)
      action[static_cast<std::size_t>(all.bias_column + h)] =
          bias.at(h, static_cast<double>(query), static_cast<double>(query - t));
    norms.push_back(as_eigen(std::span<const double>(action)).stableNorm());
  }
  return norms;
}

EncodingProfile named(std::string encoding, std::string_view title) {
  EncodingProfile profile;
  profile.encoding = std::move(encoding);
  profile.title = title;
  return profile;
}

// An encoding that is made and affordable, or the profile of one that cannot be made.
struct Job {
  std::unique_ptr<Encoding> encoding = {};
  EncodingProfile failed = {};
};

EncodingProfile failure(const Encoding& encoding, const Error& error) {
  EncodingProfile profile = named(encoding.spec(), encoding.info().title);
  profile.reason = error.what();
  return profile;
}

Extent extent_of(const Encoding& encoding, const ProfileOptions& options) {
  return encoding.fitted({.positions = options.to, .dim = options.dim, .heads = options.heads});
}

// Who asked for an encoding by name is told that it is refused; in the catalogue that is a result.
enum class Refusal { kThrown, kReason };

bool is_thrown(const Error& error, Refusal refusal) {
  return error.code() == ErrorCode::kRefused && refusal == Refusal::kThrown;
}

Job prepared(const std::string& text, const ProfileOptions& options, Index at_once,
             Refusal refusal) {
  EncodingSpec spec = EncodingSpec::parse(text);
  for (EncodingSpec::Term& term : spec.terms) {
    const EncodingInfo& info = encodings().info(term.name);
    if (lacks_file(info, term)) {
      EncodingProfile profile = named(text, info.title);
      profile.reason = needed_file(info);
      return {.failed = std::move(profile)};
    }
    add_training_length(term, options.train);
  }
  // Wrong as it was typed is the caller's error; what does not fit these sizes is a result.
  const std::unique_ptr<Encoding> typed = encodings().make(text);
  try {
    Job job{.encoding = encodings().make(spec.text())};
    const Extent extent = extent_of(*job.encoding, options);
    refuse_beyond_means(
        job.encoding->spec(),
        profile_cost(job.encoding->info().sites, extent, options.train, /*dense=*/false), extent,
        at_once);
    return job;
  } catch (const Error& error) {
    if (is_thrown(error, refusal)) throw;
    return {.failed = failure(*typed, error)};
  }
}

void add_points(const Neighbours& near, const HeadAttention& head, const Vector& drift,
                EncodingProfile& profile) {
  profile.points.reserve(drift.size());
  for (std::size_t t = 0; t < drift.size(); ++t) {
    profile.points.push_back({.position = static_cast<Index>(t),
                              .norm = near.norms[t],
                              .nearest = near.nearest[t],
                              .collisions = near.collisions[t],
                              .gram_drift = drift[t],
                              .logit = head.first_key[t],
                              .weight_beyond = head.rows[t].weight_beyond,
                              .effective_keys = head.rows[t].effective_keys,
                              .mean_lag = head.rows[t].mean_lag});
  }
  profile.distinct = near.distinct;
}

EncodingProfile profile_beside(const Encoding& encoding, const ProfileOptions& options,
                               Index at_once) {
  const Extent extent = extent_of(encoding, options);
  // What no registry made has no spec.
  const bool made = !encoding.spec().empty();
  EncodingProfile profile =
      named(made ? encoding.spec() : std::string(encoding.info().name), encoding.info().title);
  const auto refuse = [&](bool dense) {
    refuse_beyond_means(profile.encoding,
                        profile_cost(encoding.info().sites, extent, options.train, dense), extent,
                        at_once);
  };
  refuse(false);
  const Effects effects = encoding.effects(extent);
  if (effects.query_key && is_dense(along_the_diagonal(*effects.query_key))) refuse(true);
  const Actions all = actions(effects, extent);
  profile.acts = all.acts;
  profile.reason = all.ends;
  profile.initial_draw = made && is_initial_draw(encoding);
  const Index end = all.points.rows();
  if (end == 0) return profile;

  Neighbours near = neighbours(all.points, options.train);
  if (effects.logit && !effects.logit->depends_on_lag_only)
    near.norms = norms_as_met(*effects.logit, all, extent, options.train);
  const HeadLogits logits(effects, extent, input_part(all), end, 1.0);
  const HeadAttention head = head_attention(logits, options.train);
  add_points(near, head,
             kernel_drift(HeadLogits(effects, extent, input_part(all), end, 0.0), options.train),
             profile);
  const TailShape shape = tail_shape(weights_beyond(logits, head.weights, options.train));
  profile.tail = shape.tail;
  profile.roughness = shape.roughness;
  profile.weights = head.weights;
  add_departures(head.rows, options.train, profile);
  return profile;
}

}  // namespace

std::string_view name(Tail tail) {
  constexpr std::string_view kNames[] = {"decays", "flat", "grows", "erratic", "undefined"};
  return kNames[static_cast<std::size_t>(tail)];
}

std::span<const ProfileMeasure> profile_measures() { return kMeasures; }

void validate(const ProfileOptions& options) {
  if (options.train >= kMostProfilePositions)
    fail(ErrorCode::kRefused, "--train", "must be below {}, the most that is looked at, but got {}",
         kMostProfilePositions, options.train);
  if (options.to > kMostProfilePositions)
    fail(ErrorCode::kRefused, "--to", "at most {} positions are looked at but got {}",
         kMostProfilePositions, options.to);
  require(options.train >= 2, "--train", "must be at least 2 but got {}", options.train);
  require(options.to > options.train, "--to", "must be beyond --train {} but got {}", options.train,
          options.to);
  require(options.dim >= 1, "--dim", "must be positive but got {}", options.dim);
  require(options.heads >= 1, "--heads", "must be positive but got {}", options.heads);
}

EncodingProfile extrapolation_profile(const Encoding& encoding, const ProfileOptions& options) {
  validate(options);
  return profile_beside(encoding, options, 1);
}

std::vector<EncodingProfile> extrapolation_profiles(const std::vector<std::string>& specs,
                                                    const ProfileOptions& options, Index threads) {
  validate(options);
  std::vector<std::string> all;
  for (const std::string& typed : specs.empty() ? encodings().names() : specs) {
    std::string text = EncodingSpec::parse(typed).text();
    if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
  }
  const auto count = static_cast<Index>(all.size());
  const Index at_once = std::min(threads, count);
  const Refusal refusal = specs.empty() ? Refusal::kReason : Refusal::kThrown;
  std::vector<Job> jobs;
  jobs.reserve(all.size());
  for (const std::string& text : all) jobs.push_back(prepared(text, options, at_once, refusal));
  std::vector<EncodingProfile> profiles(all.size());
  std::atomic<Index> done = 0;
  for_each_item(count, threads, [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    Job& job = jobs[at];
    try {
      profiles[at] =
          job.encoding ? profile_beside(*job.encoding, options, at_once) : std::move(job.failed);
    } catch (const Error& error) {
      if (is_thrown(error, refusal)) throw;
      profiles[at] = failure(*job.encoding, error);
    }
    const Index finished = ++done;
    if (options.progress)
      options.progress(static_cast<double>(finished) / static_cast<double>(count));
  });
  return profiles;
}

}  // namespace sextant
