// SPDX-License-Identifier: Apache-2.0
#include "run/training_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/check.h"
#include "base/text.h"
#include "io/npy.h"
#include "run/json_values.h"

namespace sextant {
namespace {

constexpr Index kMostCurvePoints = 200;
constexpr const char* kAttentionName = "attention.npy";
constexpr Index kMapSide = 64;
constexpr Index kMostMaps = 64;
constexpr std::uint64_t kMostAttentionBytes = std::uint64_t{1} << 31;

Json trials_json(const Json& document) {
  Json json = Json::array();
  std::set<std::string> seen;
  for (const Json& row : document["rows"]) {
    if (!seen.insert(row["folder"].get<std::string>()).second) continue;
    Json trial;
    for (const char* key : {"encoding", "seed", "end", "fault", "parameters"})
      trial[key] = row[key];
    json.push_back(std::move(trial));
  }
  return json;
}

// The points of a curve at the ends of at most kMostCurvePoints groups, so that the last one stays.
Json thinned_curves(const TrainingRun& run) {
  Json json = Json::array();
  for (const TrialOutcome& outcome : run.outcomes) {
    if (!outcome.result || outcome.result->curve.empty()) continue;
    const std::vector<CurvePoint>& curve = outcome.result->curve;
    const auto ends = bin_starts(static_cast<Index>(curve.size()), kMostCurvePoints);
    Json steps = Json::array(), losses = Json::array();
    for (std::size_t k = 1; k < ends.size(); ++k) {
      const CurvePoint& point = curve[static_cast<std::size_t>(ends[k] - 1)];
      steps.push_back(point.step);
      losses.push_back(rounded(point.loss));
    }
    json.push_back({{"encoding", shown_encoding(outcome.trial.encoding)},
                    {"seed", outcome.trial.seed},
                    {"step", std::move(steps)},
                    {"loss", std::move(losses)}});
  }
  return json;
}

Json positions_json(const TrialOutcome& outcome, const Evaluation& at) {
  const auto starts = bin_starts(static_cast<Index>(at.loss_by_position.size()), kMostCurvePoints);
  Json positions = Json::array(), losses = Json::array();
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    double sum = 0.0;
    for (Index i = starts[k]; i < starts[k + 1]; ++i)
      sum += at.loss_by_position[static_cast<std::size_t>(i)];
    positions.push_back(starts[k]);
    losses.push_back(rounded(sum / static_cast<double>(starts[k + 1] - starts[k])));
  }
  return {{"encoding", shown_encoding(outcome.trial.encoding)},
          {"seed", outcome.trial.seed},
          {"length", at.length},
          {"position", std::move(positions)},
          {"loss", std::move(losses)}};
}

Json all_positions(const TrainingRun& run) {
  Json json = Json::array();
  for (const TrialOutcome& outcome : run.outcomes) {
    if (!outcome.result) continue;
    for (const Evaluation& at : outcome.result->evaluations)
      if (!at.loss_by_position.empty()) json.push_back(positions_json(outcome, at));
  }
  return json;
}

// Means of the squares between `starts` of the map that begins at `first`, row by row.
Json thinned_map(const NpyArray& array, Index first, Index n, std::span<const Index> starts) {
  Vector means;
  means.reserve((starts.size() - 1) * (starts.size() - 1));
  for (std::size_t a = 0; a + 1 < starts.size(); ++a) {
    for (std::size_t b = 0; b + 1 < starts.size(); ++b) {
      double sum = 0.0;
      for (Index s = starts[a]; s < starts[a + 1]; ++s)
        for (Index t = starts[b]; t < starts[b + 1]; ++t)
          sum += array.values[static_cast<std::size_t>(first + s * n + t)];
      means.push_back(
          sum / static_cast<double>((starts[a + 1] - starts[a]) * (starts[b + 1] - starts[b])));
    }
  }
  return rounded(means);
}

// Adds at most `most` maps of one trial, evenly over its layers and heads. Throws as read_npy does,
// and kMalformed for an array of another shape.
void add_attention(const TrialOutcome& outcome, const std::filesystem::path& file, Index most,
                   std::span<const Index> starts, Json& maps) {
  const Index layers = outcome.trial.model.layers, heads = outcome.trial.model.heads;
  const Index n = outcome.trial.attention_length;
  const NpyArray array = read_npy(file, {.max_bytes = kMostAttentionBytes});
  if (array.shape != std::vector<Index>{layers, heads, n, n})
    fail(ErrorCode::kMalformed, path_text(file), "its shape is not [{}, {}, {}, {}]", layers, heads,
         n, n);
  const auto chosen_maps = bin_starts(layers * heads, most);
  for (std::size_t k = 0; k + 1 < chosen_maps.size(); ++k) {
    const Index map = chosen_maps[k];
    maps.push_back({{"encoding", shown_encoding(outcome.trial.encoding)},
                    {"seed", outcome.trial.seed},
                    {"layer", map / heads},
                    {"head", map % heads},
                    {"values", thinned_map(array, map * n * n, n, starts)}});
  }
}

// A page tells no path: a message about `file` names it without its folder.
std::string without_path(std::string_view message, const std::filesystem::path& file) {
  const std::string path = path_text(file);
  if (!message.starts_with(path)) return std::string(message);
  return kAttentionName + std::string(message.substr(path.size()));
}

// Of the first trial of each encoding that finished.
Json attention_json(const TrainingRun& run, const std::filesystem::path& folder) {
  const Index n = run.common.attention_length;
  if (n == 0) return {};
  const std::vector<Index> starts = bin_starts(n, kMapSide);
  const auto encodings = static_cast<Index>(run.encodings.size());
  const Index most = std::max<Index>(1, kMostMaps / std::max<Index>(1, encodings));
  Json maps = Json::array(), missing = Json::array();
  std::set<std::string> seen;
  for (const TrialOutcome& outcome : run.outcomes) {
    if (!outcome.result || outcome.result->end != TrialEnd::kFinished) continue;
    if (!seen.insert(outcome.trial.encoding).second) continue;
    const auto miss = [&](std::string_view reason) {
      missing.push_back({{"encoding", shown_encoding(outcome.trial.encoding)}, {"reason", reason}});
    };
    if (static_cast<Index>(maps.size()) >= kMostMaps) {
      miss(fmt::format("the page has {} maps at most", kMostMaps));
      continue;
    }
    const std::filesystem::path file = folder / outcome.folder / kAttentionName;
    try {
      add_attention(outcome, file, most, starts, maps);
    } catch (const Error& error) {
      miss(without_path(error.what(), file));
    }
  }
  return {{"length", n},
          {"starts", starts},
          {"maps", std::move(maps)},
          {"missing", std::move(missing)}};
}

}  // namespace

Json training_page(const TrainingRun& run, const Json& document,
                   const std::filesystem::path& folder) {
  Json page;
  for (const char* key : {"task", "options", "baselines", "summary", "comparisons", "provenance"})
    page[key] = document[key];
  page["trials"] = trials_json(document);
  page["curves"] = thinned_curves(run);
  page["positions"] = all_positions(run);
  page["attention"] = attention_json(run, folder);
  return page;
}

}  // namespace sextant
