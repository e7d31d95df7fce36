// SPDX-License-Identifier: Apache-2.0
// The label of a text.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "sextant/task.h"
#include "training/draws.h"
#include "training/seeded_order.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    word_param("readout", "mean", "mean|first",
               "mean: over all positions, blind to their order; first: from [CLS], which stands "
               "before the text and takes one position"),
};
constexpr std::string_view kExamples[] = {"classify(readout=first)"};
constexpr TaskInfo kInfo = {
    .name = "classify",
    .title = "Labels of texts",
    .reference = "Socher et al.: SST, EMNLP 2013; Maas et al.: IMDB, ACL 2011",
    .notes =
        "Texts are cut to the length, or padded to it. Much of sentiment is in the words and "
        "not in their order: a model without positions is the one to compare with.",
    .params = kParams,
    .needs_corpus = true,
    .needs_labels = true,
    .examples = kExamples,
};

class Classify final : public Task {
 public:
  Classify(const Params& params, std::shared_ptr<const TokenCorpus> corpus)
      : corpus_(std::move(corpus)), first_(params.word("readout") == "first") {
    const std::vector<std::string>& names = corpus_->label_names;
    require(
        names.size() >= 2, corpus_->source,
        "all {} texts have one label; expected two or more (files may be sorted by label, and a "
        "limit reads their beginning)",
        corpus_->size());
  }

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override {
    return {.vocabulary = corpus_->vocabulary,
            .outputs = classes(),
            .loss = Loss::kCrossEntropy,
            .readout = first_ ? Readout::kFirst : Readout::kMean};
  }

  Batch sample(std::uint64_t seed, std::uint64_t number, Index sequences,
               Index length) const override {
    return texts(sequences, length, [&](Index i) {
      return Draws(seed, number, i).below(std::ssize(corpus_->labels));
    });
  }

  Index test_sequences(Index asked) const override {
    return std::min(asked, std::ssize(corpus_->labels));
  }

  Batch test_batch(std::uint64_t seed, Index k, Index sequences, Index length) const override {
    const Index first = k * kTestBatch;
    return texts(std::min(kTestBatch, sequences - first), length,
                 [&](Index i) { return at_place(seed, first + i, std::ssize(corpus_->labels)); });
  }

  std::vector<Baseline> baselines(Index) const override {
    std::vector<double> shares(corpus_->label_names.size());
    for (const std::int32_t label : corpus_->labels) shares[static_cast<std::size_t>(label)] += 1.0;
    for (double& share : shares) share /= static_cast<double>(corpus_->size());
    double entropy = 0.0;
    for (const double share : shares)
      if (share > 0.0) entropy -= share * std::log(share);
    const auto outputs = static_cast<double>(classes());
    const std::string own = "counted on each text once";
    return {{.name = "best constant", .value = entropy, .how = own},
            {.name = "best constant",
             .value = *std::ranges::max_element(shares),
             .of_accuracy = true,
             .how = own},
            {.name = "chance", .value = std::log(outputs)},
            {.name = "chance", .value = 1.0 / outputs, .of_accuracy = true}};
  }

 private:
  Index classes() const { return std::ssize(corpus_->label_names); }

  // Text text_of(i) as sequence i.
  template <typename TextOf>
  Batch texts(Index sequences, Index length, const TextOf& text_of) const {
    require(length >= (first_ ? 2 : 1), "classify", "length {} leaves no room for text", length);
    Batch batch{.sequences = sequences, .length = length};
    const auto width = static_cast<std::size_t>(length);
    batch.tokens.reserve(static_cast<std::size_t>(sequences) * width);
    batch.present.reserve(static_cast<std::size_t>(sequences) * width);
    batch.classes.reserve(static_cast<std::size_t>(sequences));
    for (Index i = 0; i < sequences; ++i)
      append_text(static_cast<std::size_t>(text_of(i)), width, batch);
    if (std::ranges::find(batch.present, 0) == batch.present.end()) batch.present.clear();
    return batch;
  }

  void append_text(std::size_t text, std::size_t width, Batch& batch) const {
    const std::size_t row = batch.tokens.size(), start = corpus_->starts[text];
    if (first_) batch.tokens.push_back(corpus_->cls);
    const std::size_t room = width - (first_ ? 1 : 0);
    const auto tokens = std::span(corpus_->tokens)
                            .subspan(start, std::min(room, corpus_->starts[text + 1] - start));
    batch.tokens.insert(batch.tokens.end(), tokens.begin(), tokens.end());
    batch.present.resize(batch.tokens.size(), 1);
    batch.tokens.resize(row + width, corpus_->pad);
    batch.present.resize(row + width, 0);
    batch.classes.push_back(corpus_->labels[text]);
  }

  std::shared_ptr<const TokenCorpus> corpus_;
  bool first_;
};

}  // namespace

void register_classify(TaskRegistry& registry) { registry.add<Classify>(kInfo); }

}  // namespace sextant
