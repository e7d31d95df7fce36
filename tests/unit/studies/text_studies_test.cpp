// SPDX-License-Identifier: Apache-2.0
// The studies on text, on made-up rows whose distances are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/npy.h"
#include "support/temporary_directory.h"
#include "training/mlm_study.h"
#include "training/trial_plan.h"

namespace sextant {
namespace {

// Two words; the share of the second grows with the position, so that all positions differ.
std::shared_ptr<const TokenCorpus> drifting_corpus() {
  TokenCorpus corpus{.starts = {0}, .vocabulary = 4, .mask = 2, .pad = 3};
  for (Index text = 0; text < kMlmLength; ++text) {
    for (Index t = 0; t < kMlmLength; ++t) corpus.tokens.push_back(text < t ? 1 : 0);
    corpus.starts.push_back(corpus.tokens.size());
  }
  corpus.source = "made up";
  return std::make_shared<const TokenCorpus>(std::move(corpus));
}

// Rows in the exact geometry of the corpus: roots of the laws.
Matrix corpus_rows() {
  Matrix rows(kMlmLength, kMlmDim);
  for (Index t = 0; t < kMlmLength; ++t) {
    const double share = static_cast<double>(t) / static_cast<double>(kMlmLength);
    rows(t, 0) = std::sqrt(1.0 - share);
    rows(t, 1) = std::sqrt(share);
  }
  return rows;
}

// Every row its own axis: all distances equal.
Matrix equal_rows() {
  Matrix rows(kMlmLength, kMlmDim);
  for (Index t = 0; t < kMlmLength; ++t) rows(t, t) = 1.0;
  return rows;
}

class TextStudies : public testing::Test {
 protected:
  StudySetup setup() const {
    return {.seeds = 1,
            .corpus = {.inputs = {"synthetic:drift"}},
            .tokens = drifting_corpus(),
            .arrays = folder_.path()};
  }

  // Finished trials of a plan; rows(arm) are the snapshots that they kept.
  std::vector<StudyOutcome> outcomes(
      const std::vector<StudyTrial>& plan,
      const std::function<std::vector<Matrix>(const std::string&)>& rows) const {
    std::vector<StudyOutcome> result;
    for (const StudyTrial& each : plan) {
      const std::string name = trial_folder(each.trial);
      std::filesystem::create_directory(folder_ / name);
      write_rows(name, rows(each.arm));
      TrialResult found{.trial = each.trial,
                        .evaluations = {{.length = each.trial.train_length, .loss = 0.5}}};
      result.push_back({.arm = each.arm,
                        .outcome = {.trial = each.trial, .result = found},
                        .folder = folder_ / name});
    }
    return result;
  }

 private:
  void write_rows(const std::string& name, const std::vector<Matrix>& snapshots) const {
    std::string bytes, steps;
    const auto add = [](std::string& text, std::span<const double> values) {
      text.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    };
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
      add(bytes, snapshots[i].values());
      add(steps, std::array{static_cast<double>(10 * i)});
    }
    const auto count = static_cast<Index>(snapshots.size());
    const std::array<Index, 3> shape = {count, snapshots[0].rows(), snapshots[0].cols()};
    folder_.write(name + "/rows.npy", npy_header("<f8", shape) + bytes);
    folder_.write(name + "/rows_steps.npy", npy_header("<f8", std::array{count}) + steps);
  }

 protected:
  TemporaryDirectory folder_;
};

const StudyNumber& number(const StudyFindings& findings, std::string_view arm,
                          std::string_view quantity) {
  const auto found = std::ranges::find_if(findings.numbers, [&](const StudyNumber& each) {
    return each.arm == arm && each.quantity == quantity;
  });
  EXPECT_NE(found, findings.numbers.end()) << arm << ", " << quantity;
  return *found;
}

TEST_F(TextStudies, MonotonicityFindsTheTurningPoint) {
  const StudyRegistry::Entry& study = studies().find("monotonicity");
  const auto rows = [](const std::string&) {
    return std::vector{equal_rows(), corpus_rows(), equal_rows()};
  };
  const StudyFindings findings = study.analyse(setup(), outcomes(study.plan(setup()), rows));
  EXPECT_NEAR(number(findings, "mlm", "least stress").mean(), 0.0, 1e-12);
  EXPECT_EQ(number(findings, "mlm", "step of the least stress").mean(), 10.0);
  EXPECT_GT(number(findings, "mlm", "stress at the end").mean(), 0.01);
  EXPECT_EQ(number(findings, "mlm", "turns round (share of seeds)").mean(), 1.0);
  // Distances of sqrt(2) become smaller ones and sqrt(2) again: each turns once.
  EXPECT_EQ(number(findings, "mlm", "sign changes of a distance").mean(), 1.0);
  EXPECT_EQ(number(findings, "mlm", "distances that never turn").mean(), 0.0);
  ASSERT_EQ(findings.figures.size(), 1U);
  EXPECT_EQ(findings.figures[0].curves.size(), 2U);
}

TEST_F(TextStudies, MonotonicityMeetsTheCorpusOnlyWhereItsControlDoesNot) {
  const StudyRegistry::Entry& study = studies().find("monotonicity");
  StudySetup two = setup();
  two.seeds = 2;
  const auto sentence = [&](bool control_turns) {
    const auto rows = [control_turns](const std::string& arm) {
      const Matrix middle = arm == "mlm" || control_turns ? corpus_rows() : equal_rows();
      return std::vector{equal_rows(), middle, equal_rows()};
    };
    return study.analyse(two, outcomes(study.plan(two), rows)).sentences[0];
  };
  const std::string alone = sentence(false), both = sentence(true);
  EXPECT_NE(alone.find("turns round in 2 of 2 seeds; on shuffled text"), std::string::npos)
      << alone;
  EXPECT_NE(alone.find("turns round in 0 of 2 seeds: the table meets"), std::string::npos) << alone;
  EXPECT_NE(both.find("on shuffled text it goes to 0.000 at step 10"), std::string::npos) << both;
  EXPECT_NE(both.find("turns round in 2 of 2 seeds: shuffled text comes as near"),
            std::string::npos)
      << both;
}

TEST_F(TextStudies, MonotonicityCountsNoViolationOfTheCorpusItself) {
  const StudyRegistry::Entry& study = studies().find("monotonicity");
  const auto rows = [](const std::string&) { return std::vector{equal_rows(), corpus_rows()}; };
  const StudyFindings findings = study.analyse(setup(), outcomes(study.plan(setup()), rows));
  // Equal Hellinger distances may differ in the last bit of the rows' distances.
  EXPECT_LT(number(findings, "mlm", "order violations at the end").mean(), 0.02);
  EXPECT_EQ(number(findings, "mlm", "turns round (share of seeds)").mean(), 0.0);
  EXPECT_NE(findings.sentences[0].find("no return"), std::string::npos);
}

TEST_F(TextStudies, SeparationTellsTheCorpusFromNoise) {
  const StudyRegistry::Entry& study = studies().find("separation");
  const auto rows = [](const std::string& arm) {
    return std::vector{arm == "mlm" ? corpus_rows() : equal_rows()};
  };
  const StudyFindings findings = study.analyse(setup(), outcomes(study.plan(setup()), rows));
  EXPECT_NEAR(number(findings, "mlm", "correlation with the corpus").mean(), 1.0, 1e-9);
  EXPECT_NEAR(number(findings, "mlm", "correlation with the corpus").against.value(), 0.0, 1e-9);
  EXPECT_NEAR(number(findings, "mlm, shuffled", "least distance of rows").mean(), std::sqrt(2.0),
              1e-12);
  EXPECT_NE(findings.sentences[0].find("proves nothing"), std::string::npos);
  EXPECT_NE(findings.sentences[1].find("by what stands there"), std::string::npos);
  EXPECT_NEAR(number(findings, "eps=0", "distance of rows i and j").mean(), std::sqrt(2.0), 1e-12);
}

TEST_F(TextStudies, SeparationStartsFromCoincidentRows) {
  for (const StudyTrial& each : studies().find("separation").plan(setup()))
    EXPECT_EQ(each.trial.learn, std::vector<std::string>{"table"}) << each.arm;
  for (const double value : read_npy(folder_ / "coincident.npy").values) EXPECT_EQ(value, 0.0);
}

TEST_F(TextStudies, LowRankComparesCodesOfEqualNorm) {
  const std::vector<StudyTrial> plan = studies().find("low_rank").plan(setup());
  EXPECT_EQ(plan.size(), 4U);
  const Vector mds = read_npy(folder_ / "mds.npy").values;
  const Vector codes = read_npy(folder_ / "codes-1.npy").values;
  ASSERT_EQ(mds.size(), static_cast<std::size_t>(3 * kMlmLength));
  ASSERT_EQ(codes.size(), mds.size());
  for (std::size_t row = 0; row < mds.size(); row += 3) {
    EXPECT_NEAR(std::hypot(mds[row], mds[row + 1], mds[row + 2]),
                std::hypot(codes[row], codes[row + 1], codes[row + 2]), 1e-12);
  }
  EXPECT_NE(mds, codes);
}

TEST_F(TextStudies, LowRankDrawsCodesForEverySeed) {
  StudySetup two = setup();
  two.seeds = 2;
  two.seed = 7;
  std::vector<std::string> specs;
  for (const StudyTrial& each : studies().find("low_rank").plan(two))
    if (each.arm == "random codes") specs.push_back(each.trial.encoding);
  ASSERT_EQ(specs.size(), 2U);
  EXPECT_NE(specs[0].find("codes-7.npy"), std::string::npos) << specs[0];
  EXPECT_NE(specs[1].find("codes-8.npy"), std::string::npos) << specs[1];
  EXPECT_NE(read_npy(folder_ / "codes-7.npy").values, read_npy(folder_ / "codes-8.npy").values);
}

// Findings of low_rank with three seeds whose losses are given; none: the trial failed.
using LossOf = std::function<std::optional<double>(const std::string& arm, std::uint64_t seed)>;
StudyFindings low_rank_findings(StudySetup setup, const LossOf& loss) {
  setup.seeds = 3;
  const StudyRegistry::Entry& study = studies().find("low_rank");
  std::vector<StudyOutcome> all;
  for (const StudyTrial& each : study.plan(setup)) {
    StudyOutcome outcome{.arm = each.arm, .outcome = {.trial = each.trial}};
    if (const std::optional<double> found = loss(each.arm, each.trial.seed))
      outcome.outcome.result =
          TrialResult{.trial = each.trial,
                      .evaluations = {{.length = each.trial.test_lengths.front(), .loss = *found}}};
    all.push_back(std::move(outcome));
  }
  return study.analyse(setup, all);
}

TEST_F(TextStudies, LowRankPairsBySeed) {
  // mds lacks seed 1, random codes seed 3: as many values each, one seed in common.
  const auto loss = [](const std::string& arm, std::uint64_t seed) -> std::optional<double> {
    if (seed == (arm == "mds" ? 1U : 3U) && (arm == "mds" || arm == "random codes")) return {};
    return static_cast<double>(seed) + (arm == "mds" ? 0.0 : 0.25);
  };
  const StudyFindings findings = low_rank_findings(setup(), loss);
  EXPECT_EQ(number(findings, "mds", "loss").seeds, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(number(findings, "random codes", "loss").seeds, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_NE(findings.sentences[0].find("random codes: the loss differs by -0.2500 over one seed"),
            std::string::npos)
      << findings.sentences[0];
}

TEST_F(TextStudies, LowRankCorrectsForItsThreeTests) {
  // Differences 2.25, 3.25, 4.25: t^2 = 3 x 3.25^2 with 2 degrees of freedom, so that
  // p = 1 - sqrt(t^2 / (t^2 + 2)) = .0301, three times that with Holm's correction.
  const auto loss = [](const std::string& arm, std::uint64_t seed) -> std::optional<double> {
    return arm == "mds" ? 1.0 : 2.25 + static_cast<double>(seed);
  };
  const StudyFindings findings = low_rank_findings(setup(), loss);
  ASSERT_EQ(findings.sentences.size(), 3U);
  for (const std::string& sentence : findings.sentences) {
    EXPECT_NE(sentence.find("p = 0.0904 with Holm's correction for 3 tests"), std::string::npos)
        << sentence;
    EXPECT_NE(sentence.find("cannot tell them apart"), std::string::npos) << sentence;
  }
}

TEST_F(TextStudies, LowRankCreditsTheGeometryAgainstRandomCodesAlone) {
  const auto loss = [](const std::string& arm, std::uint64_t) -> std::optional<double> {
    return arm == "mds" ? 1.0 : 2.0;
  };
  const StudyFindings findings = low_rank_findings(setup(), loss);
  EXPECT_NE(findings.sentences[0].find("the geometry of the corpus helps"), std::string::npos);
  for (const std::size_t i : {1U, 2U})
    EXPECT_NE(findings.sentences[i].find("mds is better"), std::string::npos)
        << findings.sentences[i];
}

}  // namespace
}  // namespace sextant
