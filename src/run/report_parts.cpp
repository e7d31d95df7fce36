// SPDX-License-Identifier: Apache-2.0
// What the report has beyond the scores: pictures as data, methods' choices, provenance.
#include <algorithm>
#include <numeric>
#include <set>

#include "corpus/positional_counts.h"
#include "math/tiles.h"
#include "run/document.h"
#include "run/group_map.h"
#include "run/json_values.h"
#include "run/profile_document.h"
#include "run/provenance.h"
#include "run/theorem_document.h"
#include "run/verdict.h"

namespace sextant {
namespace {

constexpr Index kLargestPicture = 96;   // positions of a matrix that is shown as it is
constexpr Index kMostKernelLags = 256;  // of a kernel's curve
constexpr Index kProfileReach = 4;      // training lengths that a profile covers
constexpr double kMetricWork = 2e10;    // token pairs beyond which other metrics are left out

Json options_json(const Study& study) {
  const CountOptions& count = study.counts.options;
  const StudyOptions& options = study.options;
  return {{"positions", count.positions},
          {"dim", options.dim},
          {"heads", options.heads},
          {"train", options.train.value_or(count.positions)},
          {"length", name(count.length)},
          {"specials", count.specials == Specials::kBert ? "bert" : "none"},
          {"windows", count.windows},
          {"metric", name(options.metric)},
          {"splits", options.splits},
          {"shuffles", count.shuffles},
          {"seed", options.seed},
          {"limit", or_null(study.limit)},
          {"encodings", asked_encodings(study)}};
}

Json verdict_json(const Study& study) {
  const Verdict words = verdict(study);
  return {{"warning", words.warning.empty() ? Json() : Json(words.warning)},
          {"headline", words.headline},
          {"sentences", words.sentences}};
}

Json ranks_json(const Study& study, Index threads, Communicator& ranks) {
  Json json = Json::array();
  for (const RankRow& row : rank_profile(study.target, study.options.dim, threads, ranks)) {
    json.push_back({{"rank", row.rank},
                    {"mds_raw", row.mds.raw()},
                    {"mds_scaled", row.mds.scaled()},
                    {"smacof_raw", row.smacof.raw()},
                    {"smacof_scaled", row.smacof.scaled()},
                    {"numbers", row.numbers},
                    {"table_numbers", row.table_numbers},
                    {"freedom", row.freedom}});
  }
  return json;
}

Json points_json(const Matrix& points) {
  Json json = Json::array();
  for (Index i = 0; i < points.rows(); ++i) {
    json.push_back({rounded(points(i, 0)), rounded(points.cols() > 1 ? points(i, 1) : 0.0)});
  }
  return json;
}

Json embedding_json(const Study& study, Index threads) {
  const Target& target = study.target;
  if (target.positions.size() < 3) return {};
  Json json;
  json["positions"] = target.positions;
  json["plain"] = points_json(classical_mds(target.gram, 2, threads).points);
  json["corrected"] = nullptr;
  if (target.corrected) {
    json["corrected"] =
        points_json(classical_mds(gram_of_squared(target.corrected->squared), 2, threads).points);
  }
  return json;
}

Json binned(const DistanceMatrix& distances, std::span<const Index> starts) {
  Vector means;
  for (std::size_t a = 0; a + 1 < starts.size(); ++a) {
    for (std::size_t b = a + 1; b + 1 < starts.size(); ++b) {
      double sum = 0.0;
      for (Index i = starts[a]; i < starts[a + 1]; ++i)
        for (Index j = starts[b]; j < starts[b + 1]; ++j) sum += distances(i, j);
      means.push_back(
          sum / static_cast<double>((starts[a + 1] - starts[a]) * (starts[b + 1] - starts[b])));
    }
  }
  return rounded(means);
}

DistanceMatrix mean_of(const std::vector<DistanceMatrix>& list) {
  DistanceMatrix result(list.front().size());
  for (const DistanceMatrix& one : list) {
    for (std::size_t k = 0; k < one.values().size(); ++k)
      result.values()[k] += one.values()[k] / static_cast<double>(list.size());
  }
  return result;
}

Json matrices_json(const Study& study) {
  const Target& target = study.target;
  const std::vector<Index> bins = bin_starts(target.plain.size(), kLargestPicture);
  const bool whole = static_cast<Index>(bins.size()) - 1 == target.plain.size();
  Json json;
  json["size"] = bins.size() - 1;
  json["starts"] = Json::array();
  json["ends"] = Json::array();
  for (std::size_t b = 0; b + 1 < bins.size(); ++b) {
    json["starts"].push_back(target.positions[static_cast<std::size_t>(bins[b])]);
    json["ends"].push_back(target.positions[static_cast<std::size_t>(bins[b + 1] - 1)]);
  }
  json["plain"] = binned(target.plain, bins);
  json["corrected"] = target.corrected ? binned(target.corrected->distances, bins) : Json();
  json["null"] = target.null.empty() ? Json() : binned(mean_of(target.null), bins);
  json["encodings"] = Json::object();
  for (const Candidate& candidate : study.candidates.list) {
    if (!candidate.distances) continue;
    Json& own = json["encodings"][candidate.encoding + " " + candidate.geometry];
    if (whole && !candidate.by_lag.empty())
      own["lag"] = rounded(candidate.by_lag);
    else
      own["upper"] = binned(stored(*candidate.distances), bins);
  }
  return json;
}

Json kernels_json(const Study& study) {
  Json json = Json::array();
  for (const Candidate& candidate : study.candidates.list) {
    if (candidate.kernel.empty()) continue;
    const auto n = static_cast<Index>(candidate.kernel.size());
    const Index step = (n + kMostKernelLags - 1) / kMostKernelLags;
    Json lags = Json::array(), values = Json::array();
    for (Index lag = 0; lag < n; lag += step) {
      lags.push_back(lag);
      values.push_back(rounded(candidate.kernel[static_cast<std::size_t>(lag)]));
    }
    json.push_back({{"encoding", candidate.encoding},
                    {"geometry", candidate.geometry},
                    {"lags", lags},
                    {"values", values}});
  }
  return json;
}

// The ranking by plain scaled stress under each metric. The work for a pair of positions is the
// number of tokens at one of them.
Json metrics_json(const Study& study, Index threads) {
  const Target& target = study.target;
  Json json = Json::array();
  const double work = 0.5 * static_cast<double>(target.positions.size()) *
                      static_cast<double>(target.roots.row.size());
  if (work > kMetricWork || target.positions.size() < 2) return json;
  for (const Metric metric : kMetrics) {
    const DistanceMatrix distances =
        metric == target.metric ? target.plain
                                : metric_distances(metric, target.roots, target.sequences, threads);
    const DistanceMatrix* const targets[] = {&distances};
    struct Scored {
      double stress;
      const Candidate* candidate;
    };
    std::vector<Scored> entries;
    for (const Candidate& candidate : study.candidates.list) {
      if (!candidate.distances) continue;
      entries.push_back(
          {pair_sums(targets, *candidate.distances, threads).front().scaled(), &candidate});
    }
    std::ranges::stable_sort(entries, {}, &Scored::stress);
    Json rows = Json::array();
    for (std::size_t k = 0; k < entries.size(); ++k) {
      rows.push_back({{"encoding", entries[k].candidate->encoding},
                      {"geometry", entries[k].candidate->geometry},
                      {"stress_scaled", entries[k].stress},
                      {"rank", k + 1}});
    }
    json.push_back({{"metric", name(metric)}, {"rows", rows}});
  }
  return json;
}

Json encodings_json(const Study& study) {
  std::set<std::string> names;
  for (const Candidate& candidate : study.candidates.list) names.insert(candidate.name);
  Json json = Json::array();
  for (const std::string& each : encodings().names()) {
    if (!names.contains(each)) continue;
    const EncodingInfo& info = encodings().info(each);
    Json claims = Json::object();
    for (const auto& [claim, value] : named(info.claims))
      claims[std::string(claim)] = sextant::name(value);
    json.push_back({{"name", info.name},
                    {"title", info.title},
                    {"formula", info.formula},
                    {"reference", info.reference},
                    {"claims", claims}});
  }
  return json;
}

// Of the catalogue: as claims, they do not depend on the corpus but for its length.
Json all_profiles_json(const Study& study, Index threads) {
  const StudyOptions& options = study.options;
  const Index most_trained = kMostProfilePositions / kProfileReach;
  const Index train =
      std::clamp<Index>(options.train.value_or(study.counts.options.positions), 2, most_trained);
  const ProfileOptions asked{
      .train = train, .to = kProfileReach * train, .dim = options.dim, .heads = options.heads};
  return profiles_json(extrapolation_profiles({}, asked, threads), asked, ProfileRows::kThinned);
}

// make(i) for i in [0, count), each on one rank, by `threads` threads there; all on every rank.
std::vector<Json> dealt(Communicator& ranks, Index count, Index threads,
                        const std::function<Json(Index)>& make) {
  const Index rank = ranks.rank(), size = ranks.size();
  std::vector<Json> parts(static_cast<std::size_t>(count));
  for_each_item((count - rank + size - 1) / size, threads, [&](Index k) {
    parts[static_cast<std::size_t>(rank + k * size)] = make(rank + k * size);
  });
  Json own = Json::array();
  for (Index i = rank; i < count; i += size) own.push_back(parts[static_cast<std::size_t>(i)]);
  const std::string text = to_line(own);
  const auto all = ranks.gather_all(std::as_bytes(std::span(text)));
  for (Index from = 0; from < size; ++from) {
    const auto& bytes = all[static_cast<std::size_t>(from)];
    Json its =
        Json::parse(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    for (Index i = from; i < count; i += size)
      parts[static_cast<std::size_t>(i)] = std::move(its[static_cast<std::size_t>(i / size)]);
  }
  return parts;
}

// Groups, claims and profiles, which do not depend on the counts: a part by a rank.
void add_dealt_parts(Json& document, const Study& study, Index threads, Communicator& ranks) {
  const auto entries = theorems().entries();
  const auto count = static_cast<Index>(entries.size());
  std::vector<Json> parts = dealt(ranks, count + 2, threads, [&](Index i) -> Json {
    if (i == 0) return all_profiles_json(study, 1);
    if (i == 1) return group_map_json(group_map({}, 1));
    const auto one = entries.subspan(static_cast<std::size_t>(i - 2), 1);
    return theorem_json(check_theorems(one, {.seed = study.options.seed}, 1).front(),
                        FigurePoints::kThinned);
  });
  document["groups"] = std::move(parts[1]);
  document["claims"] = Json::array();
  for (std::size_t i = 2; i < parts.size(); ++i) document["claims"].push_back(std::move(parts[i]));
  document["profiles"] = std::move(parts[0]);
}

}  // namespace

void add_report(Json& document, const Study& study, Index threads, const Announce& announce,
                Communicator& ranks) {
  announce("tables of the report");
  document["options"] = options_json(study);
  document["verdict"] = verdict_json(study);
  document["ranks"] = ranks_json(study, threads, ranks);
  document["embedding"] = embedding_json(study, threads);
  document["matrices"] = matrices_json(study);
  document["kernels"] = kernels_json(study);
  document["metrics"] = metrics_json(study, threads);
  document["encodings"] = encodings_json(study);
  if (ranks.size() == 1) {
    document["groups"] = group_map_json(group_map({}, threads));
    announce("checking theorems");
    document["claims"] = all_claims_json(study.options.seed, threads);
    announce("encodings beyond the training length");
    document["profiles"] = all_profiles_json(study, threads);
  } else {
    announce("checking theorems");
    add_dealt_parts(document, study, threads, ranks);
  }
  document["provenance"] = provenance_json(study);
}

}  // namespace sextant
