// SPDX-License-Identifier: Apache-2.0
#include "sextant/task.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/expect_error.h"

namespace sextant {
namespace {

// Tasks that only ask for something.
constexpr TaskInfo kReads = {.name = "reads", .needs_corpus = true};
constexpr TaskInfo kSorts = {.name = "sorts", .needs_corpus = true, .needs_labels = true};

template <const TaskInfo& facts>
class Asking final : public Task {
 public:
  Asking(const Params&, const std::shared_ptr<const TokenCorpus>&) {}
  const TaskInfo& info() const override { return facts; }
  TaskShape shape() const override { return {}; }
  Batch sample(std::uint64_t, std::uint64_t, Index, Index) const override { return {}; }
  std::vector<Baseline> baselines(Index) const override { return {}; }
};

TaskRegistry asking() {
  TaskRegistry registry;
  registry.add<Asking<kReads>>(kReads);
  registry.add<Asking<kSorts>>(kSorts);
  return registry;
}

std::shared_ptr<TokenCorpus> one_text() {
  auto corpus = std::make_shared<TokenCorpus>();
  corpus->tokens = {0, 1};
  corpus->starts = {0, 2};
  return corpus;
}

TEST(TaskRegistry, NamesTheNearestTask) {
  expect_error(ErrorCode::kUsage, "there is no task 'reversl' (did you mean 'reversal'?)",
               [] { tasks().make("reversl"); });
  expect_error(ErrorCode::kUsage, "did you mean 'parity'?", [] { tasks().info("parrity"); });
}

TEST(TaskRegistry, RejectsAnUnknownKeyAndAValueOutOfRange) {
  expect_error(ErrorCode::kUsage, "vocabulary", [] { tasks().make("reversal(vocabulry=3)"); });
  expect_error(ErrorCode::kUsage, "vocabulary", [] { tasks().make("reversal(vocabulary=0)"); });
  expect_error(ErrorCode::kUsage, "keys", [] { tasks().make("passkey(filler=grass)"); });
}

TEST(TaskRegistry, TakesOneTask) {
  expect_error(ErrorCode::kUsage, "a task is one name", [] { tasks().make("parity+cycle"); });
}

TEST(TaskRegistry, LeavesDefaultsOutOfTheSpec) {
  EXPECT_EQ(tasks().make("copy(shift=1, vocabulary=7)")->spec(), "copy(vocabulary=7)");
  EXPECT_EQ(tasks().make("parity()")->spec(), "parity");
}

TEST(TaskRegistry, ListsNamesInAlphabeticalOrder) {
  const std::vector<std::string> names = tasks().names();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_TRUE(std::ranges::binary_search(names, "running_sum"));
}

TEST(TaskRegistry, AsksForACorpusWhereTheTaskNeedsOne) {
  expect_error(ErrorCode::kUsage, "reads: needs a corpus", [] { asking().make("reads"); });
  expect_error(ErrorCode::kUsage, "reads: needs a corpus",
               [] { asking().make("reads", std::make_shared<TokenCorpus>()); });
  EXPECT_EQ(asking().make("reads", one_text())->spec(), "reads");
}

TEST(TaskRegistry, AsksForLabelsWhereTheTaskNeedsThem) {
  expect_error(ErrorCode::kUsage, "sorts: needs a label",
               [] { asking().make("sorts", one_text()); });
  const auto labelled = one_text();
  labelled->labels = {1};
  EXPECT_EQ(asking().make("sorts", labelled)->spec(), "sorts");
}

TEST(TaskRegistry, RefusesLengthsThatATaskDoesNotHave) {
  const auto task = tasks().make("own_index(positions=12)");
  expect_error(ErrorCode::kUsage, "own_index: length must be at most 12 but got 13",
               [&] { task->sample(1, 0, 1, 13); });
  expect_error(ErrorCode::kUsage, "order: length must be at least 2 but got 1",
               [] { tasks().make("order")->baselines(1); });
}

}  // namespace
}  // namespace sextant
