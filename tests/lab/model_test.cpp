// SPDX-License-Identifier: Apache-2.0
// The transformer of the lab is the plain forward pass, for every encoding of the catalogue.
#include "lab/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/trial_files.h"
#include "laws/subjects.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

constexpr Index kLength = 7;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

Trial trial_of(const std::string& encoding, const TransformerShape& shape) {
  return {.encoding = encoding,
          .seed = 5,
          .model = shape,
          .train_length = 16,
          .learn = {},
          .precision = Precision::kDouble};
}

Matrix tokens(Index n, Index dim) {
  Matrix x(n, dim);
  std::ranges::copy(random_vector(n * dim, 9), x.values().begin());
  return x;
}

// The spec with a file of test_tensors() where it needs one.
std::string with_file(const std::string& spec, const std::filesystem::path& folder) {
  const Tensor values = tensors_for(spec).at("file");
  write_npy(folder / "values.npy", to_torch(values.values, torch::kDouble).view(values.shape));
  EncodingSpec parsed = EncodingSpec::parse(spec);
  for (EncodingSpec::Term& term : parsed.terms)
    if (lacks_file(encodings().info(term.name), term))
      term.arguments.push_back({.key = "file", .value = (folder / "values.npy").string()});
  return parsed.text();
}

// The largest difference to the plain pass over the largest number of the stream.
double departure(const Trial& trial, Index n) {
  TransformerModule module(trial, {});
  const Matrix x = tokens(n, trial.model.dim);
  const torch::Tensor input = to_torch(x, tensor_options(trial.precision, "cpu")).unsqueeze(0);
  const Matrix fast = to_matrix(module.stream(input)[0]);
  const auto encoding = module.encoding().plain();
  const Matrix slow = forward(module.plain(), transformer_effects(*encoding, trial.model, n), x);
  double worst = 0.0, size = 0.0;
  for (std::size_t i = 0; i < fast.values().size(); ++i) {
    const double difference = std::abs(fast.values()[i] - slow.values()[i]);
    if (!(difference <= worst)) worst = difference;
    size = std::max(size, std::abs(slow.values()[i]));
  }
  return worst / size;
}

class ModelLaws : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const TensorMap tensors = tensors_for(GetParam());
    if (!tensors.empty() && tensors.at("file").shape.size() > 2)
      GTEST_SKIP() << "positions of a text have one axis";
    const auto encoding = make_subject(GetParam());
    must_mask_ = encoding->claims().needs_causal_mask == Claim::kYes;
    fixed_heads_ = tensors.empty() ? encoding->heads() : 1;  // values have the width of all heads
    spec_ = tensors.empty() ? GetParam() : with_file(GetParam(), folder_.path());
  }
  TemporaryDirectory folder_;
  std::string spec_;
  bool must_mask_ = false;
  Index fixed_heads_ = 0;
};

TEST_P(ModelLaws, StreamIsThatOfThePlainPass) {
  for (const NormPlace norm : {NormPlace::kNone, NormPlace::kBefore, NormPlace::kAfter})
    for (const Activation activation : {Activation::kGelu, Activation::kRelu})
      for (const bool causal : {true, false})
        for (const Index asked : {Index{1}, Index{4}}) {
          if (must_mask_ && !causal) continue;
          const Index heads = fixed_heads_ > 0 ? fixed_heads_ : asked;
          // Heads of the width that the examples are made for.
          Trial trial = trial_of(spec_, {.layers = 2,
                                         .dim = kExtent.dim * heads,
                                         .heads = heads,
                                         .hidden = 8,
                                         .norm = norm,
                                         .activation = activation,
                                         .causal = causal});
          EXPECT_LT(departure(trial, kLength), 1e-10);
          trial.precision = Precision::kFloat;
          EXPECT_LT(departure(trial, kLength), 1e-5);
        }
}

INSTANTIATE_TEST_SUITE_P(All, ModelLaws, testing::ValuesIn(subject_specs()),
                         [](const auto& test) { return test_name(test.param); });

TEST(Model, AgreesWithThePlainPassPastAChunk) {
  for (const char* spec : {"rope", "xpos", "jordan", "alibi", "shaw", "sinusoidal"}) {
    const TransformerShape shape{.dim = 16, .heads = 2, .hidden = 8, .causal = true};
    EXPECT_LT(departure(trial_of(spec, shape), 3 * kKeyChunk + 5), 1e-10) << spec;
  }
}

TEST(Model, NormsAddTheEpsilonOfTheShape) {
  for (const NormPlace norm : {NormPlace::kBefore, NormPlace::kAfter}) {
    const TransformerShape shape{
        .dim = 8, .heads = 2, .hidden = 8, .norm = norm, .norm_epsilon = 0.5};
    EXPECT_LT(departure(trial_of("rope", shape), kLength), 1e-10);
  }
}

TEST(Model, LoadsItsOwnWeightsWithoutAChange) {
  for (const NormPlace norm : {NormPlace::kNone, NormPlace::kAfter})
    for (const Index hidden : {0, 8}) {
      const TransformerShape shape{.dim = 8, .heads = 2, .hidden = hidden, .norm = norm};
      Trial trial = trial_of("none", shape);
      TransformerModule module(trial, {});
      trial.seed = 6;
      TransformerModule other(trial, {});
      other.load(module.plain());
      for (const auto& item : other.named_parameters()) {
        if (!item.key().starts_with("layers.")) continue;
        EXPECT_TRUE(torch::equal(item.value(), module.named_parameters()[item.key()]));
      }
    }
}

TEST(Model, WeightsDependOnTheSeedAndNotOnTheEncoding) {
  Trial trial = trial_of("none", {.dim = 8, .heads = 2});
  const auto weight = [&] {
    return TransformerModule(trial, {}).named_parameters()["layers.1.query.weight"].clone();
  };
  const torch::Tensor first = weight();
  EXPECT_LE(first.abs().max().item<double>(), 1.0 / std::sqrt(8.0));
  trial.encoding = "learned";
  EXPECT_TRUE(torch::equal(first, weight()));
  trial.seed = 6;
  EXPECT_FALSE(torch::equal(first, weight()));
}

TEST(Model, FirstNumbersOfAnEncodingDependOnTheSeedUnlessItsSpecSetsOne) {
  // All parameters of the encoding, in a row.
  const auto first = [](const std::string& spec, std::uint64_t seed) {
    Trial trial = trial_of(spec, {.dim = 8, .heads = 2});
    trial.seed = seed;
    TransformerModule module(trial, {});
    std::vector<torch::Tensor> flat;
    for (const torch::Tensor& parameter : module.encoding().parameters())
      flat.push_back(parameter.detach().reshape({-1}));
    return torch::cat(flat);
  };
  for (const std::string& name : encodings().names()) {
    if (!encodings().info(name).needs_values) continue;
    EXPECT_TRUE(torch::equal(first(name, 1), first(name, 1))) << name;
    EXPECT_FALSE(torch::equal(first(name, 1), first(name, 2))) << name;
    for (const char* seed : {"(seed=1)", "(seed=3)"})
      EXPECT_TRUE(torch::equal(first(name + seed, 1), first(name + seed, 2))) << name;
  }
}

TEST(EncodingModule, NamesWhatItTrainedAsTheUserDid) {
  EncodingModule module("t5+learned", {.dim = 8, .heads = 2}, 16, {}, 77, torch::kDouble);
  ASSERT_EQ(module.trained().size(), 2U);
  EXPECT_EQ(module.trained()[0].encoding, "t5");
  EXPECT_EQ(module.trained()[1].encoding, "learned(train=16)");
}

// A model without layers: outputs are the read-out of the inputs themselves.
struct ByHand {
  explicit ByHand(const TaskShape& task)
      : module(trial_of("none", {.layers = 0, .dim = 2, .heads = 1, .hidden = 0}), task) {
    const torch::NoGradGuard no_gradients;
    auto parameters = module.named_parameters();
    if (task.vocabulary > 0) {
      parameters["embedding.weight"].copy_(torch::tensor({{1.0, 0.0}, {0.0, 1.0}, {2.0, 2.0}}));
      parameters["readout.weight"].copy_(torch::eye(2));
    } else {
      parameters["number.weight"].copy_(torch::tensor({{1.0}, {0.0}}));
      parameters["number.bias"].copy_(torch::tensor({0.0, 1.0}));
      parameters["readout.weight"].copy_(torch::tensor({{2.0, 3.0}}));  // 2 x + 3
    }
    parameters["readout.bias"].zero_();
  }
  TransformerModule module;
};

TEST(Model, ReadsOutEveryPositionTheLastTheMeanAndTheFirst) {
  const Batch batch{.sequences = 2,
                    .length = 3,
                    .values = {1.0, 2.0, 6.0, 4.0, 0.0, 9.0},
                    .present = {1, 1, 1, 1, 1, 0},
                    .numbers = {0.0, 0.0}};
  const auto outputs = [&](Readout readout) {
    const TaskShape task{.readout = readout};
    return to_vector(ByHand(task).module.forward(to_torch(batch, task, torch::kDouble)).flatten());
  };
  EXPECT_EQ(outputs(Readout::kLast), (Vector{15.0, 3.0}));
  EXPECT_EQ(outputs(Readout::kMean), (Vector{9.0, 7.0}));
  EXPECT_EQ(outputs(Readout::kFirst), (Vector{5.0, 11.0}));
  const TaskShape every{};
  Batch all = batch;
  all.numbers.assign(6, 0.0);
  const torch::Tensor out = ByHand(every).module.forward(to_torch(all, every, torch::kDouble));
  EXPECT_EQ(to_vector(out.flatten()), (Vector{5.0, 7.0, 15.0, 11.0, 3.0, 21.0}));
}

TEST(Model, SquaresLeaveOutNumbersThatAreNotThere) {
  const TaskShape task{};
  const Batch batch{.sequences = 2,
                    .length = 2,
                    .values = {0.0, 1.0, 2.0, 3.0},  // outputs 3, 5, 7, 9
                    .numbers = {4.0, kNotANumber, 5.0, kNotANumber}};
  const auto measured = ByHand(task).module.measure(to_torch(batch, task, torch::kDouble));
  EXPECT_EQ(measured.loss.item<double>(), (1.0 + 4.0) / 2.0);
  EXPECT_EQ(measured.counted, 2);
  EXPECT_EQ(measured.loss_by_position[0].item<double>(), 2.5);
  EXPECT_TRUE(std::isnan(measured.loss_by_position[1].item<double>()));
}

TEST(Model, CrossEntropyLeavesOutClassesThatAreNotThere) {
  const TaskShape task{.vocabulary = 3, .outputs = 2, .loss = Loss::kCrossEntropy};
  const Batch batch{.sequences = 1,
                    .length = 4,
                    .tokens = {0, 1, 2, 1},  // logits (1,0), (0,1), (2,2), (0,1)
                    .classes = {0, 0, 1, kNoTarget}};
  const auto measured = ByHand(task).module.measure(to_torch(batch, task, torch::kDouble));
  const double right = std::log1p(std::exp(-1.0)), wrong = std::log1p(std::exp(1.0));
  EXPECT_NEAR(measured.loss.item<double>(), (right + wrong + std::log(2.0)) / 3.0, 1e-14);
  EXPECT_EQ(measured.counted, 3);
  EXPECT_EQ(measured.right, 1);  // a tie goes to the first class
  EXPECT_FALSE(ByHand({})
                   .module
                   .measure({.inputs = torch::ones({1, 1}, torch::kDouble),
                             .targets = torch::full({1, 1}, kNotANumber, torch::kDouble)})
                   .loss.isnan()
                   .item<bool>());
}

TEST(Model, PaddingChangesNothingForWhatIsPresent) {
  TransformerModule module(trial_of("sinusoidal+alibi", {.dim = 8, .heads = 2, .hidden = 8}), {});
  const torch::Tensor x = to_torch(tokens(5, 8), torch::kDouble).unsqueeze(0);
  const torch::Tensor present = torch::tensor({{true, true, true, false, false}});
  const torch::Tensor padded = module.stream(x, present).slice(1, 0, 3);
  EXPECT_TRUE(torch::allclose(padded, module.stream(x.slice(1, 0, 3)), 1e-12, 1e-12));
  EXPECT_FALSE(torch::allclose(padded, module.stream(x).slice(1, 0, 3), 1e-3, 1e-3));
}

TEST(Model, SequencesWithoutAnythingPresentGiveFiniteGradients) {
  const TaskShape task{.readout = Readout::kMean};
  TransformerModule module(trial_of("rope", {.dim = 8, .heads = 2, .hidden = 8}), task);
  const Batch batch{.sequences = 2,
                    .length = 2,
                    .values = {1.0, 2.0, 3.0, 4.0},
                    .present = {1, 0, 0, 0},
                    .numbers = {1.0, 2.0}};
  module.measure(to_torch(batch, task, torch::kDouble)).loss.backward();
  for (const auto& item : module.named_parameters())
    EXPECT_TRUE(item.value().grad().isfinite().all().item<bool>()) << item.key();
}

TEST(Model, AttentionIsThatOfThePlainPass) {
  const Trial trial = trial_of(
      "alibi",
      {.layers = 2, .dim = 8, .heads = 2, .hidden = 8, .norm = NormPlace::kAfter, .causal = true});
  TransformerModule module(trial, {});
  const torch::Tensor values = torch::tensor({{0.5, 2.0, -1.0}}, torch::kDouble);
  const torch::Tensor maps = module.attention({.inputs = values});
  ASSERT_EQ(maps.sizes(), (std::vector<std::int64_t>{2, 2, 3, 3}));
  auto parameters = module.named_parameters();
  const Matrix x =
      to_matrix(torch::mm(values.t(), parameters["number.weight"].t()) + parameters["number.bias"]);
  const Effects effects = transformer_effects(*module.encoding().plain(), trial.model, 3);
  const Matrix plain = attention_weights(module.plain().layers[0], trial.model, effects, x, 1);
  EXPECT_TRUE(torch::allclose(maps[0][1], to_torch(plain, torch::kDouble), 1e-12, 1e-12));
}

TEST(Model, BatchesOfAnotherShapeAreRefused) {
  const Batch batch{.sequences = 1, .length = 2, .tokens = {0, 3}, .classes = {0, 0}};
  const TaskShape task{.vocabulary = 3, .outputs = 2, .loss = Loss::kCrossEntropy};
  expect_error(ErrorCode::kUsage, "tokens must be 0 to 2",
               [&] { to_torch(batch, task, torch::kDouble); });
  expect_error(ErrorCode::kUsage, "values must be 2 values but are 0",
               [&] { to_torch(batch, {}, torch::kDouble); });
}

TEST(EncodingModule, LearnsOnlyWhatIsThereAndHasNumbers) {
  const TransformerShape shape{.dim = 8, .heads = 2};
  const auto module = [&](const char* spec, const char* learn) {
    EncodingModule(spec, shape, 16, {learn}, 1, torch::kDouble);
  };
  expect_error(ErrorCode::kUsage, "'rope' must be an encoding of none",
               [&] { module("none", "rope"); });
  expect_error(ErrorCode::kUsage, "none has nothing to train", [&] { module("none", "none"); });
}

}  // namespace
}  // namespace sextant
