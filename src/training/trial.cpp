// SPDX-License-Identifier: Apache-2.0
#include "sextant/trial.h"

#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "corpus/utf8.h"
#include "sextant/task.h"
#include "training/trial_json.h"

namespace sextant {
namespace {

// Far above what fits a computer, and products of them stay far below 2^63.
constexpr Index kMostLayers = 1 << 12;
constexpr Index kMostWidth = 1 << 20;
constexpr Index kMostSteps = 1'000'000'000;
constexpr Index kMostSequences = 1 << 24;
constexpr Index kMostLength = 1'000'000;
constexpr Index kMostPositions = Index{1} << 30;  // of a batch
constexpr Index kMostLogits = Index{1} << 40;     // of a layer for one batch
constexpr double kMostKeptBytes = 1e9;            // they stay in memory and in every checkpoint

void check_range(std::string_view option, Index value, Index least, Index most) {
  require(value >= least && value <= most, option, "must be {} to {} but got {}", least, most,
          value);
}

void check_model(const TransformerShape& model) {
  check_range("--layers", model.layers, 1, kMostLayers);
  check_range("--dim", model.dim, 1, kMostWidth);
  check_range("--heads", model.heads, 1, kMostWidth);
  require(model.dim % model.heads == 0, "--dim", "must be a multiple of --heads {} but got {}",
          model.heads, model.dim);
  check_range("--hidden", model.hidden, 0, kMostWidth);
  require(std::isfinite(model.norm_epsilon) && model.norm_epsilon > 0.0, "norm_epsilon",
          "must be a positive number but got {}", model.norm_epsilon);
}

void check_schedule(const Schedule& schedule) {
  check_range("--steps", schedule.steps, 1, kMostSteps);
  check_range("--batch", schedule.batch, 1, kMostSequences);
  require(std::isfinite(schedule.rate) && schedule.rate > 0.0, "--rate",
          "must be a positive number but got {}", schedule.rate);
  check_range("--warm-up", schedule.warm_up, 0, kMostSteps);
  require(schedule.decay_from >= 0.0 && schedule.decay_from <= 1.0, "--decay-from",
          "must be 0 to 1 but got {}", schedule.decay_from);
  require(std::isfinite(schedule.clip) && schedule.clip >= 0.0, "--clip",
          "must be a positive number, or 0 for none, but got {}", schedule.clip);
}

// The logits of as many sequences as are computed together.
void check_length(std::string_view option, Index length, Index computed, Index heads) {
  check_range(option, length, 1, kMostLength);
  require(heads <= kMostLogits / (computed * length * length), option,
          "{} heads on {} sequences of length {} have more than {} logits", heads, computed, length,
          kMostLogits);
}

// At step 0, every so many steps, and at the last.
void check_kept_rows(const Trial& trial) {
  check_range("--keep-rows", trial.keep_rows, 0, kMostSteps);
  if (trial.keep_rows == 0) return;
  const Index steps = trial.schedule.steps;
  const Index tables = 1 + (steps + trial.keep_rows - 1) / trial.keep_rows;
  const double bytes = (trial.precision == Precision::kFloat ? 4.0 : 8.0) *
                       static_cast<double>(trial.train_length * trial.model.dim) *
                       static_cast<double>(tables);
  require(bytes <= kMostKeptBytes, "--keep-rows",
          "{} tables of {} x {} would take {:.1f} GB but may take 1 GB; keep fewer", tables,
          trial.train_length, trial.model.dim, bytes / 1e9);
}

void check_lengths(const Trial& trial) {
  const Index heads = trial.model.heads;
  const Index batch = trial.schedule.batch;
  check_range("--train", trial.train_length, 1, kMostLength);
  require(batch <= kMostPositions / trial.train_length, "--batch",
          "{} sequences of --train {} have more than {} positions", batch, trial.train_length,
          kMostPositions);
  check_length("--train", trial.train_length, batch, heads);
  check_range("--test-sequences", trial.test_sequences, 1, kMostSequences);
  static_assert(kTestBatch <= kMostPositions / kMostLength);
  for (const Index length : trial.test_lengths) check_length("--test", length, 1, heads);
  check_kept_rows(trial);
  if (trial.attention_length != 0) check_length("--attention", trial.attention_length, 1, heads);
}

// A trial is a JSON file, where other bytes have no place.
void check_text(std::string_view option, const std::string& text) {
  require(is_utf8(text), option, "must be UTF-8 but is '{}'", escaped(text));
}

void check_word(std::string_view option, const std::string& word) {
  require(!word.empty(), option, "must not be empty");
  check_text(option, word);
}

void check_device(const std::string& device) {
  constexpr std::string_view kNumbered = "cuda:";
  const bool numbered = device.starts_with(kNumbered);
  const std::optional<Index> number =
      numbered ? parse_integer(std::string_view(device).substr(kNumbered.size())) : Index{0};
  require(device == "cpu" || device == "cuda" || (numbered && number && *number >= 0), "--device",
          "must be cpu, cuda or cuda:N but got '{}'", escaped(device));
}

void check_corpus(const TrialCorpus& corpus) {
  for (const std::string& input : corpus.inputs) check_word("FILE", input);
  check_text("--format", corpus.format);
  check_word("--tokens", corpus.tokenizer);
  check_text("--text-column", corpus.text_column);
  check_text("--label-column", corpus.label_column);
  require(corpus.limit >= 0, "--limit", "{} is negative", corpus.limit);
  require(corpus.vocabulary >= 0, "--vocabulary", "{} is negative", corpus.vocabulary);
}

}  // namespace

void validate(const Trial& trial) {
  check_word("TASK", trial.task);
  check_word("--encodings", trial.encoding);
  for (const std::string& spec : trial.learn) check_word("--learn", spec);
  check_device(trial.device);
  check_model(trial.model);
  check_schedule(trial.schedule);
  check_lengths(trial);
  check_corpus(trial.corpus);
  check_text("--weights", trial.weights);
  require(trial.weights.empty() || trial.frame == Frame::kBert, "--weights",
          "are read by names of BERT: they need --model bert-base");
}

void set_bert_base(Trial& trial) {
  trial.model = {.layers = 12,
                 .dim = 768,
                 .heads = 12,
                 .hidden = 3072,
                 .norm = NormPlace::kAfter,
                 .activation = Activation::kGelu,
                 .causal = false,
                 .norm_epsilon = 1e-12};
  trial.frame = Frame::kBert;
  trial.schedule = {.steps = 2000, .batch = 32, .rate = 2e-5, .warm_up = 200, .decay_from = 0.1};
  trial.train_length = 64;
}

std::string trial_key(const Trial& trial, KeyParts parts) {
  Json json = trial_json(trial);
  if (!parts.encoding) json.erase("encoding");
  if (!parts.seed) json.erase("seed");
  return to_line(json);
}

}  // namespace sextant
