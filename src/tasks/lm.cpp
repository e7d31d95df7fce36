// SPDX-License-Identifier: Apache-2.0
// The next token of a corpus at every position: the causal language model.
#include "sextant/task.h"
#include "training/token_windows.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    word_param("cut", "anywhere", kCutChoices,
               "anywhere: windows of a text; start: the first tokens of each text; joined: windows "
               "of all texts one after the other"),
};
constexpr std::string_view kExamples[] = {"lm(cut=start)", "lm(cut=joined)"};
constexpr TaskInfo kInfo = {
    .name = "lm",
    .title = "Language model",
    .reference = "Press, Smith, Lewis: Train short, test long, arXiv:2108.12409, section 2",
    .notes =
        "The loss by position shows what a longer context is worth, and whether the model "
        "survives positions beyond its training length.",
    .params = kParams,
    .needs_corpus = true,
    .causal = true,
    .examples = kExamples,
};

class LanguageModel final : public Task {
 public:
  LanguageModel(const Params& params, std::shared_ptr<const TokenCorpus> corpus)
      : windows_(std::move(corpus), cut_by_name(params.word("cut"))) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override {
    const Index tokens = windows_.corpus().vocabulary;
    return {.vocabulary = tokens, .outputs = tokens, .loss = Loss::kCrossEntropy};
  }

  // Windows have one token more than the batch: the last target.
  Batch sample(std::uint64_t seed, std::uint64_t number, Index sequences,
               Index length) const override {
    Batch batch{.sequences = sequences, .length = length};
    const auto size = static_cast<std::size_t>(sequences * length);
    batch.tokens.reserve(size);
    batch.classes.reserve(size);
    for (Index i = 0; i < sequences; ++i) {
      Draws draws(seed, number, i);
      const std::span<const std::int32_t> window = windows_.drawn(draws, length + 1);
      batch.tokens.insert(batch.tokens.end(), window.begin(), window.end() - 1);
      batch.classes.insert(batch.classes.end(), window.begin() + 1, window.end());
    }
    return batch;
  }

  std::vector<Baseline> baselines(Index length) const override {
    return windows_.baselines(length + 1, 1, false);
  }

 private:
  TokenWindows windows_;
};

}  // namespace

void register_lm(TaskRegistry& registry) { registry.add<LanguageModel>(kInfo); }

}  // namespace sextant
