// SPDX-License-Identifier: Apache-2.0
// Masked tokens of a corpus, by BERT's rule: of the chosen positions 80 % show [MASK], 10 % a
// random token, 10 % the token itself; the target is the token in all three.
//
// A fixed number of positions is chosen, as by BERT's own program, and not each one by a coin: no
// sequence is without a target, and all positions are equally likely.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sextant/task.h"
#include "training/token_windows.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    number_param("share", "0.15", 1e-6, 1.0, "share of the positions to predict; at least one is"),
    word_param("cut", "start", kCutChoices,
               "start: the first tokens of each text, so that position has a meaning; anywhere: "
               "windows of a text; joined: windows of all texts one after the other"),
    integer_param("shuffled", "0", 0, 1,
                  "1: the tokens of each window in random order, a control without any geometry"),
};
constexpr std::string_view kExamples[] = {"mlm(shuffled=1)", "mlm(cut=anywhere)", "mlm(share=0.3)"};
constexpr TaskInfo kInfo = {
    .name = "mlm",
    .title = "Masked tokens",
    .reference = "Devlin, Chang, Lee, Toutanova: BERT, arXiv:1810.04805, section 3.1",
    .notes =
        "What positions of real text are worth. Learned rows move apart on shuffled tokens "
        "too, so that a distance between them proves nothing without shuffled=1 beside it.",
    .params = kParams,
    .needs_corpus = true,
    .examples = kExamples,
};

constexpr double kMasked = 0.8, kMaskedOrRandom = 0.9;

class MaskedTokens final : public Task {
 public:
  MaskedTokens(const Params& params, std::shared_ptr<const TokenCorpus> corpus)
      : windows_(std::move(corpus), cut_by_name(params.word("cut"))),
        share_(params.number("share")),
        shuffled_(params.integer("shuffled") == 1) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override {
    const Index tokens = windows_.corpus().vocabulary;
    return {.vocabulary = tokens, .outputs = tokens, .loss = Loss::kCrossEntropy};
  }

  Batch sample(std::uint64_t seed, std::uint64_t number, Index sequences,
               Index length) const override {
    Batch batch{.sequences = sequences, .length = length};
    const auto width = static_cast<std::size_t>(length);
    const std::size_t size = static_cast<std::size_t>(sequences) * width;
    batch.tokens.reserve(size);
    batch.classes.assign(size, kNoTarget);
    for (Index i = 0; i < sequences; ++i) {
      Draws draws(seed, number, i);
      const std::span<const std::int32_t> window = windows_.drawn(draws, length);
      const std::size_t row = batch.tokens.size();
      batch.tokens.insert(batch.tokens.end(), window.begin(), window.end());
      const std::span tokens = std::span(batch.tokens).subspan(row, width);
      if (shuffled_) shuffle(tokens, width, draws);
      hide(tokens, std::span(batch.classes).subspan(row, width), draws);
    }
    return batch;
  }

  std::vector<Baseline> baselines(Index length) const override {
    return windows_.baselines(length, 0, shuffled_);
  }

 private:
  // A random choice of `count` values to the front, in random order.
  template <typename Value>
  static void shuffle(std::span<Value> values, std::size_t count, Draws& draws) {
    for (std::size_t i = 0; i < count; ++i) {
      const Index other = draws.below(std::ssize(values) - static_cast<Index>(i));
      std::swap(values[i], values[i + static_cast<std::size_t>(other)]);
    }
  }

  void hide(std::span<std::int32_t> tokens, std::span<std::int32_t> targets, Draws& draws) const {
    const double asked = std::round(share_ * static_cast<double>(tokens.size()));
    const std::size_t count = std::max<std::size_t>(1, static_cast<std::size_t>(asked));
    std::vector<std::size_t> positions(tokens.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    shuffle(std::span(positions), count, draws);
    for (const std::size_t t : std::span(positions).first(count)) {
      targets[t] = tokens[t];
      const double u = draws.uniform();
      if (u < kMasked)
        tokens[t] = windows_.corpus().mask;
      else if (u < kMaskedOrRandom)
        tokens[t] = any_token(draws);
    }
  }

  // Any id but [MASK] and [PAD].
  std::int32_t any_token(Draws& draws) const {
    const TokenCorpus& corpus = windows_.corpus();
    const auto [low, high] = std::minmax(corpus.mask, corpus.pad);
    auto id = static_cast<std::int32_t>(draws.below(corpus.vocabulary - 2));
    if (id >= low) ++id;
    if (id >= high) ++id;
    return id;
  }

  TokenWindows windows_;
  double share_;
  bool shuffled_;
};

}  // namespace

void register_mlm(TaskRegistry& registry) { registry.add<MaskedTokens>(kInfo); }

}  // namespace sextant
