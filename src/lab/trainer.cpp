// SPDX-License-Identifier: Apache-2.0
#include "lab/trainer.h"

#include <malloc.h>
#include <stdlib.h>

#include <chrono>
#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "io/folder_lock.h"
#include "lab/bert_weights.h"
#include "lab/checkpoint.h"
#include "lab/evaluation.h"
#include "lab/model.h"
#include "lab/schedule.h"
#include "lab/trial_files.h"
#include "math/lapack.h"
#include "training/trial_json.h"
#include "training/trial_seeds.h"

namespace sextant {
namespace {

constexpr Index kMostPoints = 200;  // of a curve

// Process-wide: freed memory is kept. Every step asks for the same tensors again, and fresh pages
// would cost a sixth of its time.
void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that it takes
  ::mallopt(M_TRIM_THRESHOLD, -1);
}

// Process-wide: one thread and fixed orders of summation, so that the bits do not depend on the
// machine's load; denormals, which are slow and carry no information in training, are 0.
void make_deterministic() {
  static const bool done = [] {
    at::set_num_threads(1);
    const BlasCall sets_one_thread;  // OpenBLAS has threads of its own
    at::set_num_interop_threads(1);
    at::globalContext().setDeterministicAlgorithms(true, false);
    ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);  // cuBLAS refuses determinism without it
    return true;
  }();
  (void)done;
  at::globalContext().setFlushDenormal(true);
}

// REQUIRES: the name of a trial that validate() has seen.
void check_device(const std::string& name) {
  if (name == "cpu") return;
  const Index index = name == "cuda" ? 0 : parse_integer(name.substr(5)).value_or(0);
  const auto devices = static_cast<Index>(torch::cuda::device_count());
  require(index < devices, "--device", "{} is not there: {} sees {} of them", name,
          framework_name(), devices);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Training {
 public:
  Training(const Trial& trial, const Task& task, const Task& test_task,
           const TrainingControl& control)
      : trial_(trial),
        task_(task),
        test_task_(test_task),
        control_(control),
        options_(tensor_options(trial.precision, trial.device)),
        model_(std::make_shared<TransformerModule>(trial, task.shape())),
        optimizer_(model_->parameters(),
                   torch::optim::AdamOptions(trial.schedule.rate).betas({0.9, 0.999}).eps(1e-8)) {
    check_lengths();
    if (!trial.weights.empty()) notes_ = load_bert(*model_, trial);
    control_.on_start(*model_);
    resume();
  }

  std::optional<TrialResult> run() {
    const auto start = std::chrono::steady_clock::now();
    const double seconds_before = progress_.seconds;
    TrialResult result{.trial = trial_,
                       .parameters = parameters(),
                       .corpus_hash = control_.corpus_hash,
                       .files_hash = control_.files_hash,
                       .framework = framework_name(),
                       .folder = control_.folder.string(),
                       .notes = notes_};
    if (progress_.step == 0) keep_rows();
    while (progress_.step < trial_.schedule.steps && result.fault.empty()) {
      double loss = 0.0;
      result.fault = step(loss);
      progress_.seconds = seconds_before + seconds_since(start);
      if (!result.fault.empty()) break;
      const bool goes_on = control_.on_step(progress_.step, loss);
      if (!goes_on) return stopped();
      if (checkpoint_is_due()) save();
    }
    result.curve = progress_.curve;
    if (result.fault.empty() && !test(result)) return stopped();
    if (!result.fault.empty()) result.end = TrialEnd::kNotFinite;
    if (!control_.folder.empty()) write_files(result.end);
    if (result.end == TrialEnd::kFinished) control_.on_trained(*model_);
    result.seconds = seconds_before + seconds_since(start);
    result.steps_per_second = static_cast<double>(progress_.step) / progress_.seconds;
    return result;
  }

 private:
  Index parameters() const {
    Index result = 0;
    for (const torch::Tensor& parameter : model_->parameters()) result += parameter.numel();
    return result;
  }

  // Lengths that task or encoding lack show here, not after hours of training.
  void check_lengths() {
    const torch::NoGradGuard no_gradients;
    task_.sample(training_seed(trial_), 0, 1, trial_.train_length);
    model_->encoding().sites(trial_.train_length);
    std::vector<Index> lengths = trial_.test_lengths;
    if (trial_.attention_length > 0) lengths.push_back(trial_.attention_length);
    for (const Index length : lengths) {
      test_task_.sample(test_seed(trial_), 0, 1, length);
      model_->encoding().sites(length);
    }
  }

  std::filesystem::path checkpoint() const { return control_.folder / kCheckpointName; }
  std::filesystem::path previous() const { return control_.folder / kPreviousCheckpointName; }

  // What must not change between stop and resume.
  Json identity() const {
    return {{"trial", trial_json(trial_)},
            {"corpus_hash", control_.corpus_hash},
            {"files_hash", control_.files_hash},
            {"framework", framework_name()}};
  }

  void resume() {
    if (control_.folder.empty()) return;
    made_folder(control_.folder);
    if (!control_.resume) return;
    const bool two = std::filesystem::exists(previous());
    if (!std::filesystem::exists(checkpoint()) && !two) return;
    try {
      progress_ = read_checkpoint(checkpoint(), identity(), *model_, optimizer_);
    } catch (const Error& error) {
      if (!two) throw;
      progress_ = read_checkpoint(previous(), identity(), *model_, optimizer_);
      control_.on_warning(
          fmt::format("{}; the one before it, of step {}, is taken", error.what(), progress_.step));
    }
  }

  bool checkpoint_is_due() const {
    const Index every = control_.checkpoint_every;
    return !control_.folder.empty() &&
           (seconds_since(saved_) >= wait_ || (every > 0 && progress_.step % every == 0));
  }

  // A file system that is full now may not be so later: the steps go on, and the checkpoint before
  // stays.
  void save() {
    try {
      write_files_to_resume();
      wait_ = control_.checkpoint_seconds;
    } catch (const Error& error) {
      if (wait_ == control_.checkpoint_seconds)
        control_.on_warning(
            fmt::format("{}; training goes on without this checkpoint", error.what()));
      wait_ *= 2.0;
    }
    saved_ = std::chrono::steady_clock::now();
  }

  void write_files_to_resume() const {
    std::error_code none;  // the first has none before it
    std::filesystem::rename(checkpoint(), previous(), none);
    write_checkpoint(checkpoint(), identity(), progress_, *model_, optimizer_);
  }

  std::optional<TrialResult> stopped() const {
    if (!control_.folder.empty()) write_files_to_resume();
    return std::nullopt;
  }

  // Takes the next step. What is not finite, or nothing.
  std::string step(double& loss) {
    const Schedule& schedule = trial_.schedule;
    const Index number = progress_.step + 1;
    const Batch batch = task_.sample(training_seed(trial_), static_cast<std::uint64_t>(number - 1),
                                     schedule.batch, trial_.train_length);
    optimizer_.zero_grad();
    const torch::Tensor mean = model_->measure(to_torch(batch, task_.shape(), options_)).loss;
    loss = mean.item<double>();
    if (!std::isfinite(loss)) return fmt::format("step {}: {}", number, loss_fault());
    mean.backward();
    const double norm = gradient_norm();
    if (!std::isfinite(norm)) return fmt::format("step {}: {}", number, gradient_fault());
    if (schedule.clip > 0.0 && norm > schedule.clip) scale_gradients(schedule.clip / norm);
    for (auto& group : optimizer_.param_groups())
      group.options().set_lr(learning_rate(schedule, number - 1));
    optimizer_.step();
    progress_.step = number;
    add_to_curve(loss);
    if (trial_.keep_rows > 0 && (number % trial_.keep_rows == 0 || number == schedule.steps))
      keep_rows();
    return {};
  }

  double gradient_norm() const {
    std::vector<torch::Tensor> norms;
    for (const torch::Tensor& parameter : model_->parameters()) {
      if (parameter.grad().defined()) norms.push_back(parameter.grad().norm());
    }
    const double norm = torch::stack(norms).norm().item<double>();
    if (std::isfinite(norm)) return norm;
    double squares = 0.0;  // of finite numbers whose squares exceed a float
    for (const torch::Tensor& parameter : model_->parameters())
      if (parameter.grad().defined())
        squares += parameter.grad().to(torch::kFloat64).square().sum().item<double>();
    return std::sqrt(squares);
  }

  // "from -3.4e+38 to 1.2e+10 where it is finite".
  static std::string range_of(const torch::Tensor& tensor) {
    const torch::Tensor finite = tensor.detach().masked_select(tensor.detach().isfinite());
    if (finite.numel() == 0) return "nowhere finite";
    return fmt::format("from {:.3g} to {:.3g} where it is finite", finite.min().item<double>(),
                       finite.max().item<double>());
  }

  std::string gradient_fault() const {
    for (const auto& parameter : model_->named_parameters()) {
      const torch::Tensor gradient = parameter.value().grad();
      if (gradient.defined() && !gradient.isfinite().all().item<bool>())
        return fmt::format("gradient of {} is not finite; {}", parameter.key(), range_of(gradient));
    }
    return "norm of the gradient is not finite";
  }

  // The weights that are largest are those that made it so.
  std::string loss_fault() const {
    std::string largest;
    double size = -1.0;
    torch::Tensor weights;
    for (const auto& parameter : model_->named_parameters()) {
      const double own = parameter.value().detach().abs().max().item<double>();
      if (own <= size) continue;
      size = own, largest = parameter.key(), weights = parameter.value();
    }
    return fmt::format("loss is not finite; the largest weights are those of {}, {}", largest,
                       range_of(weights));
  }

  void scale_gradients(double factor) {
    for (const torch::Tensor& parameter : model_->parameters()) {
      if (parameter.grad().defined()) parameter.grad().mul_(factor);
    }
  }

  // Points at equal distances, at most kMostPoints of them, each the mean since the last.
  void add_to_curve(double loss) {
    const Index steps = trial_.schedule.steps;
    const Index between = (steps + kMostPoints - 1) / kMostPoints;
    progress_.loss_sum += loss;
    ++progress_.loss_count;
    if (progress_.step % between != 0 && progress_.step != steps) return;
    progress_.curve.push_back(
        {progress_.step, progress_.loss_sum / static_cast<double>(progress_.loss_count)});
    progress_.loss_sum = 0.0;
    progress_.loss_count = 0;
  }

  void keep_rows() {
    const torch::NoGradGuard no_gradients;
    if (trial_.keep_rows == 0 || control_.folder.empty()) return;
    const torch::Tensor rows = model_->encoding().sites(trial_.train_length).rows;
    if (!rows.defined()) return;
    progress_.kept_steps.push_back(progress_.step);
    progress_.kept_rows.push_back(rows.detach().cpu().clone());
  }

  // False: stopped.
  bool test(TrialResult& result) {
    for (const Index length : trial_.test_lengths) {
      std::optional<Evaluation> found =
          evaluate(*model_, test_task_, test_seed(trial_), trial_.test_sequences, length, options_,
                   control_.goes_on);
      if (!found) return false;
      if (std::isfinite(found->loss)) {
        result.evaluations.push_back(std::move(*found));
      } else if (result.fault.empty()) {
        result.fault = fmt::format("step {}: loss of the test at length {} is not finite",
                                   progress_.step, length);
      }
    }
    return true;
  }

  void write_files(TrialEnd end) {
    const torch::NoGradGuard no_gradients;
    if (!progress_.kept_rows.empty()) write_kept_rows(control_.folder, progress_);
    if (end != TrialEnd::kFinished) return;
    write_learned(control_.folder, model_->encoding());
    if (trial_.attention_length == 0) return;
    const Batch batch = test_batch(test_task_, test_seed(trial_), 0, trial_.test_sequences,
                                   trial_.attention_length);
    write_npy(control_.folder / "attention.npy",
              model_->attention(to_torch(batch, test_task_.shape(), options_)));
  }

  const Trial& trial_;
  const Task& task_;
  const Task& test_task_;
  const TrainingControl& control_;
  torch::TensorOptions options_;
  std::shared_ptr<TransformerModule> model_;
  torch::optim::Adam optimizer_;
  TrainingProgress progress_;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
  double wait_ = control_.checkpoint_seconds;  // until the next checkpoint
  std::vector<std::string> notes_;
};

// Errors of libtorch become ours.
template <typename Work>
auto in_framework(const Trial& trial, const Work& work) {
  validate(trial);
  keep_freed_memory();
  make_deterministic();
  check_device(trial.device);
  try {
    return work();
  } catch (const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    const bool memory =
        what.find("allocate") != what.npos || what.find("out of memory") != what.npos;
    fail(memory ? ErrorCode::kRefused : ErrorCode::kInternal, framework_name(), "{}",
         what.substr(0, what.find('\n')));
  }
}

}  // namespace

std::string framework_name() { return "libtorch " TORCH_VERSION; }

std::optional<TrialResult> train(const Trial& trial, const Task& task, const Task& test_task,
                                 const TrainingControl& control) {
  return in_framework(trial, [&] { return Training(trial, task, test_task, control).run(); });
}

void check_trial(const Trial& trial, const Task& task, const Task& test_task) {
  const TrainingControl control;
  in_framework(trial, [&] { const Training made(trial, task, test_task, control); });
}

}  // namespace sextant
