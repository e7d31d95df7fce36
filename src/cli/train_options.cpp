// SPDX-License-Identifier: Apache-2.0
#include "cli/train_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/study_options.h"
#include "cli/trial_runs.h"
#include "run/shard_choice.h"
#include "run/slurm_script.h"
#include "training/trial_memory.h"
#include "training/trial_plan.h"
#include "training/trial_tasks.h"

namespace sextant::cli {
namespace {

constexpr Index kSeeds = 5;  // fewer say little: the spread over seeds is as large as the mean
constexpr Index kMostTrainLength = 1000000;
constexpr std::size_t kMostTestLengths = 1000;
constexpr const char* kEncodings =
    "none,sinusoidal,learned(beyond=clamp),rope,alibi,wavelet,legendre";

const std::vector<std::string> kNorms = {"none", "before", "after"};
constexpr NormPlace kNormValues[] = {NormPlace::kNone, NormPlace::kBefore, NormPlace::kAfter};
const std::vector<std::string> kActivations = {"gelu", "relu"};
constexpr Activation kActivationValues[] = {Activation::kGelu, Activation::kRelu};
const std::vector<std::string> kPrecisions = {"float", "double"};
constexpr Precision kPrecisionValues[] = {Precision::kFloat, Precision::kDouble};
const std::vector<std::string> kModels = {"bert-base"};
const std::vector<std::string> kMetricNames = {"loss", "accuracy"};

// A, A:B or A:B:STEP.
struct LengthRange {
  Index first = 0, last = 0, step = 1;
};

LengthRange length_range(std::string_view word) {
  std::vector<Index> numbers;
  for (const std::string_view part : split(word, ':')) {
    const std::optional<Index> number = parse_integer(part);
    require(number && *number >= 1 && *number <= kMostTrainLength, "--test",
            "must be lengths from 1 to {} such as 50,100,200 or 100:500:100, but got '{}'",
            kMostTrainLength, escaped(word));
    numbers.push_back(*number);
  }
  require(numbers.size() <= 3, "--test", "a range is A:B or A:B:STEP, but got '{}'", escaped(word));
  LengthRange range{.first = numbers.front(), .last = numbers.front()};
  if (numbers.size() > 1) range.last = numbers[1];
  if (numbers.size() > 2) range.step = numbers[2];
  require(range.first <= range.last, "--test", "the range {} ends before it begins", word);
  return range;
}

std::vector<Index> lengths(std::string_view text) {
  std::vector<Index> result;
  for (const std::string_view word : split(text, ',')) {
    const LengthRange range = length_range(word);
    for (Index length = range.first; length <= range.last; length += range.step) {
      require(std::ranges::find(result, length) == result.end(), "--test", "{} stands twice",
              length);
      require(result.size() < kMostTestLengths, "--test",
              "has more than {} lengths; a range takes a step, as in 100:5000:100",
              kMostTestLengths);
      result.push_back(length);
    }
  }
  return result;
}

void set_model(Trial& trial, const TrainChoice& choice) {
  if (!choice.model.empty()) set_bert_base(trial);
  trial.weights = choice.weights;
  TransformerShape& model = trial.model;
  model.layers = choice.layers.value_or(model.layers);
  model.dim = choice.dim.value_or(model.dim);
  model.heads = choice.heads.value_or(model.heads);
  model.hidden = choice.hidden.value_or(model.hidden);
  if (!choice.norm.empty())
    model.norm = kNormValues[sextant::cli::choice("--norm", choice.norm, kNorms)];
  if (!choice.activation.empty())
    model.activation =
        kActivationValues[sextant::cli::choice("--activation", choice.activation, kActivations)];
  if (!choice.precision.empty())
    trial.precision =
        kPrecisionValues[sextant::cli::choice("--precision", choice.precision, kPrecisions)];
  if (!choice.device.empty()) trial.device = choice.device;
}

void set_schedule(Schedule& schedule, const TrainChoice& choice) {
  schedule.steps = choice.steps.value_or(schedule.steps);
  schedule.batch = choice.batch.value_or(schedule.batch);
  schedule.rate = choice.rate.value_or(schedule.rate);
  // The usual warm-up of a run that is shorter than it would be all of the run.
  schedule.warm_up = choice.warm_up.value_or(std::min(schedule.warm_up, schedule.steps / 2));
  require(schedule.warm_up <= schedule.steps / 2, "--warm-up",
          "must be at most half of --steps {} but got {}", schedule.steps, schedule.warm_up);
  schedule.decay_from = choice.decay_from.value_or(schedule.decay_from);
  schedule.clip = choice.clip.value_or(schedule.clip);
}

// Throws kUsage for an option that would do nothing beside this task.
void check_options_fit(const TrainChoice& choice, const TaskInfo& info) {
  const auto idle = [&](const char* option) {
    require(!given(*choice.app, option), option, "does nothing beside the task '{}'", info.name);
  };
  if (!info.needs_corpus)
    for (const char* option :
         {"--tokens", "--format", "--text-column", "--text-field", "--limit", "--vocabulary"})
      idle(option);
  if (!info.needs_labels) idle("--label-column");
  const std::string& tokens = choice.corpus.tokens;
  require(choice.weights.empty() || !info.needs_corpus ||
              (!tokens.empty() && tokens != "words" && tokens != "bytes"),
          "--weights", "need the tokenizer of their vocabulary, such as --tokens wordpiece:VOCAB");
}

Trial common_trial(const TrainChoice& choice, const Globals& globals, const TaskInfo& info) {
  require(!choice.causal || !choice.bidirectional, "--causal", "must not go with --bidirectional");
  check_options_fit(choice, info);
  Trial trial;
  trial.task = choice.task;
  trial.seed = static_cast<std::uint64_t>(globals.seed.value_or(1));
  set_model(trial, choice);
  set_schedule(trial.schedule, choice);
  trial.corpus = trial_corpus(choice.corpus, choice.vocabulary);
  trial.corpus.label_column = choice.label_column;
  trial.model.causal = choice.causal || (info.causal && !choice.bidirectional);
  trial.train_length = choice.train.value_or(trial.train_length);
  const Index n = trial.train_length;
  trial.test_lengths = !choice.test.empty() ? lengths(choice.test)
                       : info.any_length    ? std::vector<Index>{n, 2 * n, 4 * n}
                                            : std::vector<Index>{n};
  trial.test_sequences = choice.test_sequences.value_or(trial.test_sequences);
  if (!choice.learn.empty())
    for (const std::string_view name : split(choice.learn, ',')) trial.learn.emplace_back(name);
  trial.keep_rows = choice.keep_rows.value_or(0);
  trial.attention_length = choice.attention.value_or(0);
  validate(trial);
  return trial;
}

// Right answers say more than the loss where they are few and sharp; of the next token they do not.
TrialMetric metric_of(const TrainChoice& choice, const Task& task) {
  const bool classes = task.shape().loss == Loss::kCrossEntropy;
  if (!choice.metric.empty()) {
    require(choice.metric == "loss" || classes, "--metric",
            "accuracy needs classes but {} has "
            "numbers",
            task.spec());
    return choice.metric == "loss" ? TrialMetric::kLoss : TrialMetric::kAccuracy;
  }
  const TaskInfo& info = task.info();
  return classes && (!info.needs_corpus || info.needs_labels) ? TrialMetric::kAccuracy
                                                              : TrialMetric::kLoss;
}

TrialTasks tasks_of(const Trial& trial, const Globals& globals) {
  Progress progress(globals);
  CorpusReading reading;
  if (!trial.corpus.inputs.empty()) progress.stage("reading");
  reading.progress = [&progress](const ReadProgress& p) {
    progress.update(p.bytes_read, p.bytes_total, "");
  };
  return make_trial_tasks(trial, reading);
}

void add_model_options(CLI::App& app, TrainChoice& choice) {
  const Trial usual;
  const auto integer = [&app](const char* name, std::optional<Index>& target, Index min, Index max,
                              const char* doc, Index usual_value) {
    add_integer(app, name, target, min, max, fmt::format("{} (default {})", doc, usual_value));
  };
  add_choice(app, "--model", choice.model, kModels,
             "A published model, its schedule and length in place of the defaults here; other "
             "options change it");
  add_text(app, "--weights", choice.weights, "PATH",
           "First weights of --model: FILE.safetensors with Hugging Face's names, or a folder with "
           "model.safetensors");
  integer("--layers", choice.layers, 1, 1000, "Layers", usual.model.layers);
  integer("--dim", choice.dim, 1, kMostDim, "Width of the model", usual.model.dim);
  integer("--heads", choice.heads, 1, kMostHeads, "Heads of a layer", usual.model.heads);
  integer("--hidden", choice.hidden, 0, 16 * kMostDim, "Width of the feed-forward part; 0: none",
          usual.model.hidden);
  add_choice(app, "--norm", choice.norm, kNorms, "Place of the layer norms (default after)");
  add_choice(app, "--activation", choice.activation, kActivations,
             "Of the feed-forward part (default relu)");
  add_flag(app, "--causal", choice.causal, "A token sees those before it only");
  add_flag(app, "--bidirectional", choice.bidirectional,
           "A token sees all (default: as the task is meant)");
  integer("--steps", choice.steps, 1, kLargest, "Steps of training", usual.schedule.steps);
  integer("--batch", choice.batch, 1, kLargest, "Sequences of a step", usual.schedule.batch);
  add_number(app, "--rate", choice.rate,
             fmt::format("Largest rate of Adam (default {})", usual.schedule.rate));
  integer("--warm-up", choice.warm_up, 0, kLargest, "Steps of rising rate, at most half of all",
          usual.schedule.warm_up);
  add_number(app, "--decay-from", choice.decay_from,
             fmt::format("Share of the steps after which the rate falls, 0 to 1 (default {})",
                         usual.schedule.decay_from));
  add_number(app, "--clip", choice.clip,
             fmt::format("Largest norm of the gradient; 0: any (default {})", usual.schedule.clip));
  add_choice(app, "--precision", choice.precision, kPrecisions, "Of training (default float)");
  add_text(app, "--device", choice.device, "NAME", "cpu, cuda, cuda:1, ... (default cpu)");
}

}  // namespace

TrialCorpus trial_corpus(const CorpusChoice& asked, std::optional<Index> vocabulary) {
  require(asked.text_column.empty() || asked.text_field.empty(), "--text-field",
          "must not go with --text-column");
  require(std::ranges::find(asked.inputs, "-") == asked.inputs.end(), "FILE",
          "must be a file: every trial reads it, and stdin can be read once");
  // One file has one name: what is resumed is found however its path is spelled.
  std::vector<std::string> inputs;
  inputs.reserve(asked.inputs.size());
  for (const std::string& input : asked.inputs)
    inputs.push_back(std::filesystem::path(input).lexically_normal().string());
  return {.inputs = std::move(inputs),
          .format = asked.format == "auto" ? std::string() : asked.format,
          .tokenizer = asked.tokens.empty() ? "words" : asked.tokens,
          .text_column = asked.text_column.empty() ? asked.text_field : asked.text_column,
          .limit = asked.limit.value_or(0),
          .vocabulary = vocabulary.value_or(0)};
}

void add_train_options(CLI::App& app, TrainChoice& choice) {
  const Trial usual;
  choice.app = &app;
  add_text(app, "TASK", choice.task, "TASK", "running_sum, \"running_sum(target=mean)\", lm, ...");
  add_texts(app, "FILE", choice.corpus.inputs, "FILE",
            "Texts, for tasks that need them: files or globs; .gz and .zst too");
  add_text_options(app, choice.corpus);
  add_text(app, "--label-column", choice.label_column, "K",
           "Column or field of the label, for tasks that need one");
  add_integer(app, "--vocabulary", choice.vocabulary, 1, kLargest,
              "Most frequent words to tell apart, of --tokens words (default: all)");
  add_text(app, "--encodings", choice.encodings, "SPEC,...",
           fmt::format("Encodings to train with (default {})", kEncodings));
  add_text(app, "--against", choice.against, "SPEC",
           "Encoding that the others are compared with (default: the best of each length)");
  add_integer(app, "--seeds", choice.seeds, 1, kMostSeeds,
              fmt::format("Runs of each encoding, from --seed on (default {})", kSeeds));
  add_integer(app, "--train", choice.train, 1, kMostTrainLength,
              fmt::format("Length of training, N (default {})", usual.train_length));
  add_text(app, "--test", choice.test, "A,B:C:STEP,...",
           "Lengths of the tests, and ranges of them (default N,2N,4N, or N where the task has one "
           "length)");
  add_integer(app, "--test-sequences", choice.test_sequences, 1, kLargest,
              fmt::format("Sequences of each test, at most (default {}, of classify all)",
                          usual.test_sequences));
  add_model_options(app, choice);
  add_text(app, "--learn", choice.learn, "NAME,...",
           "Encodings whose numbers are trained though they have values");
  add_choice(app, "--metric", choice.metric, kMetricNames,
             "What the tables compare (default accuracy for classes, loss for numbers and for "
             "language models)");
  add_integer(app, "--attention", choice.attention, 1, kMostTrainLength,
              "Keep attention maps of a sequence of this length");
  add_integer(app, "--keep-rows", choice.keep_rows, 1, kLargest,
              "Keep the rows of the input table every so many steps");
  add_integer(app, "--jobs", choice.jobs, 1, kMostJobs,
              "Trials at once, one thread each (default: one per core)");
  add_bytes(app, "--mem", choice.memory,
            "Refuse trials that need more memory (default: 80 % of what is available)");
  add_text(app, "-o,--output", choice.output, "DIR",
           "Folder of trials and results (default sextant-train)");
  add_flag(app, "--resume", choice.resume, "Keep finished trials and go on with the others");
  add_flag(app, "--force", choice.force, "Replace an existing run");
  add_text(app, "--rank", choice.rank, "i/N",
           "Do part i of N, from 0, of the trials and write no tables (or slurm-array, slurm, "
           "mpirun or torchrun: as their variables say); several processes may "
           "work in one folder; then the same without --rank and with --resume");
  add_optional_text(app, "--slurm", choice.slurm,
                    "Write a script of Slurm that does the parts as a job array, and train nothing "
                    "(--slurm=FILE; default DIR.sbatch)");
  add_integer(app, "--array", choice.array, 1, kMostParts,
              "Parts of --slurm (default: --jobs trials each)");
  add_text(app, "--time", choice.time, "LIMIT", "Of a part of --slurm (default 24:00:00)");
  add_flag(app, "--list", choice.list, "Name the tasks and what they show; train nothing");
}

TrainingRun training_run(const TrainChoice& choice, const Globals& globals) {
  const Index parts = choice.rank.empty() ? 1 : parse_shard("--rank", choice.rank).count;
  require(!choice.task.empty(), "TASK", "must be given; 'sextant train --list' names the tasks");
  require(!choice.resume || !choice.force, "--resume", "must not go with --force");
  const EncodingSpec parsed = EncodingSpec::parse(choice.task);
  require(parsed.terms.size() == 1, escaped(choice.task), "a task is one name with its parameters");
  TrainingRun run;
  run.common = common_trial(choice, globals, tasks().info(parsed.terms.front().name));
  run.seeds = choice.seeds.value_or(kSeeds);
  run.encodings = trial_encodings(
      split_specs(choice.encodings.empty() ? kEncodings : choice.encodings), run.common);
  if (!choice.against.empty()) {
    Trial alone = run.common;
    alone.learn.clear();
    run.asked.against = trial_encodings(std::vector{choice.against}, alone).front();
    require(std::ranges::find(run.encodings, run.asked.against) != run.encodings.end(), "--against",
            "must be one of the encodings: {}", fmt::join(run.encodings, ", "));
  }
  const TrialTasks made = tasks_of(run.common, globals);
  // A task on a finite set is tested on all of it.
  const Index all = made.test->test_sequences(kLargest);
  if (!choice.test_sequences && all < kLargest) run.common.test_sequences = all;
  run.common.test_sequences = made.test->test_sequences(run.common.test_sequences);
  validate(run.common);
  const Index trials = (run.seeds * std::ssize(run.encodings) + parts - 1) / parts;
  // A script runs on another computer.
  if (choice.slurm.empty())
    check_trial_memory(run.common, made.test->shape(),
                       std::min(choice.jobs.value_or(globals.threads), trials), choice.memory);
  run.common.task = made.test->spec();
  run.corpus_hash = made.corpus_hash;
  run.asked.metric = metric_of(choice, *made.test);
  for (const Index length : run.common.test_lengths)
    run.baselines.push_back({length, made.test->baselines(length)});
  return run;
}

}  // namespace sextant::cli
