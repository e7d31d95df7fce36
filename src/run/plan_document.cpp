// SPDX-License-Identifier: Apache-2.0
#include "run/plan_document.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/check.h"
#include "corpus/counter.h"
#include "geometry/block_cells.h"
#include "geometry/row_spectrum.h"
#include "run/limits.h"

namespace sextant {
namespace {

constexpr Index kMostRanks = 1000000;

// Three digits and one of the units, each 1000 of the one before.
std::string with_unit(double value, std::span<const char* const> units) {
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000.0;
    ++unit;
  }
  const int digits = value >= 99.95 || (unit == 0 && value == std::floor(value)) ? 0
                     : value >= 9.995                                            ? 1
                                                                                 : 2;
  return fmt::format("{:.{}f}{}", value, digits, units[unit]);
}

bool fits(const StudyPlan& plan, double bytes) { return !plan.memory || bytes <= *plan.memory; }

std::string verdict_of(const StudyPlan& plan, double bytes) {
  if (!plan.memory) return "the memory at hand is not known";
  return fmt::format("{} {}", fits(plan, bytes) ? "fits into" : "refused: more than",
                     bytes_text(*plan.memory));
}

void add_notes(StudyPlan& plan) {
  const PlanQuestion& question = plan.question;
  const double scale = question.bytes / plan.corpus.sample.all().bytes;
  if (!plan.corpus.long_enough)
    plan.notes.push_back(
        fmt::format("no sequence of the sample has {} tokens: sizes are those of text whose "
                    "sequences are long enough, with every token evenly over the positions",
                    question.positions));
  plan.notes.push_back(
      "times are those of counting and of one spectrum; splits, intervals, shuffles and candidates "
      "of a study come on top, and take longer than its spectra below some thousand positions");
  if (scale > 100.0)
    plan.notes.push_back(
        fmt::format("the sample is 1/{:.0f} of the corpus: sizes that far out are an order of "
                    "magnitude",
                    scale));
  if (!fits(plan, plan.cost.count_memory) && question.shuffles > 0)
    plan.notes.push_back(
        "the counts do not fit into a rank; --shuffles 0 leaves out those of the "
        "null, and fewer --positions shrink all of them");
  if (!fits(plan, plan.cost.dense_bytes))
    plan.notes.push_back(
        "the dense geometry does not fit into a rank; the spectrum alone can be "
        "had without the matrix");
}

PlanSection corpus_lines(const StudyPlan& plan) {
  const CorpusSample& sample = plan.corpus.sample;
  const CostPlan& cost = plan.cost;
  const std::string times =
      fmt::format("({} / {})", bytes_text(plan.question.bytes), bytes_text(sample.all().bytes));
  const auto grown = [&](double size, const PowerLaw& law, const char* bound) {
    return fmt::format("{} x {}^{:.3f}{}", number_text(size), times, law.exponent, bound);
  };
  const char* places = ", at most what fills all places of each token";
  PlanSection section{"The corpus", {}};
  section.lines = {
      {"tokens", number_text(cost.tokens),
       fmt::format("{} x {}", number_text(sample.tokens), times)},
      {"that count", number_text(cost.used_tokens),
       fmt::format("{} x {}", number_text(sample.used_tokens), times)},
      {"different tokens", number_text(cost.types), grown(sample.all().types, cost.type_law, "")},
      {"cells of 64 blocks", number_text(cost.cells),
       grown(sample.all().cells, cost.cell_law, places)},
      {"cells of shuffles", number_text(cost.shuffled_cells),
       fmt::format("{} in the sample, {} shuffles{}", number_text(sample.all().shuffled_cells),
                   plan.question.shuffles, places)},
      {"entries of sqrt P", number_text(cost.pairs),
       grown(sample.all().pairs, cost.pair_law, places)},
  };
  return section;
}

PlanSection count_lines(const StudyPlan& plan) {
  const CorpusSample& sample = plan.corpus.sample;
  const CostPlan& cost = plan.cost;
  const double read = sample.all().bytes / std::max(1e-9, sample.read_seconds);
  const double counted = sample.all().bytes / std::max(1e-9, sample.count_seconds);
  PlanSection section{"Counting", {}};
  section.lines = {
      {"counts of all", bytes_text(cost.counts_bytes),
       fmt::format("blocks {} + shuffles {} + the rest {}", bytes_text(cost.cells_bytes),
                   bytes_text(cost.shuffled_bytes), bytes_text(cost.other_bytes))},
      {"to read per rank", bytes_text(cost.rank_bytes),
       fmt::format("{} / {} ranks", bytes_text(plan.question.bytes), plan.question.ranks)},
      {"counts of a rank", bytes_text(cost.rank_counts_bytes), "the same laws at its share"},
      {"time per rank", seconds_text(cost.count_seconds),
       fmt::format("a thread reads {}/s and counts {}/s; of {} one reads at a time",
                   bytes_text(read), bytes_text(counted), plan.question.threads)},
      {"memory per rank", bytes_text(cost.count_memory),
       fmt::format(
           "twice the counts, {} that {} threads gather, the vocabulary and the program; {}",
           bytes_text(cost.gathered_bytes), plan.question.threads,
           verdict_of(plan, cost.count_memory))},
  };
  if (plan.question.ranks == 1) return section;
  section.lines.push_back({"network, rank 0", bytes_text(cost.received_bytes),
                           fmt::format("received in {} steps of a tree, log2 of {} ranks",
                                       cost.steps, plan.question.ranks)});
  section.lines.push_back(
      {"reduce and pass on", seconds_text(cost.reduce_seconds),
       fmt::format("{}/s assumed between ranks, merged at {}/s", bytes_text(plan.assumed.network),
                   bytes_text(sample.merged_bytes / std::max(1e-9, sample.merge_seconds)))});
  return section;
}

PlanSection spectrum_lines(const StudyPlan& plan) {
  const CostPlan& cost = plan.cost;
  const PlanAssumptions& assumed = plan.assumed;
  PlanSection section{"Geometry and spectrum", {}};
  section.lines = {
      {"dense geometry", bytes_text(cost.dense_bytes),
       fmt::format("matrices of {} x {}, and {} of cells by block; {}", plan.question.positions,
                   plan.question.positions, bytes_text(BlockCells::bytes(cost.cells)),
                   verdict_of(plan, cost.dense_bytes))},
      {"a dense spectrum", seconds_text(cost.dense_seconds),
       fmt::format("{} at {} positions x ({} / {})^3",
                   seconds_text(plan.corpus.sample.eigen_seconds), plan.corpus.sample.eigen_size,
                   plan.question.positions, plan.corpus.sample.eigen_size)},
      {"matrix-free, per rank", bytes_text(cost.spectrum_bytes),
       fmt::format("{} entries / {} ranks x {:.0f} B + {:.0f} vectors of {} + {} of sums for {} "
                   "tokens; {}",
                   number_text(cost.pairs), plan.question.ranks, assumed.entry_bytes,
                   krylov_vectors(assumed.top), plan.question.positions,
                   bytes_text(cost.operator_bytes), number_text(cost.types),
                   verdict_of(plan, cost.spectrum_bytes))},
      {"matrix-free, time", seconds_text(cost.spectrum_seconds),
       fmt::format("top {}: {:.0f} products assumed, {:.0f} B of sums an entry each at {}/s, {} "
                   "between ranks at {}/s",
                   assumed.top, assumed.products, assumed.sum_bytes, bytes_text(assumed.memory),
                   bytes_text(cost.spectrum_network), bytes_text(assumed.network))},
  };
  return section;
}

Json law_json(double value, const PowerLaw& law) {
  return {{"value", value}, {"exponent", law.exponent}};
}

Json sample_json(const SampledCorpus& corpus) {
  const CorpusSample& sample = corpus.sample;
  Json json = {{"bytes", sample.all().bytes},
               {"text_bytes", sample.text_bytes},
               {"whole", corpus.whole},
               {"long_enough", corpus.long_enough},
               {"tokens", sample.tokens},
               {"used_tokens", sample.used_tokens},
               {"cells_bytes", sample.cell_bytes},
               {"shuffled_bytes", sample.shuffled_bytes},
               {"read_seconds", sample.read_seconds},
               {"count_seconds", sample.count_seconds},
               {"merge_seconds", sample.merge_seconds},
               {"merged_bytes", sample.merged_bytes},
               {"eigen_size", sample.eigen_size},
               {"eigen_seconds", sample.eigen_seconds},
               {"prefixes", Json::array()}};
  for (const PrefixSizes& prefix : sample.prefixes)
    json["prefixes"].push_back({{"bytes", prefix.bytes},
                                {"cells", prefix.cells},
                                {"shuffled_cells", prefix.shuffled_cells},
                                {"pairs", prefix.pairs},
                                {"types", prefix.types}});
  return json;
}

}  // namespace

std::string bytes_text(double bytes) {
  constexpr std::array kUnits = {" B", " kB", " MB", " GB", " TB", " PB"};
  return with_unit(bytes, kUnits);
}

std::string number_text(double number) {
  constexpr std::array kUnits = {"", " k", " M", " G", " T"};
  return with_unit(std::round(number), kUnits);
}

std::string seconds_text(double seconds) {
  if (seconds < 0.1) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 120.0) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200.0) return fmt::format("{:.1f} min", seconds / 60.0);
  if (seconds < 172800.0) return fmt::format("{:.1f} h", seconds / 3600.0);
  return fmt::format("{:.0f} days", seconds / 86400.0);
}

StudyPlan make_plan(const StudyChoice& choice, const StudyRun& run) {
  require_range("--ranks", choice.ranks, 1, kMostRanks);
  const StudyCorpus corpus = open_study(choice, run);
  StudyPlan plan;
  plan.corpus = sample_corpus(*corpus.reader, *corpus.tokenizer, corpus.counting);
  require(choice.bytes || plan.corpus.total_bytes > 0.0, "--bytes",
          "must say how large the corpus is: it is not known");
  plan.memory = memory_to_use(choice.memory ? std::optional(static_cast<double>(*choice.memory))
                                            : std::nullopt);
  constexpr double kEnough = 1e12;
  plan.question = {
      .bytes = choice.bytes ? static_cast<double>(*choice.bytes) : plan.corpus.total_bytes,
      .positions = corpus.counting.positions,
      .shuffles = corpus.counting.shuffles,
      .ranks = choice.ranks.value_or(1),
      .threads = run.threads,
      .geometry_bytes = geometry_bytes(corpus.counting.positions, corpus.options,
                                       corpus.counting.shuffles, run.threads),
      .gather_limit = static_cast<double>(
          gather_limit(static_cast<std::uint64_t>(plan.memory.value_or(kEnough)), run.threads))};
  plan.cost = cost_plan(plan.corpus.sample, plan.question, plan.assumed);
  add_notes(plan);
  return plan;
}

std::vector<PlanSection> plan_lines(const StudyPlan& plan) {
  return {corpus_lines(plan), count_lines(plan), spectrum_lines(plan)};
}

Json plan_json(const StudyPlan& plan) {
  const CostPlan& cost = plan.cost;
  Json json;
  json["sample"] = sample_json(plan.corpus);
  json["question"] = {{"bytes", plan.question.bytes},
                      {"positions", plan.question.positions},
                      {"shuffles", plan.question.shuffles},
                      {"ranks", plan.question.ranks},
                      {"threads", plan.question.threads}};
  json["assumed"] = {{"network_bytes_per_second", plan.assumed.network},
                     {"memory_bytes_per_second", plan.assumed.memory},
                     {"top", plan.assumed.top},
                     {"products", plan.assumed.products},
                     {"entry_bytes", plan.assumed.entry_bytes},
                     {"sum_bytes", plan.assumed.sum_bytes}};
  json["corpus"] = {{"tokens", cost.tokens},
                    {"used_tokens", cost.used_tokens},
                    {"types", law_json(cost.types, cost.type_law)},
                    {"cells", law_json(cost.cells, cost.cell_law)},
                    {"shuffled_cells", cost.shuffled_cells},
                    {"pairs", law_json(cost.pairs, cost.pair_law)}};
  json["counts"] = {{"bytes", cost.counts_bytes},
                    {"cells_bytes", cost.cells_bytes},
                    {"shuffled_bytes", cost.shuffled_bytes},
                    {"other_bytes", cost.other_bytes}};
  json["rank"] = {{"bytes", cost.rank_bytes},      {"counts_bytes", cost.rank_counts_bytes},
                  {"seconds", cost.count_seconds}, {"gathered_bytes", cost.gathered_bytes},
                  {"memory", cost.count_memory},   {"fits", fits(plan, cost.count_memory)}};
  json["reduction"] = {{"steps", cost.steps},
                       {"received_bytes", cost.received_bytes},
                       {"seconds", cost.reduce_seconds}};
  json["geometry"] = {{"memory", cost.dense_bytes},
                      {"seconds", cost.dense_seconds},
                      {"fits", fits(plan, cost.dense_bytes)}};
  json["spectrum"] = {
      {"memory", cost.spectrum_bytes},         {"vectors", krylov_vectors(plan.assumed.top)},
      {"operator_bytes", cost.operator_bytes}, {"product_network_bytes", cost.spectrum_network},
      {"seconds", cost.spectrum_seconds},      {"fits", fits(plan, cost.spectrum_bytes)}};
  json["memory"] = plan.memory ? Json(*plan.memory) : Json();
  json["notes"] = plan.notes;
  return json;
}

}  // namespace sextant
