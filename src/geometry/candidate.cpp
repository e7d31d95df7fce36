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

// What a fitted term asks for; its rank is filled in.
FitOptions fitting_of(EncodingSpec::Term& term, std::string_view spec, const Target& target,
                      const CandidateOptions& options) {
  if (!sets(term, "rank")) {
    const Index most = std::max<Index>(1, target.plain.size() - 1);
    term.arguments.push_back({"rank", std::to_string(std::min(options.dim, most)), 0});
  }
  const std::optional<Index> rank = parse_integer(value_of(term, "rank"));
  require(rank.has_value(), spec, "rank must be a whole number");
  return {.smacof = term.name == "smacof",
          .corrected = value_of(term, "target") == "corrected",
          .rank = *rank,
          .threads = options.threads};
}

// The fits of some specs by the ranks of a job; for one process there is nothing to share.
class SharedFits {
 public:
  SharedFits(const std::vector<std::string>& specs, const Target& target,
             const CandidateOptions& options) {
    if (options.ranks->size() == 1) return;
    for (const std::string& text : specs)
      for (EncodingSpec::Term& term : EncodingSpec::parse(text).terms)
        if (is_fitted(term)) add(term, text, target, options);
    const auto points = [&](Index k) -> Vector {
      try {
        const Matrix found = fit(target, asked_[static_cast<std::size_t>(k)]).points;
        return {found.values().begin(), found.values().end()};
      } catch (const Error&) {
        return {};  // whoever asks for it fits again and finds the same error
      }
    };
    points_ = spread(*options.ranks, static_cast<Index>(asked_.size()), 1, points);
  }

  Matrix points(const Target& target, const FitOptions& fitting) const {
    for (std::size_t k = 0; k < asked_.size(); ++k) {
      if (!same(asked_[k], fitting) || points_[k].empty()) continue;
      Matrix result(target.plain.size(), fitting.rank);
      std::ranges::copy(points_[k], result.values().begin());
      return result;
    }
    return fit(target, fitting).points;
  }

 private:
  static bool same(const FitOptions& a, const FitOptions& b) {
    return a.smacof == b.smacof && a.corrected == b.corrected && a.rank == b.rank;
  }

  void add(EncodingSpec::Term& term, std::string_view spec, const Target& target,
           const CandidateOptions& options) {
    try {
      const FitOptions fitting = fitting_of(term, spec, target, options);
      const auto is_known = [&](const FitOptions& other) { return same(other, fitting); };
      if (std::ranges::none_of(asked_, is_known)) asked_.push_back(fitting);
    } catch (const Error&) {
      return;  // becomes the row of an error
    }
  }

  std::vector<FitOptions> asked_;
  std::vector<Vector> points_;
};

// The tensors of a spec with a fitted term, whose rank is filled in.
TensorMap fitted_tensors(EncodingSpec& spec, const Target& target, const CandidateOptions& options,
                         const SharedFits& fits) {
  TensorMap tensors;
  for (EncodingSpec::Term& term : spec.terms) {
    if (!is_fitted(term)) continue;
    require(spec.terms.size() == 1 ||
                std::ranges::none_of(spec.terms,
                                     [&](const auto& other) {
                                       return &other != &term && param_of(other, "file") != nullptr;
                                     }),
            spec.text(), "a fitted term and another one with a file cannot be combined");
    const FitOptions fitting = fitting_of(term, spec.text(), target, options);
    tensors.emplace("file",
                    as_rows(fits.points(target, fitting), target.positions, options.length));
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

// What candidates are made for.
struct Place {
  std::span<const Index> positions;
  const Target* target = nullptr;  // that fitted encodings are fitted to; nothing: they cannot be
  const SharedFits* fits = nullptr;
};

Candidate equidistant(std::span<const Index> positions) {
  Candidate result;
  result.encoding = result.name = "equidistant";
  result.title = "All positions at distance 1";
  result.geometry = "control";
  result.control = true;
  result.by_lag.assign(positions.size(), 1.0);
  result.by_lag.front() = 0.0;
  result.distances = distances_by_lag(static_cast<Index>(positions.size()), result.by_lag);
  return result;
}

bool is_control(std::string_view name) {
  return name == "random" || name == "mds" || name == "smacof";
}

// One candidate for each rule that fits; `base` has the names. Throws where the encoding does not
// cover this size.
void add_rules(const Encoding& encoding, const Candidate& base, bool with_kernel,
               std::span<const Index> positions, const CandidateOptions& options,
               Candidates& candidates) {
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
    Induced induced = induced_distances(effects, extent, rule, positions);
    one.distances = std::move(induced.distances);
    one.by_lag = std::move(induced.by_lag);
    one.negative_share = induced.negative_share;
    if (with_kernel) one.kernel = kernel_by_lag(effects, extent, rule, options.length);
    candidates.list.push_back(std::move(one));
  }
  if (!rules_for(effects).empty()) return;
  Candidate still = named("kernel");  // no site at all: every distance is 0
  still.by_lag.assign(positions.size(), 0.0);
  still.distances = distances_by_lag(static_cast<Index>(positions.size()), still.by_lag);
  candidates.list.push_back(std::move(still));
}

void add_candidates(std::string_view text, const Place& place, const CandidateOptions& options,
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
  const bool fitted = std::ranges::any_of(spec.terms, is_fitted);
  if (!fitted) encodings().make(text);
  require(!fitted || place.target != nullptr, spec.text(),
          "is fitted to all pairs of positions, which are too many here; give it as file=FILE");
  try {
    const TensorMap tensors =
        fitted ? fitted_tensors(spec, *place.target, options, *place.fits) : TensorMap();
    const std::unique_ptr<Encoding> encoding = encodings().make(spec.text(), tensors);
    base.encoding = without_folders(encoding->spec());
    base.title = encoding->info().title;
    const auto same = [&](const Candidate& other) { return other.encoding == base.encoding; };
    if (base.encoding == encoding->spec() && std::ranges::any_of(candidates.list, same)) return;
    // Fitted rows of positions that were left out hold nothing.
    const bool with_kernel =
        place.target != nullptr && (tensors.empty() || place.target->excluded.empty());
    add_rules(*encoding, base, with_kernel, place.positions, options, candidates);
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
  std::vector<std::string> controls = {"random", "mds", "smacof"};
  // What a table of this rank can reach at best, fitted to the very distances it is scored against.
  const Index supported = std::min(target.rank_supported.value_or(0), options.dim);
  if (target.corrected && supported >= 1 && supported < target.plain.size())
    controls.push_back(fmt::format("smacof(rank={},target=corrected)", supported));
  std::vector<std::string> all = specs;
  all.insert(all.end(), controls.begin(), controls.end());
  const SharedFits fits(all, target, options);
  Candidates result;
  const Place place{target.positions, &target, &fits};
  for (const std::string& spec : specs) add_candidates(spec, place, options, result);
  result.list.push_back(equidistant(target.positions));
  for (const std::string& control : controls) add_candidates(control, place, options, result);
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

Candidates unstored_candidates(const std::vector<std::string>& specs,
                               std::span<const Index> positions, const CandidateOptions& options) {
  Candidates result;
  for (const std::string& spec : specs) add_candidates(spec, {positions}, options, result);
  result.list.push_back(equidistant(positions));
  return result;
}

namespace {

// Numbers of a matrix in front of others, for the way between ranks.
Vector packed(const Matrix& points, const Vector& others) {
  Vector result = others;
  result.insert(result.end(), points.values().begin(), points.values().end());
  return result;
}

Matrix unpacked(std::span<const double> numbers, Index rows, Index cols) {
  Matrix points(rows, cols);
  std::ranges::copy(numbers.last(points.values().size()), points.values().begin());
  return points;
}

Fit fitted_here(const Target& target, const FitOptions& options) {
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

}  // namespace

Fit fit(const Target& target, const FitOptions& options) {
  const Index n = target.plain.size();
  require(options.rank >= 1 && options.rank <= std::max<Index>(1, n - 1), "--rank",
          "must be from 1 to {} but got {}", std::max<Index>(1, n - 1), options.rank);
  require(!options.corrected || target.corrected.has_value(), "--corrected",
          "needs a corpus of at least two sequences");
  if (options.ranks->size() == 1) return fitted_here(target, options);
  const Vector numbers = from_root(*options.ranks, [&] {
    const Fit own = fitted_here(target, options);
    Vector others = {own.stress_raw, own.converged ? 1.0 : 0.0};
    others.insert(others.end(), own.eigenvalues.begin(), own.eigenvalues.end());
    return packed(own.points, others);
  });
  Fit result;
  result.stress_raw = numbers[0];
  result.converged = numbers[1] != 0.0;
  result.points = unpacked(numbers, n, options.rank);
  result.eigenvalues.assign(numbers.begin() + 2, numbers.end() - n * options.rank);
  return result;
}

std::vector<RankRow> rank_profile(const Target& target, Index dim, Index threads,
                                  Communicator& ranks) {
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
  const auto coordinates = [&] {
    return packed(classical_mds(target.gram, most, threads).points, {});
  };
  const Matrix all = unpacked(from_root(ranks, coordinates), n, most);
  const DistanceMatrix* const targets[] = {&target.plain};
  const auto sums_of = [&](Index k) -> Vector {
    const Index rank = list[static_cast<std::size_t>(k)];
    Matrix points(n, rank);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < rank; ++j) points(i, j) = all(i, j);
    const PairSums mds = pair_sums(targets, *distances_of_rows(points)).front();
    const SmacofResult better = smacof(target.plain, points, kIterations, kTolerance);
    const PairSums best = pair_sums(targets, *distances_of_rows(better.points)).front();
    return {mds.dd, mds.ee, mds.de, best.dd, best.ee, best.de};
  };
  const std::vector<Vector> sums = spread(ranks, static_cast<Index>(list.size()), threads, sums_of);
  std::vector<RankRow> rows;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Vector& s = sums[k];
    const auto r = static_cast<double>(list[k]), d = static_cast<double>(dim);
    const auto positions = static_cast<double>(n);
    rows.push_back({.rank = list[k],
                    .mds = {.dd = s[0], .ee = s[1], .de = s[2]},
                    .smacof = {.dd = s[3], .ee = s[4], .de = s[5]},
                    .numbers = r * (positions + d),
                    .table_numbers = positions * d,
                    .freedom = r * (positions + d - r)});
  }
  return rows;
}

}  // namespace sextant
