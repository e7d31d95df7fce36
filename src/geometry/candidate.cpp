// SPDX-License-Identifier: Apache-2.0
#include "geometry/candidate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.h"
#include "base/parallel.h"
#include "base/text.h"
#include "encoding/params.h"

namespace sextant {
namespace {

// Candidates of this many bytes in all are stored; larger ones are computed again and again.
constexpr double kStoredBytes = 512e6;

const ParamInfo* param_of(const EncodingSpec::Term& term, std::string_view key) {
  return find_param(encodings().info(term.name), key);
}

std::string value_of(const EncodingSpec::Term& term, std::string_view key) {
  for (const EncodingSpec::Argument& argument : term.arguments)
    if (argument.key == key) return argument.value;
  return "";
}

bool is_fitted(const EncodingSpec::Term& term) {
  return (term.name == "mds" || term.name == "smacof") && !sets(term, "file");
}

// "" when all values are there.
std::string missing_values(const EncodingSpec& spec) {
  for (const EncodingSpec::Term& term : spec.terms) {
    const EncodingInfo& info = encodings().info(term.name);
    if (is_fitted(term) || sets(term, "file")) continue;
    if (lacks_file(info, term)) return needed_file(info);
    if (info.needs_values && param_of(term, "file") != nullptr)
      return fmt::format("the values of {} are learned: give them as file=FILE", term.name);
    if (info.needs_values) return fmt::format("the values of {} are learned", term.name);
  }
  return "";
}

// Coordinates as rows of a table over all positions; those left out have rows of zeros.
Tensor as_rows(const Matrix& points, std::span<const Index> positions, Index length) {
  Tensor tensor{.shape = {length, points.cols()}, .values = {}};
  tensor.values.resize(static_cast<std::size_t>(length * points.cols()));
  for (Index k = 0; k < points.rows(); ++k) {
    std::ranges::copy(points.row(k), tensor.values.begin() +
                                         positions[static_cast<std::size_t>(k)] * points.cols());
  }
  return tensor;
}

// The tensors of a spec with a fitted term, whose rank is filled in.
TensorMap fitted_tensors(EncodingSpec& spec, const Target& target,
                         const CandidateOptions& options) {
  TensorMap tensors;
  for (EncodingSpec::Term& term : spec.terms) {
    if (!is_fitted(term)) continue;
    require(spec.terms.size() == 1 ||
                std::ranges::none_of(spec.terms,
                                     [&](const auto& other) {
                                       return &other != &term && param_of(other, "file") != nullptr;
                                     }),
            spec.text(), "a fitted term and another one with a file cannot be combined");
    if (!sets(term, "rank")) {
      const Index most = std::max<Index>(1, target.plain.size() - 1);
      term.arguments.push_back({"rank", std::to_string(std::min(options.dim, most)), 0});
    }
    const std::optional<Index> rank = parse_integer(value_of(term, "rank"));
    require(rank.has_value(), spec.text(), "rank must be a whole number");
    const FitOptions fitting{.smacof = term.name == "smacof",
                             .corrected = value_of(term, "target") == "corrected",
                             .rank = *rank,
                             .threads = options.threads};
    tensors.emplace("file", as_rows(fit(target, fitting).points, target.positions, options.length));
  }
  return tensors;
}

}  // namespace

std::string without_folders(std::string_view text) {
  EncodingSpec spec = EncodingSpec::parse(text);
  for (EncodingSpec::Term& term : spec.terms) {
    for (EncodingSpec::Argument& argument : term.arguments) {
      const ParamInfo* param = param_of(term, argument.key);
      if (param != nullptr && param->kind == ParamKind::kFile)
        argument.value = argument.value.substr(argument.value.find_last_of('/') + 1);
    }
  }
  return spec.text();
}

namespace {

Candidate equidistant(const Target& target) {
  Candidate result;
  result.encoding = result.name = "equidistant";
  result.title = "All positions at distance 1";
  result.geometry = "control";
  result.control = true;
  result.by_lag.assign(target.positions.size(), 1.0);
  result.by_lag.front() = 0.0;
  result.distances = distances_by_lag(target.plain.size(), result.by_lag);
  return result;
}

bool is_control(std::string_view name) {
  return name == "random" || name == "mds" || name == "smacof";
}

// One candidate for each rule that fits; `base` has the names. Throws where the encoding does not
// cover this size.
void add_rules(const Encoding& encoding, const Candidate& base, bool with_kernel,
               const Target& target, const CandidateOptions& options, Candidates& candidates) {
  const Extent extent =
      encoding.fitted({.positions = options.length, .dim = options.dim, .heads = options.heads});
  const Effects effects = encoding.effects(extent);
  const auto named = [&base](std::string_view geometry) {
    Candidate one;
    one.encoding = base.encoding, one.name = base.name, one.title = base.title;
    one.control = base.control;
    one.geometry = geometry;
    return one;
  };
  for (const Rule rule : rules_for(effects)) {
    Candidate one = named(name(rule));
    Induced induced = induced_distances(effects, extent, rule, target.positions);
    one.distances = std::move(induced.distances);
    one.by_lag = std::move(induced.by_lag);
    one.negative_share = induced.negative_share;
    if (with_kernel) one.kernel = kernel_by_lag(effects, extent, rule, options.length);
    candidates.list.push_back(std::move(one));
  }
  if (!rules_for(effects).empty()) return;
  Candidate still = named("kernel");  // no site at all: every distance is 0
  still.by_lag.assign(target.positions.size(), 0.0);
  still.distances = distances_by_lag(target.plain.size(), still.by_lag);
  candidates.list.push_back(std::move(still));
}

void add_candidates(std::string_view text, const Target& target, const CandidateOptions& options,
                    Candidates& candidates) {
  EncodingSpec spec = EncodingSpec::parse(text);
  for (EncodingSpec::Term& term : spec.terms) add_training_length(term, options.train);
  if (const std::string reason = missing_values(spec); !reason.empty()) {
    candidates.needs_values.push_back({spec.text(), reason});
    return;
  }
  Candidate base;
  base.encoding = spec.text();
  base.name = spec.terms.front().name;
  base.title = encodings().info(base.name).title;
  base.control = spec.terms.size() == 1 && is_control(base.name);
  // Wrong as it was typed is the caller's error; what does not fit this corpus is a result.
  if (std::ranges::none_of(spec.terms, is_fitted)) encodings().make(text);
  try {
    const TensorMap tensors = fitted_tensors(spec, target, options);
    const std::unique_ptr<Encoding> encoding = encodings().make(spec.text(), tensors);
    base.encoding = without_folders(encoding->spec());
    base.title = encoding->info().title;
    const auto same = [&](const Candidate& other) { return other.encoding == base.encoding; };
    if (base.encoding == encoding->spec() && std::ranges::any_of(candidates.list, same)) return;
    // Fitted rows of positions that were left out hold nothing.
    const bool with_kernel = tensors.empty() || target.excluded.empty();
    add_rules(*encoding, base, with_kernel, target, options, candidates);
  } catch (const Error& error) {
    base.error = error.what();
    base.error_code = error.code();
    candidates.list.push_back(std::move(base));
  }
}

}  // namespace

std::vector<std::string> catalogue_specs() { return encodings().names(); }

Candidates make_candidates(const std::vector<std::string>& specs, const Target& target,
                           const CandidateOptions& options) {
  Candidates result;
  for (const std::string& spec : specs) add_candidates(spec, target, options, result);
  result.list.push_back(equidistant(target));
  for (const char* control : {"random", "mds", "smacof"})
    add_candidates(control, target, options, result);
  // What a table of this rank can reach at best, fitted to the very distances it is scored against.
  const Index supported = std::min(target.rank_supported.value_or(0), options.dim);
  if (target.corrected && supported >= 1 && supported < target.plain.size())
    add_candidates(fmt::format("smacof(rank={},target=corrected)", supported), target, options,
                   result);
  const double bytes = 4.0 * static_cast<double>(target.plain.size()) *
                       static_cast<double>(target.plain.size()) *
                       static_cast<double>(result.list.size());
  if (bytes <= kStoredBytes) {
    parallel_for(static_cast<Index>(result.list.size()), options.threads,
                 [&](Index first, Index last) {
                   for (Index k = first; k < last; ++k) {
                     Candidate& candidate = result.list[static_cast<std::size_t>(k)];
                     if (candidate.distances)
                       candidate.distances = distances_of(stored(*candidate.distances));
                   }
                 });
  }
  return result;
}

Fit fit(const Target& target, const FitOptions& options) {
  const Index n = target.plain.size();
  require(options.rank >= 1 && options.rank <= std::max<Index>(1, n - 1), "--rank",
          "must be from 1 to {} but got {}", std::max<Index>(1, n - 1), options.rank);
  require(!options.corrected || target.corrected.has_value(), "--corrected",
          "needs a corpus of at least two sequences");
  const DistanceMatrix& distances = options.corrected ? target.corrected->distances : target.plain;
  Embedding embedding =
      classical_mds(options.corrected ? gram_of_squared(target.corrected->squared) : target.gram,
                    options.rank, options.threads);
  Fit result{.points = std::move(embedding.points),
             .eigenvalues = std::move(embedding.eigenvalues),
             .stress_raw = 0.0,
             .converged = true};
  if (options.smacof) {
    SmacofResult better =
        smacof(distances, result.points, options.most_steps, 1e-9, options.threads);
    result.points = std::move(better.points);
    result.converged = better.converged;
  }
  const DistanceMatrix* const targets[] = {&distances};
  result.stress_raw =
      pair_sums(targets, *distances_of_rows(result.points), options.threads).front().raw();
  return result;
}

std::vector<RankRow> rank_profile(const Target& target, Index dim, Index threads) {
  constexpr Index kIterations = 200;
  constexpr double kTolerance = 1e-6;
  const Index n = target.plain.size(), most = std::min(dim, n - 1);
  std::set<Index> chosen;
  for (Index rank = 1; rank <= most; rank *= 2) chosen.insert(rank);
  if (most >= 1) chosen.insert(most);
  if (target.rank_supported && *target.rank_supported >= 1)
    chosen.insert(std::min(*target.rank_supported, most));
  if (most < 1) chosen.clear();
  const std::vector<Index> list(chosen.begin(), chosen.end());
  if (list.empty()) return {};
  const Matrix all = classical_mds(target.gram, most, threads).points;
  std::vector<RankRow> rows(list.size());
  const DistanceMatrix* const targets[] = {&target.plain};
  parallel_for(static_cast<Index>(list.size()), threads, [&](Index first, Index last) {
    for (Index k = first; k < last; ++k) {
      RankRow& row = rows[static_cast<std::size_t>(k)];
      row.rank = list[static_cast<std::size_t>(k)];
      Matrix points(n, row.rank);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < row.rank; ++j) points(i, j) = all(i, j);
      row.mds = pair_sums(targets, *distances_of_rows(points)).front();
      const SmacofResult better = smacof(target.plain, points, kIterations, kTolerance);
      row.smacof = pair_sums(targets, *distances_of_rows(better.points)).front();
      const auto r = static_cast<double>(row.rank), d = static_cast<double>(dim);
      const auto positions = static_cast<double>(n);
      row.numbers = r * (positions + d);
      row.table_numbers = positions * d;
      row.freedom = r * (positions + d - r);
    }
  });
  return rows;
}

}  // namespace sextant
