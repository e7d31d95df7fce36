// SPDX-License-Identifier: Apache-2.0
#include "lab/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "io/npy.h"
#include "lab/model.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"
#include "training/trial_json.h"
#include "training/trial_seeds.h"

namespace sextant {
namespace {

Trial small_trial() {
  Trial trial;
  trial.encoding = "sinusoidal";
  trial.seed = 5;
  trial.model.dim = 16;
  trial.model.heads = 2;
  trial.model.hidden = 32;
  trial.schedule = {.steps = 30, .batch = 4, .rate = 1e-3, .warm_up = 5, .decay_from = 0.5};
  trial.train_length = 8;
  trial.test_lengths = {8, 12};
  trial.test_sequences = 60;
  return trial;
}

std::optional<TrialResult> run(const Trial& trial, const TrainingControl& control = {}) {
  const std::unique_ptr<Task> task = tasks().make(trial.task);
  return train(trial, *task, *task, control);
}

// A finished result without what differs between runs: times and the folder.
std::string comparable(std::optional<TrialResult> result) {
  if (!result) return "stopped";
  result->seconds = result->steps_per_second = 0.0;
  result->folder.clear();
  return to_text(trial_result_json(*result));
}

// Stops after each of `stops`, goes on each time, and returns the last result.
std::optional<TrialResult> run_with_stops(const Trial& trial, const std::vector<Index>& stops,
                                          TrainingControl control) {
  for (const Index stop : stops) {
    control.on_step = [stop](Index step, double) { return step < stop; };
    EXPECT_FALSE(run(trial, control)) << "stop at " << stop;
    control.resume = true;
  }
  control.on_step = [](Index, double) { return true; };
  return run(trial, control);
}

TEST(Train, GivesTheSameBitsTwiceForOneSeed) {
  EXPECT_EQ(comparable(run(small_trial())), comparable(run(small_trial())));
}

TEST(Train, GivesAnotherCurveForAnotherSeed) {
  Trial other = small_trial();
  other.seed = 6;
  EXPECT_NE(run(small_trial())->curve.front().loss, run(other)->curve.front().loss);
}

TEST(Train, StoppedAndResumedEndsInTheSameBits) {
  const Trial trial = small_trial();
  const std::string whole = comparable(run(trial));
  // Before, at and after a checkpoint, in the decay, after the last step.
  const std::vector<std::vector<Index>> cases = {{1}, {7}, {10}, {11, 12}, {20}, {3, 17, 29}, {30}};
  for (const std::vector<Index>& stops : cases) {
    const TemporaryDirectory folder;
    EXPECT_EQ(
        comparable(run_with_stops(trial, stops, {.folder = folder.path(), .checkpoint_every = 10})),
        whole)
        << "first stop at " << stops.front();
  }
}

TEST(Train, GoesOnFromTheLastCheckpointOfAKilledRun) {
  const Trial trial = small_trial();
  const TemporaryDirectory folder;
  struct Killed {};
  TrainingControl control{.folder = folder.path(), .checkpoint_every = 10};
  control.on_step = [](Index step, double) -> bool {
    if (step == 17) throw Killed();
    return true;
  };
  EXPECT_THROW(run(trial, control), Killed);
  Index first = 0;
  control.resume = true;
  control.on_step = [&first](Index step, double) {
    if (first == 0) first = step;
    return true;
  };
  EXPECT_EQ(comparable(run(trial, control)), comparable(run(trial)));
  EXPECT_EQ(first, 11);
}

TEST(Train, StoppedDuringTheTestsGoesOnWithThem) {
  const Trial trial = small_trial();
  const TemporaryDirectory folder;
  TrainingControl control{.folder = folder.path()};
  control.goes_on = [] { return false; };
  EXPECT_FALSE(run(trial, control));
  control.resume = true;
  control.goes_on = [] { return true; };
  control.on_step = [](Index step, double) -> bool {
    ADD_FAILURE() << "step " << step << " is taken again";
    return true;
  };
  EXPECT_EQ(comparable(run(trial, control)), comparable(run(trial)));
}

TEST(Train, TakesThePreviousCheckpointWhereTheLastIsDamaged) {
  const Trial trial = small_trial();
  const TemporaryDirectory folder;
  TrainingControl control{.folder = folder.path(), .checkpoint_every = 10};
  control.on_step = [](Index step, double) { return step != 25; };
  EXPECT_FALSE(run(trial, control));
  folder.write(kCheckpointName, "cut");
  Index first = 0;
  std::string warning;
  control.resume = true;
  control.on_step = [&first](Index step, double) {
    if (first == 0) first = step;
    return true;
  };
  control.on_warning = [&warning](const std::string& what) { warning += what; };
  EXPECT_EQ(comparable(run(trial, control)), comparable(run(trial)));
  EXPECT_EQ(first, 21);
  EXPECT_NE(warning.find("the one before it, of step 20"), std::string::npos) << warning;
}

TEST(Train, GoesOnWhereACheckpointCannotBeWritten) {
  const Trial trial = small_trial();
  const TemporaryDirectory folder;
  for (const char* name : {kCheckpointName, kPreviousCheckpointName}) {
    std::filesystem::create_directory(folder / name);
    folder.write(std::string(name) + "/in_the_way", "a folder cannot be replaced");
  }
  int warnings = 0;
  TrainingControl control{.folder = folder.path(), .checkpoint_every = 10};
  control.on_warning = [&warnings](const std::string&) { ++warnings; };
  EXPECT_EQ(comparable(run(trial, control)), comparable(run(trial)));
  EXPECT_EQ(warnings, 1);
}

TEST(Train, RefusesACheckpointOfAnotherTrial) {
  const TemporaryDirectory folder;
  Trial trial = small_trial();
  TrainingControl control{.folder = folder.path()};
  control.on_step = [](Index, double) { return false; };
  EXPECT_FALSE(run(trial, control));
  control.resume = true;
  trial.schedule.batch = 5;
  expect_error(ErrorCode::kCheckpoint, "/trial/schedule/batch was 4 and is 5",
               [&] { run(trial, control); });
  trial = small_trial();
  control.corpus_hash = "other text";
  expect_error(ErrorCode::kCheckpoint, "/corpus_hash", [&] { run(trial, control); });
  control.corpus_hash.clear();
  control.files_hash = "other numbers";
  expect_error(ErrorCode::kCheckpoint, "/files_hash", [&] { run(trial, control); });
}

// Kingma and Ba, arXiv:1412.6980, algorithm 1, on gradients of norm at most `clip`, at the rates
// that the schedule of five steps has: risen over two, falling as a half cosine after the third.
std::map<std::string, torch::Tensor> adam_by_hand(const Trial& trial, const Task& task) {
  TransformerModule model(trial, task.shape());
  const torch::TensorOptions options = tensor_options(trial.precision, trial.device);
  std::map<std::string, torch::Tensor> mean, square, result;
  const double shares[] = {0.5, 1.0, 1.0, 0.75, 0.25};
  for (int t = 1; t <= 5; ++t) {
    model.zero_grad();
    const Batch batch = task.sample(training_seed(trial), static_cast<std::uint64_t>(t - 1),
                                    trial.schedule.batch, trial.train_length);
    model.measure(to_torch(batch, task.shape(), options)).loss.backward();
    const torch::NoGradGuard no_gradients;
    double norm = 0.0;
    for (const torch::Tensor& p : model.parameters())
      norm += p.grad().square().sum().item<double>();
    norm = std::sqrt(norm);
    const double clip = trial.schedule.clip;
    EXPECT_GT(norm, clip) << "nothing to clip";
    for (const auto& item : model.named_parameters()) {
      torch::Tensor p = item.value();
      const torch::Tensor gradient = clip > 0.0 ? p.grad() * (clip / norm) : p.grad().clone();
      torch::Tensor& m = mean[item.key()];
      torch::Tensor& v = square[item.key()];
      m = 0.1 * gradient + (m.defined() ? 0.9 * m : torch::zeros_like(p));
      v = 0.001 * gradient.square() + (v.defined() ? 0.999 * v : torch::zeros_like(p));
      const torch::Tensor m_hat = m / (1.0 - std::pow(0.9, t)),
                          v_hat = v / (1.0 - std::pow(0.999, t));
      p -= trial.schedule.rate * shares[t - 1] * m_hat / (v_hat.sqrt() + 1e-8);
    }
  }
  for (const auto& item : model.named_parameters()) result[item.key()] = item.value().detach();
  return result;
}

TEST(Train, TakesTheStepsOfAdamAtTheRatesOfTheSchedule) {
  Trial trial = small_trial();
  trial.precision = Precision::kDouble;
  trial.schedule = {.steps = 5, .batch = 4, .rate = 1e-2, .warm_up = 2, .decay_from = 0.4};
  std::map<std::string, torch::Tensor> weights[2];
  for (const double clip : {0.0, 1e-3}) {
    trial.schedule.clip = clip;
    std::map<std::string, torch::Tensor>& trained = weights[clip > 0.0 ? 1 : 0];
    run(trial, {.on_trained = [&trained](TransformerModule& model) {
          for (const auto& item : model.named_parameters())
            trained[item.key()] = item.value().detach().clone();
        }});
    const auto expected = adam_by_hand(trial, *tasks().make(trial.task));
    ASSERT_EQ(trained.size(), expected.size());
    for (const auto& [name, value] : expected)
      EXPECT_LT((trained[name] - value).abs().max().item<double>(), 1e-9)
          << name << " clip " << clip;
  }
  const std::string first = "layers.0.query.weight";
  EXPECT_GT((weights[0][first] - weights[1][first]).abs().max().item<double>(), 1e-6);
}

TEST(Train, LowersTheLossOfRunningSum) {
  Trial trial = small_trial();
  trial.schedule = {.steps = 150, .batch = 16, .rate = 3e-3, .warm_up = 10, .decay_from = 0.5};
  const std::optional<TrialResult> result = run(trial);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, TrialEnd::kFinished);
  EXPECT_LT(result->curve.back().loss, 0.25 * result->curve.front().loss);
  // Better than the best constant: it has learned where it is.
  EXPECT_LT(result->evaluations.front().loss,
            tasks().make(trial.task)->baselines(trial.train_length).front().value);
}

TEST(Train, CurveHasAtMostTwoHundredPointsAndTheirMeans) {
  Trial trial = small_trial();
  trial.model.layers = 1;
  trial.schedule.batch = 1;
  trial.schedule.steps = 405;  // points every three steps
  std::vector<double> losses;
  const std::optional<TrialResult> result = run(trial, {.on_step = [&losses](Index, double loss) {
                                                  losses.push_back(loss);
                                                  return true;
                                                }});
  ASSERT_EQ(losses.size(), 405U);
  ASSERT_EQ(result->curve.size(), 135U);
  EXPECT_EQ(result->curve[1].step, 6);
  EXPECT_DOUBLE_EQ(result->curve[1].loss, (losses[3] + losses[4] + losses[5]) / 3.0);
  EXPECT_EQ(result->curve.back().step, 405);
}

TEST(Train, EndsWithTheNameOfWhatIsNotFinite) {
  Trial trial = small_trial();
  trial.schedule.rate = 1e38;
  trial.schedule.clip = 0.0;
  const std::optional<TrialResult> result = run(trial);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, TrialEnd::kNotFinite);
  EXPECT_EQ(result->fault.find("step "), 0U) << result->fault;
  EXPECT_NE(result->fault.find("not finite"), std::string::npos) << result->fault;
  EXPECT_NE(result->fault.find(".weight"), std::string::npos) << result->fault;
  EXPECT_TRUE(result->evaluations.empty());
}

// A gradient that is not finite though the loss is.
TEST(Train, NamesTheTensorWhoseGradientIsNotFinite) {
  const TrainingControl control{.on_start = [](const TransformerModule& model) {
    const torch::Tensor weight = model.named_parameters()["layers.1.up.weight"];
    weight.register_hook([](const torch::Tensor& gradient) { return gradient / 0.0; });
  }};
  const std::optional<TrialResult> result = run(small_trial(), control);
  EXPECT_EQ(result->end, TrialEnd::kNotFinite);
  EXPECT_EQ(result->fault, "step 1: gradient of layers.1.up.weight is not finite; nowhere finite");
  EXPECT_TRUE(result->evaluations.empty());
}

// Numbers of 1e25 are finite in a float; the squares in their norm are not.
TEST(Train, GoesOnWhereOnlyTheSquaresOfAGradientOverflow) {
  Trial trial = small_trial();
  const TrainingControl control{.on_start = [](const TransformerModule& model) {
    const torch::Tensor weight = model.named_parameters()["layers.1.up.weight"];
    weight.register_hook([](const torch::Tensor& gradient) { return gradient * 0.0 + 1e25; });
  }};
  EXPECT_EQ(run(trial, control)->end, TrialEnd::kFinished);
}

// Of the running sum, with targets of length 12 whose squares overflow a float.
class WildAtTwelve final : public Task {
 public:
  const TaskInfo& info() const override { return task_->info(); }
  TaskShape shape() const override { return task_->shape(); }
  Batch sample(std::uint64_t seed, std::uint64_t number, Index sequences,
               Index length) const override {
    Batch batch = task_->sample(seed, number, sequences, length);
    if (length == 12) batch.numbers.assign(batch.numbers.size(), 1e30);
    return batch;
  }
  std::vector<Baseline> baselines(Index length) const override { return task_->baselines(length); }

 private:
  std::unique_ptr<Task> task_ = tasks().make("running_sum");
};

TEST(Train, KeepsTheLengthsThatAreFinite) {
  Trial trial = small_trial();
  trial.test_lengths = {8, 12, 16};
  const WildAtTwelve task;
  const std::optional<TrialResult> result = train(trial, task, task, {});
  EXPECT_EQ(result->end, TrialEnd::kNotFinite);
  EXPECT_NE(result->fault.find("length 12"), std::string::npos) << result->fault;
  ASSERT_EQ(result->evaluations.size(), 2U);
  EXPECT_EQ(result->evaluations[0].length, 8);
  EXPECT_EQ(result->evaluations[1].length, 16);
}

TEST(Train, EvaluatesEveryLengthAndPosition) {
  const std::optional<TrialResult> result = run(small_trial());
  ASSERT_EQ(result->evaluations.size(), 2U);
  for (const Evaluation& found : result->evaluations) {
    ASSERT_EQ(found.loss_by_position.size(), static_cast<std::size_t>(found.length));
    double sum = 0.0;
    for (const double loss : found.loss_by_position) sum += loss;
    // Every position has as many targets as every other: the mean of means is the mean.
    EXPECT_NEAR(sum / static_cast<double>(found.length), found.loss, 1e-6 * found.loss);
    EXPECT_FALSE(found.accuracy);
  }
}

TEST(Train, KeepsRowsAttentionAndLearnedValuesAsFiles) {
  Trial trial = small_trial();
  trial.keep_rows = 20;
  trial.attention_length = 6;
  const TemporaryDirectory folder;
  ASSERT_TRUE(run_with_stops(trial, {25}, {.folder = folder.path()}));
  const NpyArray rows = read_npy(folder / "rows.npy"), steps = read_npy(folder / "rows_steps.npy");
  EXPECT_EQ(rows.shape, (std::vector<Index>{3, 8, 16}));
  EXPECT_EQ(steps.values, (Vector{0, 20, 30}));
  EXPECT_NEAR(rows.values[1], 1.0, 1e-6);  // cos(0): the first row of the table
  const NpyArray attention = read_npy(folder / "attention.npy");
  EXPECT_EQ(attention.shape, (std::vector<Index>{2, 2, 6, 6}));
  for (std::size_t row = 0; row < 24; ++row) {
    double sum = 0.0;
    for (std::size_t t = 0; t < 6; ++t) sum += attention.values[row * 6 + t];
    EXPECT_NEAR(sum, 1.0, 1e-5);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "learned.json"));  // nothing of it is trained
}

TEST(Train, SaysBeforeTheFirstStepWhatCannotWork) {
  const TrainingControl never{.on_step = [](Index, double) {
    ADD_FAILURE() << "a step was taken";
    return false;
  }};
  Trial trial = small_trial();
  trial.encoding = "sinusiodal";
  expect_error(ErrorCode::kUsage, "sinusoidal", [&] { run(trial, never); });
  trial = small_trial();
  trial.device = "abacus";
  expect_error(ErrorCode::kUsage, "device", [&] { run(trial, never); });
  trial.device = "cuda:4096";
  expect_error(ErrorCode::kUsage, "cuda:4096 is not there", [&] { run(trial, never); });
}

}  // namespace
}  // namespace sextant
