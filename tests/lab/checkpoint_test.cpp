// SPDX-License-Identifier: Apache-2.0
#include "lab/checkpoint.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

const Json kIdentity = {{"trial", {{"seed", 7}, {"task", "running_sum"}}}, {"framework", "a"}};

// A module and its optimizer after a few steps towards a fixed target.
struct Trained {
  torch::nn::Linear model{3, 2};
  torch::optim::Adam optimizer{model->parameters(), torch::optim::AdamOptions(0.1)};

  explicit Trained(double start) {
    const torch::NoGradGuard no_gradients;
    for (torch::Tensor parameter : model->parameters()) parameter.fill_(start);
  }
  void steps(int count) {
    for (int i = 0; i < count; ++i) {
      optimizer.zero_grad();
      (model->forward(torch::ones({1, 3})) - 1.0).square().sum().backward();
      optimizer.step();
    }
  }
};

TrainingProgress some_progress() {
  return {.step = 3,
          .curve = {{1, 0.1}, {2, 1.0 / 3.0}},
          .loss_sum = 0.7,
          .loss_count = 1,
          .seconds = 1.5,
          .kept_steps = {0, 2},
          .kept_rows = {torch::zeros({2, 2}), torch::ones({2, 2})}};
}

class CheckpointFile : public testing::Test {
 protected:
  CheckpointFile() {
    trained_.steps(3);
    write_checkpoint(path_, kIdentity, some_progress(), *trained_.model, trained_.optimizer);
  }
  TrainingProgress read(const Json& identity = kIdentity) {
    return read_checkpoint(path_, identity, *fresh_.model, fresh_.optimizer);
  }
  void expect_refused(const std::string& content) {
    folder_.write("checkpoint", content);
    expect_error(ErrorCode::kCheckpoint, "delete it to start this trial anew", [this] { read(); });
  }

  TemporaryDirectory folder_;
  std::filesystem::path path_ = folder_ / "checkpoint";
  Trained trained_{0.0}, fresh_{0.5};
};

TEST_F(CheckpointFile, KeepsProgressToTheLastBit) {
  const TrainingProgress before = some_progress(), after = read();
  EXPECT_EQ(after.step, before.step);
  ASSERT_EQ(after.curve.size(), before.curve.size());
  for (std::size_t i = 0; i < before.curve.size(); ++i) {
    EXPECT_EQ(after.curve[i].step, before.curve[i].step);
    EXPECT_EQ(after.curve[i].loss, before.curve[i].loss);
  }
  EXPECT_EQ(after.loss_sum, before.loss_sum);
  EXPECT_EQ(after.loss_count, before.loss_count);
  EXPECT_EQ(after.seconds, before.seconds);
  EXPECT_EQ(after.kept_steps, before.kept_steps);
  ASSERT_EQ(after.kept_rows.size(), 2U);
  EXPECT_TRUE(torch::equal(after.kept_rows[1], before.kept_rows[1]));
}

TEST_F(CheckpointFile, LetsWeightsAndMomentsGoOnAsIfNeverStopped) {
  read();
  trained_.steps(4);
  fresh_.steps(4);
  EXPECT_TRUE(torch::equal(fresh_.model->weight, trained_.model->weight));
  EXPECT_TRUE(torch::equal(fresh_.model->bias, trained_.model->bias));
}

TEST_F(CheckpointFile, OfAnotherTrialIsRefusedWithWhatDiffers) {
  Json other = kIdentity;
  other["trial"]["seed"] = 8;
  expect_error(ErrorCode::kCheckpoint, "/trial/seed was 7 and is 8", [&] { read(other); });
  other = kIdentity;
  other["trial"]["more"] = true;
  expect_error(ErrorCode::kCheckpoint, "/trial/more was nothing", [&] { read(other); });
  other = kIdentity;
  other.erase("framework");
  expect_error(ErrorCode::kCheckpoint, "/framework", [&] { read(other); });
}

TEST_F(CheckpointFile, CutAnywhereIsRefused) {
  const std::string whole = content_of(path_);
  for (const std::size_t size : {std::size_t{1}, std::size_t{20}, std::size_t{37}, std::size_t{38},
                                 std::size_t{100}, whole.size() / 2, whole.size() - 1})
    expect_refused(whole.substr(0, size));
  expect_refused(whole + "x");
  expect_refused("");
}

TEST_F(CheckpointFile, WithAFlippedBitAnywhereIsRefused) {
  const std::string whole = content_of(path_);
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    expect_refused(flipped);
  }
}

TEST_F(CheckpointFile, OfAnotherShapeIsRefused) {
  torch::nn::Linear wide(5, 2);
  torch::optim::Adam optimizer(wide->parameters(), torch::optim::AdamOptions(0.1));
  expect_error(ErrorCode::kCheckpoint, "does not fit the model",
               [&] { read_checkpoint(path_, kIdentity, *wide, optimizer); });
}

TEST_F(CheckpointFile, ThatIsMissingIsUnreadable) {
  std::filesystem::remove(path_);
  expect_error(ErrorCode::kUnreadable, "checkpoint", [this] { read(); });
}

}  // namespace
}  // namespace sextant
