// SPDX-License-Identifier: Apache-2.0
// What a transformer is trained on. A task is facts about itself and functions that make batches;
// it knows nothing of models, encodings or the framework that trains.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/matrix.h"
#include "sextant/registry.h"

namespace sextant {

// Sequences of one length with their targets, row by row.
struct Batch {
  Index sequences = 0;
  Index length = 0;
  // Inputs, [sequences, length]: one of the two, as the task's shape says.
  std::vector<std::int32_t> tokens = {};
  std::vector<double> values = {};
  // [sequences, length]: 0 where a position is padding, which no query may see; empty: none is.
  std::vector<std::uint8_t> present = {};
  // Targets, [sequences, length] or [sequences]: one of the two, as the task's shape says.
  std::vector<std::int32_t> classes = {};  // kNoTarget: does not count
  std::vector<double> numbers = {};        // NaN: does not count
};
inline constexpr std::int32_t kNoTarget = -1;

// Test data come in batches of this size, whatever the model, so that trials of one seed are tested
// on the same sequences.
inline constexpr Index kTestBatch = 50;

enum class Loss {
  kSquare,        // mean squared error
  kCrossEntropy,  // natural logarithms; accuracy beside it
};
enum class Readout {
  kEveryPosition,  // one output per position
  kLast,           // one per sequence, from its last position
  kMean,           // one per sequence, from the mean over its positions: symmetric
  kFirst,          // one per sequence, from its first position: [CLS]
};

// What a model must offer. `vocabulary` 0: inputs are numbers, each multiplied by a learned vector.
struct TaskShape {
  Index vocabulary = 0;
  Index outputs = 1;  // classes; 1 for numbers
  Loss loss = Loss::kSquare;
  Readout readout = Readout::kEveryPosition;
};

// What a predictor reaches that does not learn, in the task's loss or, where `of_accuracy`, as a
// share of right answers. Exact, unless `how` says how it was estimated. A model that learned
// nothing more may miss a value that has a `caution`: it is shown with it, and nothing is judged by
// it.
struct Baseline {
  std::string name;  // "best constant", "position only", "best equivariant", "chance"
  double value = 0.0;
  bool of_accuracy = false;
  std::string how = {};
  std::string caution = {};  // "too low by about 0.25"
};

// Token sequences of a corpus in memory, for tasks on text.
struct TokenCorpus {
  std::vector<std::int32_t> tokens = {};  // sequences one after the other
  std::vector<std::size_t> starts = {};   // of each sequence, and the end of the last: size + 1
  std::vector<std::int32_t> labels = {};  // of each sequence; empty: there are none
  std::vector<std::string> label_names = {};
  Index vocabulary = 0;                     // ids are below it
  std::int32_t mask = 0, pad = 0, cls = 0;  // ids that no text has
  std::string hash = {};                    // of the records read, as provenance prints it
  std::string source = {};                  // the inputs, for messages
  std::size_t size() const { return starts.empty() ? 0 : starts.size() - 1; }
};

// Everything the help text, the tables and the tests need to know. No code.
struct TaskInfo {
  std::string_view name = {};       // as typed on the command line; [a-z0-9_]+
  std::string_view title = {};      // as printed above a plot
  std::string_view reference = {};  // where it comes from
  std::string_view notes = {};      // what it shows, in a sentence or two
  std::span<const ParamInfo> params = {};
  bool needs_corpus = false;
  bool needs_labels = false;
  bool causal = false;     // the mask it is meant for; a trial may choose otherwise
  bool any_length = true;  // false: only the training length has a meaning
  std::span<const std::string_view> examples = {};  // specs worth showing; the laws run on them too
};

class Task {
 public:
  virtual ~Task() = default;
  virtual const TaskInfo& info() const = 0;
  virtual TaskShape shape() const = 0;

  // The batch of this number: a pure function of its arguments, so that a resumed run sees the same
  // data. Training and test data come from different seeds. Throws kUsage for a length that the
  // task does not have.
  virtual Batch sample(std::uint64_t seed, std::uint64_t number, Index sequences,
                       Index length) const = 0;

  // What needs no learning, at this length. At least one.
  virtual std::vector<Baseline> baselines(Index length) const = 0;

  // How many sequences a test has where `asked` are asked for: fewer where the task has no more
  // than these.
  virtual Index test_sequences(Index asked) const { return asked; }

  // The k-th batch of a test of `sequences` in all: kTestBatch of them, or what is left. A task on
  // a finite set takes each of its sequences at most once, in an order of the seed, so that a test
  // of all of them is on the data of the baselines. REQUIRES: 0 <= k * kTestBatch < sequences <=
  // test_sequences(sequences).
  virtual Batch test_batch(std::uint64_t seed, Index k, Index sequences, Index length) const;

  // The canonical text: parameters at their default are left out.
  const std::string& spec() const { return spec_; }

 private:
  friend class TaskRegistry;
  std::string spec_;
};

class TaskRegistry {
 public:
  using Maker = std::unique_ptr<Task> (*)(const Params&, std::shared_ptr<const TokenCorpus>);

  template <typename T>
  void add(const TaskInfo& info) {
    entries_.emplace(info.name,
                     Entry{&info,
                           [](const Params& params,
                              std::shared_ptr<const TokenCorpus> corpus) -> std::unique_ptr<Task> {
                             return std::make_unique<T>(params, std::move(corpus));
                           }});
  }

  std::vector<std::string> names() const;

  // Throws kUsage with the nearest name when there is none of this name.
  const TaskInfo& info(std::string_view name) const;

  // "running_sum(target=mean)". Throws kUsage for an unknown name, key or value, and where the task
  // needs a corpus or labels that are not given.
  std::unique_ptr<Task> make(std::string_view spec,
                             std::shared_ptr<const TokenCorpus> corpus = nullptr) const;

 private:
  struct Entry {
    const TaskInfo* info;
    Maker make;
  };
  const Entry& entry(std::string_view name, std::string_view where) const;

  std::map<std::string, Entry, std::less<>> entries_;
};

// All tasks of the library.
const TaskRegistry& tasks();

}  // namespace sextant
