// SPDX-License-Identifier: Apache-2.0
#include "lab/evaluation.h"

#include "support/token_corpus.h"

namespace sextant {
namespace {

TEST(Evaluation, OfAConstantOnAFewTextsIsTheBaseline) {
  std::vector<std::vector<std::int32_t>> texts;
  std::vector<std::int32_t> labels;
  for (std::int32_t i = 0; i < 30; ++i) {
    texts.push_back({i, i});
    labels.push_back(i % 3 == 0 ? 1 : 0);
  }
  const auto task = tasks().make("classify", corpus_of(texts, 30, labels));
  const Trial trial;
  TransformerModule model(trial, task->shape());
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model.named_parameters())
    if (parameter.key().starts_with("readout.")) parameter.value().zero_();
  model.named_parameters()["readout.bias"][0] = 1.0;  // always class 0
  const std::optional<Evaluation> found =
      evaluate(model, *task, 5, 500, 4, tensor_options(trial.precision, "cpu"));
  EXPECT_EQ(found->accuracy, baseline_of(*task, 4, "best constant", true).value);
}

}  // namespace
}  // namespace sextant
