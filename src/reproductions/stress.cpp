// SPDX-License-Identifier: Apache-2.0
// Stress of ALiBi, the sinusoid and RoPE on SST-2 and IMDB, which the user must have. The digest of
// the source prints an order and no numbers; whether texts are padded, whether scales are fitted
// and whether the noise of sampling is taken out decide that order, so each is a reading.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/check.h"
#include "corpus/counter.h"
#include "geometry/induced.h"
#include "geometry/target.h"
#include "sextant/registry.h"
#include "training/reproduction.h"

namespace sextant {
namespace {

constexpr ReproductionInfo kInfo = {
    .name = "stress",
    .source = "Cirrincione, arXiv:2604.05217, experiments with BERT-base",
    .method =
        "sinusoidal d=768 by its rows, RoPE d=64 by its kernel, ALiBi with 12 heads read as a "
        "distance, against Hellinger distances between positions of the corpus"};

struct Corpus {
  std::string_view name, title;
  Index padded, whole;  // positions of padded runs, and of sequences that are at least so long
  bool quick;
};
constexpr Corpus kCorpora[] = {{"sst2", "SST-2", 64, 24, true}, {"imdb", "IMDB", 512, 128, false}};
constexpr Index kShuffles = 5;
constexpr std::size_t kCellsOfCorpus = 4;

// In the order of the readings of an order cell.
enum ReadingIndex {
  kPaddedRaw,
  kPaddedScaled,
  kWholeRaw,
  kWholeScaled,
  kWholeCorrected,
  kReadings
};
constexpr std::array<const char*, kReadings> kConditions = {
    "", "padded texts are compared after the best common scale", "texts are not padded",
    "texts are not padded and compared after the best common scale",
    "texts are not padded, compared after the best common scale, and the noise of sampling is "
    "taken out"};

PublishedCell order_cell(const Corpus& corpus, std::string_view other) {
  PublishedCell cell = computed_cell(
      fmt::format("{} / stress of ALiBi over stress of {}", corpus.title, other),
      "abstract: 'ALiBi achieves much lower stress'", "1",
      fmt::format("[CLS] text [SEP] [PAD], first {} positions; not padded: first {} of texts that "
                  "have them",
                  corpus.padded, corpus.whole),
      Relation::kBelow);
  cell.corpus = corpus.name;
  cell.readings.clear();
  for (const char* condition : kConditions)
    cell.readings.push_back({.condition = condition, .quick = corpus.quick});
  return cell;
}

std::vector<PublishedCell> cells() {
  std::vector<PublishedCell> result;
  for (const Corpus& corpus : kCorpora) {
    result.push_back(order_cell(corpus, "sinusoidal"));
    result.push_back(order_cell(corpus, "RoPE"));
    const std::string setup =
        fmt::format("texts of at least {} tokens, their first {}", corpus.whole, corpus.whole);
    PublishedCell rank =
        computed_cell(fmt::format("{} / rank(B)", corpus.title), "abstract: r = rank(B) <= n-1",
                      fmt::format("{}", corpus.whole - 1), setup, Relation::kAtMost);
    PublishedCell numbers = computed_cell(
        fmt::format("{} / r(n+d) numbers", corpus.title), "abstract: r(n+d) instead of nd",
        fmt::format("{}", corpus.whole * 768), setup + "; d=768, r = rank(B)", Relation::kBelow);
    numbers.readings.push_back(
        {.condition = "r counts the eigenvalues above those of shuffled texts"});
    for (PublishedCell* cell : {&rank, &numbers}) {
      cell->corpus = corpus.name;
      for (Reading& reading : cell->readings) reading.quick = corpus.quick;
      result.push_back(std::move(*cell));
    }
  }
  return result;
}

PositionalCounts counts_of(const std::string& file, const CountOptions& counting,
                           const ReproductionContext& context) {
  const std::unique_ptr<RecordReader> reader = open_records(expand_inputs({file}), {});
  const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer(context.tokenizer);
  CountRun run;
  run.threads = context.threads;
  run.stop = context.stop;
  PositionalCounts counts = count_corpus(*reader, *tokenizer, counting, run).file.counts;
  if (counts.used == 0)
    fail(ErrorCode::kMalformed, file, "no text has {} tokens or more", counting.positions);
  return counts;
}

Target target_of(const PositionalCounts& counts, const ReproductionContext& context) {
  return make_target(counts,
                     {.intervals = false, .seed = context.seed, .threads = context.threads});
}

// Stresses of one encoding against the distances of a corpus.
struct Stresses {
  double raw = 0.0, scaled = 0.0, corrected = 0.0, null_raw = 0.0;
};
Stresses stresses(const char* spec, Rule rule, Index dim, const Target& target, Index positions) {
  const Extent extent{.positions = positions, .dim = dim, .heads = 12};
  const Effects effects = encodings().make(spec)->effects(extent);
  const Induced induced = induced_distances(effects, extent, rule, target.positions);
  std::vector<const DistanceMatrix*> targets = {&target.plain};
  if (target.corrected) targets.push_back(&target.corrected->distances);
  if (!target.null.empty()) targets.push_back(&target.null.front());
  const std::vector<PairSums> sums = pair_sums(targets, *induced.distances);
  Stresses result{.raw = sums.front().raw(), .scaled = sums.front().scaled()};
  if (target.corrected) result.corrected = sums[1].scaled();
  if (!target.null.empty()) result.null_raw = sums.back().raw();
  return result;
}

struct Compared {
  Stresses alibi, sinusoidal, rope;
};
Compared compared(const Target& target, Index positions) {
  return {.alibi = stresses("alibi", Rule::kLine, 64, target, positions),
          .sinusoidal = stresses("sinusoidal", Rule::kRows, 768, target, positions),
          .rope = stresses("rope", Rule::kKernel, 64, target, positions)};
}

void fill_order(PublishedCell& cell, const Stresses& padded_alibi, const Stresses& padded_other,
                const Stresses& alibi, const Stresses& other, bool corrected) {
  cell.readings[kPaddedRaw].ours = padded_alibi.raw / padded_other.raw;
  cell.readings[kPaddedScaled].ours = padded_alibi.scaled / padded_other.scaled;
  cell.readings[kWholeRaw].ours = alibi.raw / other.raw;
  cell.readings[kWholeScaled].ours = alibi.scaled / other.scaled;
  if (corrected) cell.readings[kWholeCorrected].ours = alibi.corrected / other.corrected;
  cell.remark = fmt::format(
      "padded, as published, the stresses are {:.4g} and {:.4g}; shuffled texts give {:.4g} and "
      "{:.4g}: padding measures lengths",
      padded_alibi.raw, padded_other.raw, padded_alibi.null_raw, padded_other.null_raw);
}

void fill(std::span<PublishedCell> cells, const Corpus& corpus,
          const ReproductionContext& context) {
  const std::string& file = context.corpora.at(std::string(corpus.name));
  const Target padded = target_of(counts_of(file,
                                            {.positions = corpus.padded,
                                             .length = LengthRule::kPadded,
                                             .specials = Specials::kBert,
                                             .shuffles = kShuffles,
                                             .seed = context.seed},
                                            context),
                                  context);
  const PositionalCounts counts = counts_of(
      file, {.positions = corpus.whole, .shuffles = kShuffles, .seed = context.seed}, context);
  for (PublishedCell& cell : cells) cell.input_hash = counts.input_hash;
  const Target whole = target_of(counts, context);
  const Compared first = compared(padded, corpus.padded), second = compared(whole, corpus.whole);
  const bool corrected = whole.corrected.has_value();
  fill_order(cells[0], first.alibi, first.sinusoidal, second.alibi, second.sinusoidal, corrected);
  fill_order(cells[1], first.alibi, first.rope, second.alibi, second.rope, corrected);
  const auto rank = static_cast<double>(whole.ranks.numerical);
  const auto width = static_cast<double>(corpus.whole + 768);
  cells[2].readings[0].ours = rank;
  cells[3].readings[0].ours = rank * width;
  if (whole.rank_supported)
    cells[3].readings[1].ours = static_cast<double>(*whole.rank_supported) * width;
}

void compute(std::span<PublishedCell> cells, const ReproductionContext& context) {
  for (std::size_t i = 0; i < std::size(kCorpora); ++i) {
    const std::span<PublishedCell> own = cells.subspan(i * kCellsOfCorpus, kCellsOfCorpus);
    if (own.front().not_run.empty()) fill(own, kCorpora[i], context);
  }
}

}  // namespace

void register_stress(ReproductionRegistry& registry) { registry.add(kInfo, cells, compute); }

}  // namespace sextant
