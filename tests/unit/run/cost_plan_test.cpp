// SPDX-License-Identifier: Apache-2.0
// Plans against what corpora really cost: a part of a corpus predicts the counts of all of it.
#include "run/cost_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "corpus/counter.h"
#include "corpus/counts_file.h"
#include "corpus/synthetic.h"
#include "run/corpus_sample.h"
#include "run/plan_document.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

TEST(PowerLaw, IsFoundExactlyWhereThereIsOne) {
  const std::vector<double> x = {1e3, 2e3, 4e3, 8e3};
  std::vector<double> y;
  for (const double each : x) y.push_back(3.0 * std::pow(each, 0.7));
  const PowerLaw law = fit_power_law(x, y);
  EXPECT_NEAR(law.factor, 3.0, 1e-9);
  EXPECT_NEAR(law.exponent, 0.7, 1e-12);
  EXPECT_NEAR(law.at(1e6), 3.0 * std::pow(1e6, 0.7), 1e-5);
}

TEST(OccupiedPlaces, AreAsManyAsDrawsUntilTheyFillUp) {
  EXPECT_NEAR(occupied_places(1e9, 10.0), 10.0, 1e-6);
  EXPECT_NEAR(occupied_places(100.0, 100.0), 100.0 * (1.0 - std::exp(-1.0)), 1e-12);
  EXPECT_NEAR(occupied_places(100.0, 1e6), 100.0, 1e-9);
  EXPECT_EQ(occupied_places(100.0, 0.0), 0.0);
}

TEST(PackedPlaceBytes, AreThoseOfCellsThatAreReallyPacked) {
  constexpr Index kPositions = 512;
  for (const std::size_t draws : {300U, 3000U, 30000U, 300000U, 6000000U}) {
    CellCounts cells(kPositions, kBlocks);
    std::uint64_t state = 12345;
    for (std::size_t i = 0; i < draws; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      cells.add(0, static_cast<std::uint32_t>(state >> 55), (state >> 40) % kBlocks);
    }
    cells.flush();
    const auto bytes = static_cast<double>(cells.packed().size());
    const double places = kPositions * kBlocks;
    EXPECT_NEAR(packed_place_bytes(places, static_cast<double>(draws)) / bytes, 1.0, 0.05) << draws;
    EXPECT_NEAR(
        occupied_places(places, static_cast<double>(draws)) / static_cast<double>(cells.cells()),
        1.0, 0.05)
        << draws;
  }
}

// `sequences` of words by Zipf's law: word k has a chance in proportion to 1 / k, and the words of
// early positions are those of a smaller vocabulary.
std::string zipf_text(std::size_t sequences, std::size_t length) {
  std::string text;
  std::uint64_t state = 99;
  for (std::size_t i = 0; i < sequences; ++i) {
    for (std::size_t p = 0; p < length; ++p) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const double u = static_cast<double>(state >> 11) * 0x1p-53;
      const double types = p < 4 ? 200.0 : 200000.0;
      text +=
          (p == 0 ? "" : " ") + std::to_string(static_cast<long>(std::exp(u * std::log(types))));
    }
    text += "\n";
  }
  return text;
}

struct Measured {
  double cells = 0.0, shuffled = 0.0, file_bytes = 0.0;
};

Measured counted(RecordReader& reader, const CountOptions& options,
                 const std::filesystem::path& file) {
  const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer("words");
  const CountOutcome outcome = count_corpus(reader, *tokenizer, options);
  write_counts(file, outcome.file, AtomicFile::Existing::kReplace);
  return {static_cast<double>(outcome.file.counts.blocks.cells()),
          static_cast<double>(outcome.file.counts.shuffled.cells()),
          static_cast<double>(std::filesystem::file_size(file))};
}

CostPlan planned(RecordReader& reader, const CountOptions& options, double times) {
  const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer("words");
  const SampledCorpus corpus = sample_corpus(reader, *tokenizer, options, {.seconds = 60.0});
  EXPECT_TRUE(corpus.whole);
  EXPECT_TRUE(corpus.long_enough);
  return cost_plan(corpus.sample, {.bytes = times * corpus.sample.all().bytes,
                                   .positions = options.positions,
                                   .shuffles = options.shuffles});
}

void expect_near(const CostPlan& plan, const Measured& measured) {
  EXPECT_NEAR(plan.cells / measured.cells, 1.0, 0.25);
  EXPECT_NEAR(plan.shuffled_cells / measured.shuffled, 1.0, 0.25);
  EXPECT_NEAR(plan.counts_bytes / measured.file_bytes, 1.0, 0.25);
}

TEST(CostPlan, OfAnEighthOfASyntheticCorpusPredictsTheWhole) {
  const TemporaryDirectory folder;
  for (const Index types : {100, 20000}) {
    SyntheticCorpus corpus;
    corpus.types = types;
    corpus.sequences = 8000;
    const CountOptions options{.positions = corpus.positions, .shuffles = 5};
    const Measured whole = counted(*corpus.records(), options, folder / "whole");
    corpus.sequences /= 8;
    expect_near(planned(*corpus.records(), options, 8.0), whole);
  }
}

TEST(CostPlan, OfAnEighthOfATextPredictsTheWhole) {
  const TemporaryDirectory folder;
  const std::string text = zipf_text(16000, 32);
  folder.write("whole.txt", text);
  folder.write("part.txt", text.substr(0, text.find('\n', text.size() / 8) + 1));
  for (const Index shuffles : {0, 10}) {
    const CountOptions options{.positions = 24, .shuffles = shuffles};
    const auto reader = [&](const char* name) { return open_records({folder / name}, {}); };
    const Measured whole = counted(*reader("whole.txt"), options, folder / "whole");
    const CostPlan plan = planned(*reader("part.txt"), options, 8.0);
    EXPECT_NEAR(plan.cells / whole.cells, 1.0, 0.25);
    EXPECT_NEAR(plan.counts_bytes / whole.file_bytes, 1.0, 0.25);
    if (shuffles > 0) expect_near(plan, whole);
  }
}

CorpusSample made_sample() {
  CorpusSample sample;
  for (double bytes = 1e6; bytes <= 8e6; bytes *= 2.0)
    sample.prefixes.push_back({.bytes = bytes,
                               .cells = bytes / 10,
                               .shuffled_cells = 0.0,
                               .pairs = bytes / 20,
                               .types = std::sqrt(bytes)});
  sample.cell_bytes = 2e6;
  sample.tokens = sample.used_tokens = 1.6e6;
  sample.types_of_count = {{1e3, 1600.0}};
  sample.read_seconds = 1.0;
  sample.count_seconds = 3.0;
  sample.merge_seconds = 0.1;
  sample.merged_bytes = 1e7;
  sample.eigen_seconds = 0.01;
  sample.eigen_size = 256;
  return sample;
}

TEST(CostPlan, DividesReadingAmongRanksAndReducesInATree) {
  const CorpusSample sample = made_sample();
  const PlanQuestion one{.bytes = 8e9, .positions = 1024};
  PlanQuestion several = one;
  several.ranks = 5;
  several.threads = 2;
  const CostPlan alone = cost_plan(sample, one), shared = cost_plan(sample, several);
  EXPECT_EQ(alone.rank_bytes, 8e9);
  EXPECT_NEAR(alone.count_seconds, 4000.0, 1e-6);
  EXPECT_EQ(alone.steps, 0);
  EXPECT_EQ(alone.received_bytes, 0.0);
  EXPECT_NEAR(shared.count_seconds, 400.0, 1e-6) << "five ranks of two threads";
  several.threads = 100;
  EXPECT_NEAR(cost_plan(sample, several).count_seconds, 200.0, 1e-6) << "threads read in turns";
  EXPECT_EQ(shared.steps, 3);
  EXPECT_EQ(shared.counts_bytes, alone.counts_bytes) << "of all, however it is divided";
  EXPECT_LE(shared.received_bytes, 3.0 * shared.counts_bytes);
  several.threads = 1;  // a further one has sums of its own
  EXPECT_LT(cost_plan(sample, several).spectrum_bytes, alone.spectrum_bytes);
  EXPECT_NEAR(alone.dense_seconds, 0.01 * 64.0, 1e-9) << "four times the size";
}

TEST(CostPlan, OfASpectrumHasTheMemoryOfItsSolver) {
  const PlanQuestion question{.bytes = 8e9, .positions = 4096, .ranks = 5, .threads = 1};
  const CostPlan plan = cost_plan(made_sample(), question);
  // 64 numbers and 16 + 128 vectors twice on rank 0; 24 numbers a token, 32 a position.
  const double solver = 8.0 * 4096.0 * (352.0 + 32.0) + 192.0 * std::floor(plan.types);
  EXPECT_NEAR(plan.spectrum_bytes, plan.pairs / 5.0 * 4.0 + solver, 1.0);
  EXPECT_NEAR(plan.spectrum_network, 3.0 * (32.0 * plan.types + 16.0 * 4096.0), 100.0);
}

TEST(CostPlan, NeverHasMoreCellsThanPlaces) {
  CorpusSample sample = made_sample();
  for (PrefixSizes& prefix : sample.prefixes) prefix.types = 1600.0;  // no new ones
  const CostPlan plan = cost_plan(sample, {.bytes = 1e18, .positions = 1024});
  EXPECT_LE(plan.cells, 1600.0 * 1024.0 * kBlocks);
  EXPECT_LE(plan.pairs, 1600.0 * 1024.0);
}

TEST(CorpusSample, OfShortTextsStandsForLongOnes) {
  const TemporaryDirectory folder;
  folder.write("short.txt", zipf_text(500, 12));
  const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer("words");
  const auto reader = open_records({folder / "short.txt"}, {});
  const SampledCorpus corpus =
      sample_corpus(*reader, *tokenizer, {.positions = 4096, .shuffles = 2});
  EXPECT_FALSE(corpus.long_enough);
  EXPECT_EQ(corpus.sample.used_tokens, 6000.0);
  EXPECT_NEAR(corpus.sample.all().cells, 6000.0, 60.0) << "few tokens meet in one place";
}

TEST(CorpusSample, NeedsTwoRecords) {
  const TemporaryDirectory folder;
  folder.write("one.txt", "a b c\n");
  const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer("words");
  const auto reader = open_records({folder / "one.txt"}, {});
  expect_error(ErrorCode::kMalformed, "two records",
               [&] { sample_corpus(*reader, *tokenizer, {.positions = 2}); });
}

TEST(PlanTexts, HaveThreeDigitsAndAUnit) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1e12), "1.00 TB");
  EXPECT_EQ(bytes_text(123.4e6), "123 MB");
  EXPECT_EQ(bytes_text(12.34e6), "12.3 MB");
  EXPECT_EQ(number_text(1234.0), "1.23 k");
  EXPECT_EQ(seconds_text(0.0123), "12.3 ms");
  EXPECT_EQ(seconds_text(90), "90.0 s");
  EXPECT_EQ(seconds_text(86400), "24.0 h");
}

// What threads gather is larger than what is packed of it.
TEST(CostPlan, MemoryHasWhatThreadsGather) {
  CorpusSample sample;
  for (const double share : {0.25, 0.5, 1.0})
    sample.prefixes.push_back({.bytes = 1e6 * share, .cells = 1e5 * share, .types = 1000.0});
  sample.tokens = sample.used_tokens = 1e5;
  sample.types_of_count = {{100.0, 1000.0}};  // a thousand tokens, each a hundred times
  sample.cell_bytes = 2e5;
  sample.eigen_size = 256;
  PlanQuestion question = {.bytes = 1e6, .positions = 1000, .gather_limit = 1e9};
  const auto memory = [&] { return cost_plan(sample, question).gathered_bytes; };
  const double columns = 32.0 * 1000.0;
  EXPECT_NEAR(memory(), 6.0 * 1e5 + columns, 1.0);  // lists of places
  question.threads = 2;
  EXPECT_NEAR(memory(), 6.0 * 1e5 + 2.0 * columns, 1.0);
  question.gather_limit = 1e5;
  EXPECT_NEAR(memory(), 2e5, 1.0);
  question = {.bytes = 1e6, .positions = 1, .gather_limit = 1e9};
  EXPECT_NEAR(memory(), 4.0 * 64.0 * 1000.0 + columns, 1.0);  // 64 counters a token
}

}  // namespace
}  // namespace sextant
