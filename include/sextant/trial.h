// SPDX-License-Identifier: Apache-2.0
// One training run: what is trained, on what, how long; and what came out. Plain values that
// survive a file, so that one program plans and counts while another, with a training framework,
// computes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sextant/matrix.h"
#include "sextant/transformer.h"

namespace sextant {

// Adam (.9, .999) on the mean loss of a batch; the rate rises linearly, is constant, and falls as a
// half cosine to 0.
struct Schedule {
  Index steps = 800;
  Index batch = 10;
  double rate = 1e-3;
  Index warm_up = 50;
  double decay_from = 0.5;  // share of the steps after which the rate falls
  double clip = 1.0;        // of the gradient's norm; 0: not clipped
};

enum class Precision { kFloat, kDouble };

// What stands before the layers and behind them.
enum class Frame {
  kPlain,  // the embedding of a token; a linear map of what is read
  kBert,   // that of its type is added, and a norm follows; a tanh layer before the read-out of the
           // first position, and tokens are told by a layer and the transposed embedding
};

// Text to train on, where the task asks for it: as `sextant tokenize` would read it.
struct TrialCorpus {
  std::vector<std::string> inputs = {};
  std::string format = {};  // empty: by the name
  std::string tokenizer = "words";
  std::string text_column = {}, label_column = {};
  Index limit = 0;       // sequences at most; 0: all
  Index vocabulary = 0;  // of the tokenizer "words": the most frequent ones; 0: all
};

struct Trial {
  std::string task = "running_sum";
  std::string encoding = "none";
  // Of the data, of the weights, of the first numbers of the encoding and of the test data, by
  // separate streams.
  std::uint64_t seed = 1;
  TransformerShape model = {.layers = 2,
                            .dim = 64,
                            .heads = 1,
                            .hidden = 128,
                            .norm = NormPlace::kAfter,
                            .activation = Activation::kRelu,
                            .causal = false};
  Schedule schedule = {};
  Index train_length = 50;
  std::vector<Index> test_lengths = {50, 100, 200};
  Index test_sequences = 500;           // of each length
  std::vector<std::string> learn = {};  // encodings trained although they have values
  Precision precision = Precision::kFloat;
  std::string device = "cpu";
  TrialCorpus corpus = {};
  // Every so many steps, and at 0 and at the end, the rows of the input table are kept; 0: never.
  // At most 1 GB of them.
  Index keep_rows = 0;
  Index attention_length = 0;  // attention maps of the first test sequence of this length; 0: none
  Frame frame = Frame::kPlain;
  // First weights by their Hugging Face names, for Frame::kBert: FILE.safetensors, or a folder with
  // model.safetensors. Empty: drawn.
  std::string weights = {};
};

// 12 layers of width 768 with 12 heads and 3072 hidden units, GELU, norms after the parts; and a
// schedule for weights that are trained already.
void set_bert_base(Trial& trial);

// Throws kUsage for what no trial can be: no steps, a width that heads do not divide, lengths below
// 1 or above a million, sizes whose products no computer holds, text that is not UTF-8. Messages
// name the option of the command line. Specs are not looked at.
void validate(const Trial& trial);

// What a trained model does on test data of one length.
struct Evaluation {
  Index length = 0;
  double loss = 0.0;
  std::optional<double> accuracy = {};  // of classes
  Vector loss_by_position = {};         // where every position has a target; else empty
};

struct CurvePoint {
  Index step = 0;
  double loss = 0.0;
};

enum class TrialEnd {
  kFinished,
  // `fault` names the step and the tensor. Of a model that was finite to its last step, the test
  // lengths that were finite too are evaluated.
  kNotFinite,
};

struct TrialResult {
  Trial trial = {};
  TrialEnd end = TrialEnd::kFinished;
  std::string fault = {};
  std::vector<CurvePoint> curve = {};  // training loss, at most 200 points, means between them
  std::vector<Evaluation> evaluations = {};
  Index parameters = 0;  // trained numbers
  double steps_per_second = 0.0;
  double seconds = 0.0;
  std::string corpus_hash = {};         // empty: no corpus
  std::string files_hash = {};          // of the files that the trial names; empty: none
  std::string framework = {};           // "libtorch 1.13.1"
  std::string folder = {};              // where its files are: learned values, kept rows, attention
  std::vector<std::string> notes = {};  // what a user should know, a sentence each
};

// Identity of a trial: all of it as one line of JSON, or without the parts that may differ. Runs of
// one set-up agree without their seeds, runs to be paired without their encodings. Specs are
// compared as text: use canonical ones.
struct KeyParts {
  bool encoding = true, seed = true;
};
std::string trial_key(const Trial& trial, KeyParts parts = {});

}  // namespace sextant
