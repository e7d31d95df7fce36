// SPDX-License-Identifier: Apache-2.0
// BERT is the lab's transformer with a frame around it. What it computes is compared with an
// independent program, tests/lab/bert_reference.py, where python3 has numpy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "io/safetensors_input.h"
#include "lab/bert_weights.h"
#include "lab/ntk.h"
#include "lab/trainer.h"
#include "support/expect_error.h"
#include "support/run_command.h"
#include "support/temporary_directory.h"
#include "training/trial_tasks.h"

namespace sextant {
namespace {

constexpr TaskShape kLabels{
    .vocabulary = 50, .outputs = 2, .loss = Loss::kCrossEntropy, .readout = Readout::kFirst};
constexpr TaskShape kMaskedTokens{.vocabulary = 50, .outputs = 50, .loss = Loss::kCrossEntropy};

// The code of bert-base in a size for tests.
Trial small_bert(const std::string& encoding = "learned") {
  Trial trial;
  set_bert_base(trial);
  trial.encoding = encoding;
  trial.model.layers = 2;
  trial.model.dim = 32;
  trial.model.heads = 4;
  trial.model.hidden = 64;
  trial.train_length = 9;
  return trial;
}

TEST(Bert, BaseHasThePublishedNumberOfParameters) {
  Trial trial;
  set_bert_base(trial);
  trial.model.layers = 1;
  trial.encoding = "learned(train=512)";
  const TransformerModule one(
      trial,
      {.vocabulary = 30522, .outputs = 2, .loss = Loss::kCrossEntropy, .readout = Readout::kFirst});
  Index total = 0, layer = 0;
  for (const auto& item : one.named_parameters()) {
    total += item.value().numel();
    if (item.key().starts_with("layers.")) layer += item.value().numel();
  }
  // BertModel has 109,482,240 with two token types; the head of two labels is not part of it.
  EXPECT_EQ(total + 11 * layer + 768 - 2 * 769, 109482240);
}

// ---------------------------------------------------------------------------------------------
// The independent program

class BertReference : public testing::Test {
 protected:
  void SetUp() override {
    CommandOptions options;
    if (const char* path = std::getenv("PYTHONPATH"))
      options.environment.push_back(std::string("PYTHONPATH=") + path);
    const std::vector<std::string> python = {"/usr/bin/env", "python3"};
    std::vector<std::string> probe = python, reference = python;
    probe.insert(probe.end(), {"-c", "import numpy"});
    if (run_command(probe, options).status != 0) GTEST_SKIP() << "python3 has no numpy";
    reference.insert(reference.end(),
                     {SEXTANT_SOURCE_DIR "/tests/lab/bert_reference.py", folder_.path().string()});
    const CommandResult result = run_command(reference, options);
    ASSERT_EQ(result.status, 0) << result.err;
  }

  torch::Tensor expected(const char* name) const {
    const NpyArray array = read_tensor(folder_ / "expected.safetensors", name);
    return to_torch(array.values, torch::kDouble).view(array.shape);
  }
  torch::Tensor tokens() const { return expected("tokens").to(torch::kLong); }
  torch::Tensor present() const { return expected("present").to(torch::kBool); }

  TransformerModule loaded(Trial trial, const TaskShape& task, const std::string& weights) const {
    trial.weights = weights;
    TransformerModule model(trial, task);
    load_bert(model, trial);
    return model;
  }

  static double departure(const torch::Tensor& ours, const torch::Tensor& theirs) {
    EXPECT_EQ(ours.sizes(), theirs.sizes());
    return (ours.to(torch::kDouble) - theirs).abs().max().item<double>();
  }

  // Largest differences of hidden states and of the pooled output.
  std::pair<double, double> departures(Precision precision, const std::string& weights) const {
    const torch::NoGradGuard no_gradients;
    Trial trial = small_bert();
    trial.precision = precision;
    TransformerModule model = loaded(trial, kLabels, weights);
    const torch::Tensor stream = model.stream(model.tokens(tokens()), present());
    return {departure(stream, expected("hidden")),
            departure(model.pooled(stream), expected("pooled"))};
  }

  std::string file(std::string_view name) const { return (folder_ / name).string(); }

  TemporaryDirectory folder_;
};

TEST_F(BertReference, HasTheSameHiddenStatesAndPooledOutput) {
  const auto [hidden, pooled] = departures(Precision::kDouble, file("model.safetensors"));
  EXPECT_LT(hidden, 1e-10);
  EXPECT_LT(pooled, 1e-10);
  const auto [hidden_float, pooled_float] =
      departures(Precision::kFloat, file("model.safetensors"));
  EXPECT_LT(hidden_float, 1e-5);
  EXPECT_LT(pooled_float, 1e-5);
}

TEST_F(BertReference, IsReadByNewNamesWithoutPrefixAndFromAFolder) {
  EXPECT_LT(departures(Precision::kDouble, file("encoder.safetensors")).first, 1e-10);
  EXPECT_LT(departures(Precision::kDouble, folder_.path().string()).second, 1e-10);
}

TEST_F(BertReference, HasTheSameLogitsOfMaskedTokens) {
  const torch::NoGradGuard no_gradients;
  Trial trial = small_bert();
  trial.precision = Precision::kDouble;
  TransformerModule model = loaded(trial, kMaskedTokens, file("model.safetensors"));
  const torch::Tensor logits = model.forward({.inputs = tokens(), .present = present()});
  EXPECT_LT(departure(logits, expected("logits")), 1e-10);
}

TEST_F(BertReference, AnotherEncodingTakesThePlaceOfPositionsAlone) {
  const torch::NoGradGuard no_gradients;
  Trial trial = small_bert("none");
  trial.precision = Precision::kDouble;
  TransformerModule none = loaded(trial, kLabels, file("model.safetensors"));
  const torch::Tensor rows =
      to_torch(read_tensor(file("model.safetensors"), "bert.embeddings.position_embeddings.weight")
                   .values,
               torch::kDouble)
          .view({16, 32});
  const torch::Tensor x = none.tokens(tokens()) + rows.slice(0, 0, 9);
  EXPECT_LT(departure(none.stream(x, present()), expected("hidden")), 1e-10);
  EXPECT_GT(departure(none.stream(none.tokens(tokens()), present()), expected("hidden")), 1e-2);
}

// ---------------------------------------------------------------------------------------------
// Files that fit, and that do not

// Names and shapes of BertModel: one layer of width 4, 8 hidden units, 6 words, 5 positions.
std::vector<TensorHeader> tiny_tensors() {
  std::vector<TensorHeader> result = {{"embeddings.word_embeddings.weight", "F32", {6, 4}},
                                      {"embeddings.position_embeddings.weight", "F32", {5, 4}},
                                      {"embeddings.token_type_embeddings.weight", "F32", {2, 4}},
                                      {"encoder.layer.0.intermediate.dense.weight", "F32", {8, 4}},
                                      {"encoder.layer.0.intermediate.dense.bias", "F32", {8}},
                                      {"encoder.layer.0.output.dense.weight", "F32", {4, 8}},
                                      {"encoder.layer.0.output.dense.bias", "F32", {4}}};
  const std::string layer = "encoder.layer.0.";
  for (const char* name : {"attention.self.query", "attention.self.key", "attention.self.value",
                           "attention.output.dense"}) {
    result.push_back({layer + name + ".weight", "F32", {4, 4}});
    result.push_back({layer + name + ".bias", "F32", {4}});
  }
  for (const std::string& name :
       {std::string("embeddings"), layer + "attention.output", layer + "output"})
    for (const char* part : {".LayerNorm.weight", ".LayerNorm.bias"})
      result.push_back({name + part, "F32", {4}});
  return result;
}

class BertFiles : public testing::Test {
 protected:
  BertFiles() {
    trial_ = small_bert();
    trial_.model.layers = 1;
    trial_.model.dim = 4;
    trial_.model.heads = 2;
    trial_.model.hidden = 8;
    trial_.train_length = 3;
  }

  // Value k of a tensor is k.
  void write(const std::vector<TensorHeader>& tensors) {
    std::string bytes = safetensors_header(tensors);
    for (const TensorHeader& tensor : tensors) {
      Index size = 1;
      for (const Index n : tensor.shape) size *= n;
      for (Index k = 0; k < size; ++k) {
        const auto value = static_cast<float>(k);
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
      }
    }
    trial_.weights = folder_.write("tiny.safetensors", bytes).string();
  }

  TransformerModule model(Index vocabulary = 6) const {
    TaskShape task = kLabels;
    task.vocabulary = vocabulary;
    return {trial_, task};
  }

  std::string notes() const {
    TransformerModule made = model();
    return fmt::format("{}", fmt::join(load_bert(made, trial_), "\n"));
  }

  Trial trial_;
  TemporaryDirectory folder_;
};

TEST_F(BertFiles, GiveTheFirstRowsOfTheirTables) {
  write(tiny_tensors());
  TransformerModule made = model(5);
  const auto said = load_bert(made, trial_);
  auto parameters = made.named_parameters();
  EXPECT_TRUE(torch::equal(parameters["embedding.weight"], torch::arange(20.F).view({5, 4})));
  EXPECT_TRUE(
      torch::equal(parameters["encoding.learned_0.file"], torch::arange(12.F).view({3, 4})));
  EXPECT_TRUE(torch::equal(parameters["token_type.weight"], torch::arange(4.F).view({1, 4})));
  EXPECT_TRUE(torch::equal(parameters["layers.0.down.weight"], torch::arange(32.F).view({4, 8})));
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said.front().find("6 rows of words for a vocabulary of 5"), std::string::npos);
}

TEST_F(BertFiles, AreUsedButForWhatTheNotesName) {
  std::vector<TensorHeader> tensors = tiny_tensors();
  tensors.push_back({"cls.predictions.bias", "F32", {6}});
  tensors.push_back({"classifier.weight", "F32", {3, 4}});  // of three labels, not of two
  write(tensors);
  EXPECT_NE(notes().find("not used: classifier.weight, cls.predictions.bias\n"), std::string::npos);
  EXPECT_NE(notes().find("drawn: pooler.weight, pooler.bias, readout.weight, readout.bias"),
            std::string::npos)
      << notes();
  trial_.encoding = "sinusoidal";
  EXPECT_NE(notes().find("embeddings.position_embeddings.weight"), std::string::npos);
}

TEST_F(BertFiles, GiveTheHeadOfATaskThatTheyHave) {
  std::vector<TensorHeader> tensors = tiny_tensors();
  tensors.push_back({"classifier.weight", "F32", {2, 4}});
  tensors.push_back({"classifier.bias", "F32", {2}});
  tensors.push_back({"bert.pooler.dense.weight", "F32", {4, 4}});
  tensors.push_back({"bert.pooler.dense.bias", "F32", {4}});
  write(tensors);
  EXPECT_EQ(notes(), "");
}

TEST_F(BertFiles, HaveAPoolerThatFits) {
  std::vector<TensorHeader> tensors = tiny_tensors();
  tensors.push_back({"bert.pooler.dense.weight", "F32", {4, 5}});
  write(tensors);
  expect_error(ErrorCode::kUsage, "'bert.pooler.dense.weight' is [4, 5] but the model needs [4, 4]",
               [this] { notes(); });
}

TEST_F(BertFiles, AreWhatTheTangentKernelStartsFrom) {
  write(tiny_tensors());
  const auto task = tasks().make("order(vocabulary=6)");
  TransformerModule made(trial_, task->shape());
  load_bert(made, trial_);
  EXPECT_EQ(tangent_drift(trial_, *task, made).drift, 0.0);
  TransformerModule drawn(trial_, task->shape());
  EXPECT_GT(tangent_drift(trial_, *task, drawn).drift, 0.01);
}

TEST_F(BertFiles, ThatDoNotFitAreRefusedByNameAndChangeNothing) {
  std::vector<TensorHeader> tensors = tiny_tensors();
  tensors[3].shape = {9, 4};
  tensors.erase(tensors.begin() + 6);
  write(tensors);
  TransformerModule made = model();
  const torch::Tensor before = made.named_parameters()["embedding.weight"].clone();
  expect_error(ErrorCode::kUsage, "intermediate.dense.weight' is [9, 4] but the model needs [8, 4]",
               [&] { load_bert(made, trial_); });
  expect_error(ErrorCode::kUsage, "'encoder.layer.0.output.dense.bias' is missing",
               [&] { load_bert(made, trial_); });
  EXPECT_TRUE(torch::equal(before, made.named_parameters()["embedding.weight"]));
}

TEST_F(BertFiles, WithTooFewPositionsOrWordsAreRefused) {
  write(tiny_tensors());
  trial_.train_length = 6;
  expect_error(ErrorCode::kUsage, "is [5, 4] but the model needs [6, 4] or more rows",
               [&] { notes(); });
  trial_.train_length = 5;
  TransformerModule made = model(7);
  expect_error(ErrorCode::kUsage, "is [6, 4] but the model needs [7, 4] or more rows",
               [&] { load_bert(made, trial_); });
}

// ---------------------------------------------------------------------------------------------
// Fine-tuning

// Reviews whose label is the one word of sentiment in them, which is split into pieces.
struct Reviews {
  Reviews() {
    folder.write("vocab.txt",
                 "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nfilm\nplot\nis\nvery\nwon\n##derful\n"
                 "dread\n##ful\n,\nand\nlong\n");
    const std::vector<std::string> words = {"the",  "film", "plot", "is",
                                            "very", "and",  "long", ","};
    std::string table = "sentence\tlabel\n";
    for (std::size_t i = 0; i < 400; ++i) {
      std::string text;
      for (std::size_t k = 0; k < 6; ++k) {
        const std::string& any = words[(i * 31 + k * k * 7 + (i >> k)) % words.size()];
        text += k == i % 6 ? (i % 2 == 0 ? "Wonderful " : "dreadful ") : any + " ";
      }
      table += text + "\t" + (i % 2 == 0 ? "1" : "0") + "\n";
    }
    folder.write("reviews.tsv", table);
  }

  Trial trial() const {
    Trial result = small_bert();
    result.task = "classify(readout=first)";
    result.corpus = {.inputs = {(folder / "reviews.tsv").string()},
                     .tokenizer = "wordpiece:" + (folder / "vocab.txt").string(),
                     .text_column = "sentence",
                     .label_column = "label"};
    result.schedule = {.steps = 120, .batch = 16, .rate = 2e-3, .warm_up = 10, .decay_from = 0.5};
    result.test_lengths = {9};
    result.test_sequences = 40;
    return result;
  }

  TemporaryDirectory folder;
};

TrialResult trained(const Trial& trial) {
  const TrialTasks made = make_trial_tasks(trial);
  return train(trial, *made.training, *made.test, {}).value();
}

TEST(BertTraining, LearnsTheLabelsOfReviewsWithAnyPositions) {
  const Reviews reviews;
  for (const char* encoding : {"learned", "none", "sinusoidal", "rope"}) {
    Trial trial = reviews.trial();
    trial.encoding = encoding;
    const TrialResult result = trained(trial);
    ASSERT_EQ(result.end, TrialEnd::kFinished) << result.fault;
    EXPECT_LT(result.curve.back().loss, 0.5 * result.curve.front().loss) << encoding;
    EXPECT_GT(result.evaluations.front().accuracy.value_or(0.0), 0.8) << encoding;
  }
}

TEST(BertTraining, LearnsMaskedTokensByTheTiedHead) {
  const Reviews reviews;
  Trial trial = reviews.trial();
  trial.task = "mlm";
  trial.train_length = 6;
  trial.test_lengths = {6};
  const TrialResult result = trained(trial);
  EXPECT_LT(result.curve.back().loss, 0.9 * result.curve.front().loss);
}

TEST(BertTraining, TakesStepsOnSst2WithTheRealVocabulary) {
  const char* data = std::getenv("SEXTANT_DATA");
  if (data == nullptr) GTEST_SKIP() << "SEXTANT_DATA is not set";
  const std::filesystem::path folder = data;
  Trial trial = small_bert();
  trial.task = "classify(readout=first)";
  trial.corpus = {
      .inputs = {(folder / "sst2/dev.tsv").string()},
      .tokenizer = "wordpiece:" + (folder / "tokenizers/bert-base-uncased-vocab.txt").string(),
      .label_column = "1",
      .limit = 20};  // few enough to be learned by heart
  trial.schedule = {.steps = 60, .batch = 16, .rate = 2e-3, .warm_up = 5, .decay_from = 0.5};
  trial.train_length = 32;
  trial.test_lengths = {32};
  trial.test_sequences = 4;
  const TrialTasks made = make_trial_tasks(trial);
  EXPECT_EQ(made.training->shape().vocabulary, 30522);
  const TrialResult result = train(trial, *made.training, *made.test, {}).value();
  ASSERT_EQ(result.end, TrialEnd::kFinished) << result.fault;
  EXPECT_LT(result.curve.back().loss, 0.5 * result.curve.front().loss);
}

}  // namespace
}  // namespace sextant
