// SPDX-License-Identifier: Apache-2.0
#include "run/rotary_page.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.h"
#include "encoding/rotary.h"
#include "model/extension.h"
#include "model/precision_loss.h"
#include "run/json_values.h"

namespace sextant {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr Index kMostPairs = 256;
constexpr Index kMostPositions = Index{1} << 20;
constexpr Index kMostPrecisionPoints = 160;
constexpr std::string_view kMethods[] = {"linear", "ntk", "dynamic", "yarn", "longrope", "llama3"};

using Ladder = std::vector<DoubleDouble>;

Json wavelengths(const Ladder& ladder) {
  Json json = Json::array();
  for (const DoubleDouble& w : ladder)
    json.push_back(w.high > 0.0 ? Json(rounded(kTurn / w.high)) : Json());
  return json;
}

// The part of a circle that each pair has turned through at the last of `length` positions.
Json coverage(const Ladder& ladder, Index length) {
  Json json = Json::array();
  for (const DoubleDouble& w : ladder)
    json.push_back(rounded(std::min(1.0, static_cast<double>(length - 1) * w.high / kTurn)));
  return json;
}

Json ratios(const Ladder& ladder, const Ladder& trained) {
  Json json = Json::array();
  for (std::size_t j = 0; j < ladder.size(); ++j)
    json.push_back(trained[j].high > 0.0 ? Json(rounded(ladder[j].high / trained[j].high))
                                         : Json());
  return json;
}

Json methods_json(const RotarySubject& subject) {
  const auto pairs = static_cast<Index>(subject.present.inv_freq.size());
  const double factor = static_cast<double>(subject.to) / static_cast<double>(subject.trained);
  Json json = Json::array();
  if (factor <= 1.0) return json;
  for (const std::string_view method : kMethods) {
    RotaryScaling scaling;
    scaling.kind = method;
    scaling.base = subject.base;
    scaling.factor = factor;
    scaling.original = static_cast<double>(subject.trained);
    scaling.length = static_cast<double>(subject.to);
    if (method == "longrope") {
      scaling.short_factor.assign(subject.trained_inv_freq.size(), 1.0);
      scaling.long_factor =
          longrope_start({.inv_freq = subject.trained_inv_freq}, subject.trained, factor);
    }
    json.push_back(
        {{"method", method},
         {"magnitude", rounded(scaled_magnitude(scaling).high)},
         {"ratio", ratios(scaled_ladder(scaling, 2 * pairs), subject.trained_inv_freq)}});
  }
  return json;
}

// Evenly chosen where there are more than kMostPairs.
Ladder some_of(const Ladder& ladder) {
  const std::vector<Index> starts = bin_starts(static_cast<Index>(ladder.size()), kMostPairs);
  Ladder result;
  result.reserve(starts.size());
  for (std::size_t k = 0; k + 1 < starts.size(); ++k)
    result.push_back(ladder[static_cast<std::size_t>(starts[k])]);
  return result;
}

Json precision_json(const Ladder& ladder, Index length) {
  const PrecisionLoss loss = precision_loss(some_of(ladder), std::min(length, kMostPositions));
  const auto ends = bin_starts(static_cast<Index>(loss.positions.size()), kMostPrecisionPoints);
  Json positions = Json::array(), curves = Json::array();
  for (std::size_t k = 1; k < ends.size(); ++k)
    positions.push_back(loss.positions[static_cast<std::size_t>(ends[k] - 1)]);
  for (const PrecisionCurve& curve : loss.curves) {
    Json worst = Json::array(), first;
    for (std::size_t k = 1; k < ends.size(); ++k)
      worst.push_back(rounded(curve.worst[static_cast<std::size_t>(ends[k] - 1)]));
    for (std::size_t i = 0; i < std::size(kPrecisionLimits); ++i)
      first[shortest(kPrecisionLimits[i])] = or_null(curve.first[i]);
    curves.push_back({{"what", curve.what},
                      {"dtype", curve.dtype},
                      {"worst", std::move(worst)},
                      {"first", std::move(first)}});
  }
  return {{"positions", std::move(positions)}, {"curves", std::move(curves)}};
}

}  // namespace

Json rotary_page(const RotarySubject& subject) {
  const Ladder& present = subject.present.inv_freq;
  Json json;
  json["pairs"] = present.size();
  json["magnitude"] = subject.present.magnitude.high;
  json["softmax_factor"] = subject.present.softmax_factor.high;
  json["trained"] = subject.trained > 0 ? Json(subject.trained) : Json();
  json["to"] = subject.to;
  json["wavelength"] = wavelengths(present);
  json["trained_wavelength"] = wavelengths(subject.trained_inv_freq);
  json["coverage"] = nullptr;
  json["methods"] = nullptr;
  if (subject.trained > 0 && !present.empty()) {
    json["coverage"] = {{"trained", coverage(subject.trained_inv_freq, subject.trained)},
                        {"to", coverage(present, subject.to)},
                        {"unscaled", coverage(subject.trained_inv_freq, subject.to)}};
    json["methods"] = methods_json(subject);
  }
  json["precision"] = present.empty() ? Json() : precision_json(present, subject.to);
  return json;
}

}  // namespace sextant
