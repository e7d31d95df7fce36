// SPDX-License-Identifier: Apache-2.0
// Laws that every task obeys, with its defaults and in its examples. A new task is here without a
// new line; one that needs text gets a small corpus.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/rng.h"
#include "sextant/error.h"
#include "sextant/task.h"

namespace sextant {
namespace {

constexpr std::uint64_t kSeed = 20240607;
constexpr Index kLongest = 13;  // lengths that the laws try
constexpr double kTaskRounding = 1e-9;

std::shared_ptr<const TokenCorpus> small_corpus() {
  static const auto corpus = [] {
    auto result = std::make_shared<TokenCorpus>();
    const Rng rng(kSeed, 0);
    std::uint64_t counter = 0;
    for (int i = 0; i < 40; ++i) {
      result->starts.push_back(result->tokens.size());
      for (int t = 0; t < 20 + i; ++t) {
        const double u = rng.uniform(counter++);
        result->tokens.push_back(static_cast<std::int32_t>(10.0 * u * u));
      }
      result->labels.push_back(i % 3 == 0 ? 1 : 0);
    }
    result->starts.push_back(result->tokens.size());
    result->label_names = {"no", "yes"};
    result->mask = 10;
    result->pad = 11;
    result->vocabulary = 12;
    result->hash = "0";
    return result;
  }();
  return corpus;
}

std::vector<std::string> task_specs() {
  std::vector<std::string> specs;
  for (const std::string& name : tasks().names()) {
    specs.push_back(name);
    for (const std::string_view example : tasks().info(name).examples) specs.emplace_back(example);
  }
  return specs;
}

// Where a position or a sequence has a target, in a batch of either kind.
std::size_t targets(const Batch& batch) { return batch.classes.size() + batch.numbers.size(); }
bool counts(const Batch& batch, std::size_t at) {
  return batch.numbers.empty() ? batch.classes[at] != kNoTarget : !std::isnan(batch.numbers[at]);
}
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool same(const Batch& a, const Batch& b) {
  return a.sequences == b.sequences && a.length == b.length && a.tokens == b.tokens &&
         a.values == b.values && a.present == b.present && a.classes == b.classes &&
         std::ranges::equal(a.numbers, b.numbers, [](double x, double y) { return same(x, y); });
}

class TaskLaws : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Task> task_ = tasks().make(GetParam(), small_corpus());
  TaskShape shape_ = task_->shape();

  bool has_length(Index length) const {
    try {
      task_->sample(kSeed, 0, 1, length);
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(exit_status(error.code()), exit_status(ErrorCode::kUsage)) << error.what();
      return false;
    }
  }
};

TEST_P(TaskLaws, FactsAreStated) {
  const TaskInfo& info = task_->info();
  EXPECT_EQ(&info, &tasks().info(info.name));
  EXPECT_EQ(GetParam().substr(0, info.name.size()), info.name);
  for (const std::string_view text : {info.title, info.reference, info.notes})
    EXPECT_FALSE(text.empty());
  EXPECT_TRUE(has_length(kLongest - 1)) << "the length of the laws";
}

TEST_P(TaskLaws, SpecRoundTrips) {
  const auto again = tasks().make(task_->spec(), small_corpus());
  EXPECT_EQ(again->spec(), task_->spec());
  EXPECT_TRUE(same(again->sample(kSeed, 1, 3, 12), task_->sample(kSeed, 1, 3, 12)));
}

TEST_P(TaskLaws, SampleIsAPureFunction) {
  const Batch batch = task_->sample(kSeed, 5, 20, 12);
  task_->sample(kSeed, 6, 3, 12);
  EXPECT_TRUE(same(batch, task_->sample(kSeed, 5, 20, 12)));
  EXPECT_FALSE(same(batch, task_->sample(kSeed, 6, 20, 12))) << "another number";
  EXPECT_FALSE(same(batch, task_->sample(kSeed + 1, 5, 20, 12))) << "another seed";
}

TEST_P(TaskLaws, BatchesHaveTheShape) {
  for (Index length = 1; length <= kLongest; ++length) {
    if (!has_length(length)) continue;
    const Batch batch = task_->sample(kSeed, 1, 7, length);
    const auto inputs = static_cast<std::size_t>(7 * length);
    const bool numbers = shape_.vocabulary == 0;
    EXPECT_EQ(batch.sequences, 7);
    EXPECT_EQ(batch.length, length);
    EXPECT_EQ(batch.tokens.size(), numbers ? 0 : inputs);
    EXPECT_EQ(batch.values.size(), numbers ? inputs : 0);
    EXPECT_TRUE(batch.present.empty() || batch.present.size() == inputs);
    for (const std::int32_t token : batch.tokens)
      ASSERT_TRUE(token >= 0 && token < shape_.vocabulary) << token;

    const std::size_t expected = shape_.readout == Readout::kEveryPosition ? inputs : 7;
    const bool classes = shape_.loss == Loss::kCrossEntropy;
    EXPECT_EQ(batch.classes.size(), classes ? expected : 0);
    EXPECT_EQ(batch.numbers.size(), classes ? 0 : expected);
    for (const std::int32_t target : batch.classes)
      ASSERT_TRUE(target == kNoTarget || (target >= 0 && target < shape_.outputs)) << target;
    EXPECT_TRUE(classes || shape_.outputs == 1);
  }
}

TEST_P(TaskLaws, BaselinesAreThereWhereBatchesAre) {
  for (Index length = 1; length <= kLongest; ++length) {
    if (!has_length(length)) continue;
    const std::vector<Baseline> baselines = task_->baselines(length);
    EXPECT_FALSE(baselines.empty());
    std::set<std::pair<std::string, bool>> names;
    for (const Baseline& b : baselines) {
      EXPECT_TRUE(names.emplace(b.name, b.of_accuracy).second) << "twice: " << b.name;
      EXPECT_TRUE(std::isfinite(b.value) && b.value >= 0.0) << b.name << " " << b.value;
      if (b.name == "chance") {
        const auto outputs = static_cast<double>(shape_.outputs);
        EXPECT_NEAR(b.value, b.of_accuracy ? 1.0 / outputs : std::log(outputs), kTaskRounding);
      }
      if (!b.of_accuracy) continue;
      EXPECT_LE(b.value, 1.0) << b.name;
      EXPECT_EQ(shape_.loss, Loss::kCrossEntropy) << b.name << ": numbers have no accuracy";
    }
  }
}

// What a predictor may know of a target, as a key of equal knowledge.
using Key = std::vector<std::int32_t>;
Key nothing(const Batch&, std::size_t) { return {}; }
Key position(const Batch& batch, std::size_t target) {
  const auto n = static_cast<std::size_t>(batch.length);
  return {targets(batch) == batch.tokens.size() + batch.values.size()
              ? static_cast<std::int32_t>(target % n)
              : 0};
}
// The multiset of tokens, and the own one where a position is read.
template <Readout readout>
Key multiset(const Batch& batch, std::size_t target) {
  const auto n = static_cast<std::size_t>(batch.length);
  const std::size_t row = readout == Readout::kEveryPosition ? target / n : target;
  const auto first = batch.tokens.begin() + static_cast<std::ptrdiff_t>(row * n);
  Key key(first, first + batch.length);
  const std::int32_t own = readout == Readout::kEveryPosition ? batch.tokens[target]
                           : readout == Readout::kLast        ? key.back()
                           : readout == Readout::kFirst       ? key.front()
                                                              : 0;
  std::ranges::sort(key);
  key.push_back(own);
  return key;
}
using Knowledge = Key (*)(const Batch&, std::size_t);
Knowledge multiset_of(Readout readout) {
  switch (readout) {
    case Readout::kEveryPosition:
      return multiset<Readout::kEveryPosition>;
    case Readout::kLast:
      return multiset<Readout::kLast>;
    case Readout::kFirst:
      return multiset<Readout::kFirst>;
    case Readout::kMean:
      break;
  }
  return multiset<Readout::kMean>;
}

// The best predictor with some knowledge, fitted to a batch. On its own batch it is better than
// the truth, on another one it is worse: the exact value lies between the two.
class Fitted {
 public:
  Fitted(const Batch& batch, Knowledge knows, Index outputs)
      : knows_(knows), outputs_(static_cast<double>(outputs)) {
    for (std::size_t at = 0; at < targets(batch); ++at) {
      if (!counts(batch, at)) continue;
      Cell& cell = cells_[knows_(batch, at)];
      cell.count += 1.0;
      if (batch.numbers.empty()) {
        cell.classes[batch.classes[at]] += 1.0;
      } else {
        cell.sum += batch.numbers[at];
      }
    }
  }

  struct Mean {
    double value = 0.0, error = 0.0;  // standard error, of sequences that are independent
  };
  // `unseen` is what each class is counted more than it was seen.
  Mean score(const Batch& batch, bool of_accuracy, double unseen) const {
    const std::size_t per_sequence = targets(batch) / static_cast<std::size_t>(batch.sequences);
    const Cell unknown = {};
    std::vector<std::pair<double, double>> rows;  // sum, number
    rows.reserve(static_cast<std::size_t>(batch.sequences));
    double sum = 0.0, number = 0.0, squares = 0.0;
    for (std::size_t at = 0; at < targets(batch); ++at) {
      if (at % per_sequence == 0) rows.emplace_back(0.0, 0.0);
      if (!counts(batch, at)) continue;
      const auto found = cells_.find(knows_(batch, at));
      const Cell& cell = found == cells_.end() ? unknown : found->second;
      rows.back().first += of_accuracy             ? right(cell, batch.classes[at])
                           : batch.numbers.empty() ? log_loss(cell, batch.classes[at], unseen)
                                                   : square(cell, batch.numbers[at]);
      rows.back().second += 1.0;
    }
    for (const auto& [s, n] : rows) {
      sum += s;
      number += n;
    }
    for (const auto& [s, n] : rows) squares += std::pow(s - sum / number * n, 2);
    return {.value = sum / number, .error = std::sqrt(squares) / number};
  }

 private:
  struct Cell {
    double count = 0.0, sum = 0.0;
    std::map<std::int32_t, double> classes = {};
  };
  static double right(const Cell& cell, std::int32_t target) {
    const auto most =
        std::ranges::max_element(cell.classes, {}, [](const auto& entry) { return entry.second; });
    return most != cell.classes.end() && most->first == target ? 1.0 : 0.0;
  }
  double log_loss(const Cell& cell, std::int32_t target, double unseen) const {
    const auto seen = cell.classes.find(target);
    const double count = seen == cell.classes.end() ? 0.0 : seen->second;
    return -std::log((count + unseen) / (cell.count + outputs_ * unseen));
  }
  static double square(const Cell& cell, double target) {
    return std::pow(target - (cell.count > 0.0 ? cell.sum / cell.count : 0.0), 2);
  }

  Knowledge knows_;
  double outputs_;
  std::map<Key, Cell> cells_;
};

constexpr Index kSequences = 30000;
constexpr double kErrors = 5.0;   // standard errors: one law in a million fails by chance
constexpr double kBracket = 0.1;  // a wider one would say little
constexpr double kUnseen = 0.02;  // counts of each class, so that no loss is infinite

// Every baseline of this name at this length.
void expect_between_fit_and_test(const Task& task, const std::set<std::string>& names,
                                 Knowledge knows, Index length) {
  const Batch train = task.sample(kSeed, 1, kSequences, length);
  const Batch test = task.sample(kSeed, 2, kSequences, length);
  const Fitted fitted(train, knows, task.shape().outputs);
  for (const Baseline& b : task.baselines(length)) {
    if (!names.contains(b.name)) continue;
    const Fitted::Mean own = fitted.score(train, b.of_accuracy, 0.0);
    const Fitted::Mean other = fitted.score(test, b.of_accuracy, kUnseen);
    const double sign = b.of_accuracy ? -1.0 : 1.0;
    const std::string what =
        b.name + (b.of_accuracy ? " (accuracy)" : " (loss)") + ", length " + std::to_string(length);
    // A fitted log-loss errs to second order as well, by chi-square / 2N with a degree of freedom
    // for each class; near a uniform law there is nothing else.
    const double curved = task.shape().loss == Loss::kCrossEntropy && !b.of_accuracy
                              ? static_cast<double>(task.shape().outputs) / kSequences
                              : 0.0;
    EXPECT_GE(sign * (b.value - own.value), -kErrors * (own.error + curved) - kTaskRounding)
        << what << ": " << b.value << ", but samples are predicted with " << own.value;
    EXPECT_GE(sign * (other.value - b.value), -kErrors * other.error - kTaskRounding)
        << what << ": " << b.value << ", but new samples are predicted with " << other.value;
    EXPECT_LT(sign * (other.value - own.value), kBracket) << what;
  }
}

TEST_P(TaskLaws, BestConstantIsThatOfSamples) {
  for (const Index length : {3, 4, 12})
    expect_between_fit_and_test(*task_, {"best constant"}, nothing, length);
}

TEST_P(TaskLaws, PositionAloneDoesAsMuchAsItDoesOnSamples) {
  if (task_->info().needs_corpus) GTEST_SKIP() << "a corpus has its own laws";
  for (const Index length : {3, 4, 12})
    expect_between_fit_and_test(*task_, {"position only"}, position, length);
}

TEST_P(TaskLaws, TheMultisetDoesAsMuchAsItDoesOnSamples) {
  if (task_->info().needs_corpus || shape_.vocabulary == 0)
    GTEST_SKIP() << "multisets of text or of real numbers do not repeat";
  for (const Index length : {3, 4})
    expect_between_fit_and_test(*task_, {"best equivariant"}, multiset_of(shape_.readout), length);
}

INSTANTIATE_TEST_SUITE_P(All, TaskLaws, testing::ValuesIn(task_specs()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace sextant
