// SPDX-License-Identifier: Apache-2.0
#include "run/spectrum_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "corpus/counts_stream.h"
#include "corpus/positional_counts.h"
#include "geometry/row_spectrum.h"
#include "run/document.h"
#include "run/limits.h"
#include "run/shared_counts.h"
#include "run/spectrum_solver.h"
#include "run/word_choice.h"

namespace sextant {
namespace {

constexpr std::int64_t kFew = 200;  // sequences below which a position says little
constexpr Index kMostBlocks = 128;

enum Solver { kKrylov, kSlepc, kDense };

Solver solver_of(const SpectrumChoice& choice) {
  const auto solver = static_cast<Solver>(sextant::choice("--solver", choice.solver, kSolverWords));
  require(solver != kSlepc || slepc_solver(), "--solver",
          "slepc needs two ranks or more, 'mpirun -n RANKS sextant spectrum ...', of a program "
          "sextant-mpi that was built with SLEPc (libslepc-real-dev)");
  return solver;
}

// Counts of a corpus, with cells that can be visited again and again.
struct Cells {
  CountsFile held;                     // or
  std::unique_ptr<CountsStream> file;  // they stay on disk
  std::vector<std::int64_t> sequences;

  CellSource source() const {
    return [this](const CellVisit& visit) {
      if (file != nullptr)
        file->for_each_cell(visit);
      else
        held.counts.blocks.for_each(visit);
    };
  }
};

std::optional<Cells> cells_of(const StudyChoice& choice, const StudyRun& run, Study& study) {
  Cells cells;
  if (are_counts(choice.corpus.inputs) && expand_inputs(choice.corpus.inputs).size() == 1) {
    run.announce("reading counts");
    check_counts_options(choice.corpus);
    cells.file = std::make_unique<CountsStream>(expand_inputs(choice.corpus.inputs).front());
    check_agreement(choice, run, cells.file->head().counts);
    cells.sequences = cells.file->sequences();
    take_counts(study, cells.file->head(), choice.title);
    return cells;
  }
  const CheckCounting fits = [](const CountOptions&) {};
  std::optional<CountsFile> file = are_counts(choice.corpus.inputs)
                                       ? given_counts_by_ranks(choice, run, fits)
                                       : count_by_ranks(choice, run, fits);
  if (!file) return {};
  cells.sequences = sequences_by_position(file->counts);
  cells.held.counts.blocks = std::exchange(file->counts.blocks, CellCounts());
  take_counts(study, std::move(*file), choice.title);
  return cells;
}

// How the entries lie over the ranks: not a result, which would differ between numbers of ranks.
void note_shares(const PositionRows& rows, const StudyRun& run) {
  const std::int64_t own = rows.own_entries();
  const auto all = run.ranks->gather_all(std::as_bytes(std::span(&own, 1)));
  if (run.ranks->size() == 1 || !run.ranks->is_root()) return;
  std::string text;
  for (const std::vector<std::byte>& one : all) {
    std::int64_t entries = 0;
    std::memcpy(&entries, one.data(), sizeof(entries));
    text += fmt::format("{}{}", text.empty() ? "" : " + ", entries);
  }
  run.note(fmt::format("entries by rank: {} = {}", text, rows.entries()));
}

Spectrum zero_spectrum(Index rows, Index count) {
  Spectrum none;
  none.values.assign(static_cast<std::size_t>(count), 0.0);
  none.vectors = Matrix(rows, count);
  return none;
}

void solve(const Cells& cells, const PositionRows& rows, const StudyRun& run,
           const MemoryShare& memory, Index count, SpectrumStudy& study) {
  Communicator& ranks = *run.ranks;
  const auto solver = static_cast<Solver>(choice("--solver", study.solver, kSolverWords));
  const bool dense = solver == kDense;
  refuse_together(ranks, memory,
                  dense ? dense_bytes(rows, count)
                        : krylov_bytes(rows.rows(), rows.tokens(), count, run.threads),
                  dense ? "--solver" : "--positions",
                  fmt::format("{} of {} positions", study.solver, rows.rows()),
                  dense ? "use --solver krylov" : "use fewer positions, or a smaller --top");
  run.announce("spectrum");
  const RowOperator product(rows, ranks, run.threads);
  study.trace = product.trace();
  study.indistinguishable = indistinguishable(study.trace, rows.rows());
  if (study.indistinguishable)
    study.spectrum = zero_spectrum(rows.rows(), count);
  else if (dense)
    study.spectrum = dense_spectrum(cells.source(), rows, ranks, count, run.threads);
  else if (solver == kSlepc)
    study.spectrum = slepc_solver()(product, rows, ranks, count);
  else
    study.spectrum = krylov_spectrum(product, rows, ranks, count);
}

Candidates candidates_for(const SpectrumChoice& choice, std::span<const Index> positions,
                          Index length, Index threads) {
  if (choice.stress.empty()) return {};
  const StudyOptions defaults;
  return unstored_candidates(split_specs(choice.stress, "--stress"), positions,
                             {.dim = choice.study.dim.value_or(defaults.dim),
                              .heads = choice.study.heads.value_or(defaults.heads),
                              .train = choice.study.train.value_or(length),
                              .length = length,
                              .threads = threads});
}

void measure_stress(Candidates candidates, const PositionRows& rows, const StudyRun& run,
                    SpectrumStudy& study) {
  run.announce("stress");
  Candidate mds;
  mds.encoding = fmt::format("mds(rank={})", study.spectrum.values.size());
  mds.geometry = "rows";
  mds.control = true;
  mds.distances = distances_of_rows(coordinates(study.spectrum));
  candidates.list.push_back(std::move(mds));
  std::vector<const Distances*> distances;
  for (const Candidate& candidate : candidates.list)
    if (candidate.distances) distances.push_back(candidate.distances.get());
  const PairStresses stresses =
      pair_stress(rows, *run.ranks, distances, *study.pairs, run.seed.value_or(1), run.threads);
  study.pairs_used = stresses.used;
  auto next = stresses.rows.begin();
  for (const Candidate& candidate : candidates.list) {
    StressRow row{.encoding = candidate.encoding,
                  .geometry = candidate.geometry,
                  .control = candidate.control,
                  .stress = {},
                  .error = candidate.error,
                  .error_code = candidate.error_code};
    if (candidate.distances) row.stress = *next++;
    study.stress.push_back(std::move(row));
  }
  study.needs_values = std::move(candidates.needs_values);
}

}  // namespace

std::optional<SpectrumStudy> make_spectrum(const SpectrumChoice& choice, const StudyRun& run) {
  solver_of(choice);
  require_range("--top", choice.top, 1, kMostDim);
  require_range("--pairs", choice.pairs, kLeastPairs, kLargest);
  if (!choice.stress.empty())
    for (const std::string& spec : split_specs(choice.stress, "--stress"))
      for (const EncodingSpec::Term& term : EncodingSpec::parse(spec).terms)
        encodings().info(term.name);  // a wrong name is told before the corpus is read
  SpectrumStudy study;
  study.solver = choice.solver;
  StudyChoice reading = choice.study;
  StudyRun counting = run;
  if (!are_counts(reading.corpus.inputs))
    reading.shuffles = 0;
  else
    counting.seed = {};  // of the shuffles, which nothing here asks for
  const std::optional<Cells> cells = cells_of(reading, counting, study.corpus);
  if (!cells) return {};
  run.counted();
  check_sequences(study.corpus.counts);
  for (std::size_t i = 0; i < cells->sequences.size(); ++i) {
    const std::int64_t sequences = cells->sequences[i];
    (sequences > 0 ? study.positions : study.excluded).push_back(static_cast<Index>(i));
    if (sequences > 0 && sequences < kFew) ++study.few;
  }
  const auto n = static_cast<Index>(study.positions.size());
  const Index count = choice.top.value_or(std::min(kDefaultTop, n));
  require(count <= n, "--top", "must be at most {}, the number of positions, but got {}", n, count);
  if (!choice.stress.empty()) study.pairs = plan_pairs(n, choice.pairs.value_or(kDefaultPairs));

  // What is wrong with a spec is told before the long work.
  Candidates candidates = candidates_for(choice, study.positions,
                                         static_cast<Index>(cells->sequences.size()), run.threads);
  run.announce("rows");
  MemoryShare memory{.ranks_here = run.ranks->on_host()};
  if (choice.study.memory) memory.limit = static_cast<double>(*choice.study.memory);
  const PositionRows rows(cells->source(), cells->sequences,
                          study.pairs ? study.pairs->blocks : kMostBlocks, *run.ranks,
                          [&](double bytes) {
                            refuse_together(*run.ranks, memory, bytes, "--positions",
                                            fmt::format("sqrt P of {} positions", n),
                                            "use more ranks on more machines");
                          });
  study.tokens = rows.tokens();
  study.entries = rows.entries();
  note_shares(rows, run);
  if (study.pairs)
    refuse_together(*run.ranks, memory,
                    pair_stress_bytes(rows, run.ranks->size(), std::ssize(candidates.list) + 1,
                                      *study.pairs, run.threads),
                    "--stress", fmt::format("stress over {} positions", n),
                    "use fewer --threads, more ranks, or fewer positions");
  solve(*cells, rows, run, memory, count, study);
  if (study.pairs) measure_stress(std::move(candidates), rows, run, study);
  return study;
}

void add_spectrum(Json& document, const SpectrumStudy& study) {
  document["corpus"] = corpus_json(study.corpus);
  document["positions"] = study.positions.size();
  document["excluded"] = study.excluded;
  document["few"] = study.few;
  document["tokens"] = study.tokens;
  document["entries"] = study.entries;
  document["solver"] = study.solver;
  document["top"] = study.spectrum.values.size();
  document["trace"] = study.trace;
  document["eigenvalues"] = study.spectrum.values;
  Json shares = Json::array();
  double held = 0.0;
  for (const double value : study.spectrum.values) {
    shares.push_back(study.indistinguishable ? 0.0 : value / study.trace);
    held += shares.back().get<double>();
  }
  document["shares"] = std::move(shares);
  document["share"] = held;
  document["residual"] = study.spectrum.residual;
  document["orthogonality"] = study.spectrum.orthogonality;
  document["multiplicity_certified"] = study.spectrum.multiplicity_certified;
  document["indistinguishable"] = study.indistinguishable;
  if (!study.pairs) return;
  Json stress;
  stress["pairs"] = study.pairs->pairs;
  stress["sampled"] = study.pairs->sampled();
  stress["compared"] = study.pairs_used;
  stress["strata"] = study.pairs->blocks * (study.pairs->blocks + 1) / 2;
  stress["rows"] = Json::array();
  for (const StressRow& row : study.stress) {
    Json one = {{"encoding", row.encoding}, {"geometry", row.geometry}, {"control", row.control}};
    const bool known = row.stress.has_value(), sampled = study.pairs->sampled();
    const PairStress s = row.stress.value_or(PairStress{});
    one["stress_raw"] = known ? Json(s.raw) : Json();
    one["stress_raw_error"] = known && sampled ? Json(s.raw_error) : Json();
    one["stress_scaled"] = known ? Json(s.scaled) : Json();
    one["stress_scaled_error"] = known && sampled ? Json(s.scaled_error) : Json();
    one["scale"] = known ? Json(s.scale) : Json();
    if (!row.error.empty()) one["error"] = row.error;
    stress["rows"].push_back(std::move(one));
  }
  stress["needs_values"] = Json::array();
  for (const NeedsValues& each : study.needs_values)
    stress["needs_values"].push_back({{"encoding", each.encoding}, {"reason", each.reason}});
  document["stress"] = std::move(stress);
}

}  // namespace sextant
