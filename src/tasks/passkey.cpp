// SPDX-License-Identifier: Apache-2.0
// A key somewhere in a long context, asked for at the end.
//
// Somewhere stands a marker and behind it the key; the last token is the question. With fillers
// that look like keys the answer is one of n-2 tokens to an equivariant predictor, each with the
// same probability; among fillers of another kind the key shows by itself.
#include <algorithm>

#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("keys", "10", 1, 1e6, "all equally likely"),
    word_param("filler", "keys", "keys|blank",
               "keys: of the same tokens as the key; blank: one token that is no key"),
};
constexpr std::string_view kExamples[] = {"passkey(filler=blank)", "passkey(keys=2)"};
constexpr TaskInfo kInfo = {
    .name = "passkey",
    .title = "Passkey retrieval",
    .reference = "after Mohtashami and Jaggi, arXiv:2305.16300, passkey retrieval",
    .notes =
        "Retrieval over any distance. The key follows a marker, so two neighbours have to be "
        "told apart far from the question; with filler=blank the content alone is enough. "
        "Read at the last position.",
    .params = kParams,
    .causal = true,
    .examples = kExamples,
};

class Passkey final : public ClassTask {
 public:
  Passkey(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : keys_(params.integer("keys")), blank_(params.word("filler") == "blank") {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override { return class_shape(keys_ + 3, keys_, Readout::kLast); }

 protected:
  Index least_length() const override { return 3; }

  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    const auto marker = static_cast<std::int32_t>(keys_);
    const std::int32_t question = marker + 1, blank = marker + 2;
    if (blank_) {
      std::ranges::fill(tokens, blank);
    } else {
      draws.fill(keys_, tokens);
    }
    const auto at = static_cast<std::size_t>(draws.below(std::ssize(tokens) - 2));
    classes.front() = draws.token(keys_);
    tokens[at] = marker;
    tokens[at + 1] = classes.front();
    tokens.back() = question;
  }

  std::vector<Baseline> exact_baselines(Index length) const override {
    const Guess uniform = uniform_guess(keys_);
    return class_baselines(uniform, uniform, blank_ ? Guess{} : multiset_guess(length - 2, keys_));
  }

 private:
  Index keys_;
  bool blank_;
};

}  // namespace

void register_passkey(TaskRegistry& registry) { registry.add<Passkey>(kInfo); }

}  // namespace sextant
