// SPDX-License-Identifier: Apache-2.0
// A study in the words of a user, from the command line or from Python, and the way from them to
// its results. Errors name the options of the command line.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/counter.h"
#include "run/study.h"

namespace sextant {

struct CorpusChoice {
  std::vector<std::string> inputs;
  std::string format = "auto", invalid = "error";
  std::string tokens;  // empty: words
  std::string text_column, text_field, group_column;
  std::optional<Index> limit, skip_bad;
  Shard shard;
};

struct StudyChoice {
  CorpusChoice corpus;
  std::string length, specials;  // empty: at-least, none
  std::string metric = "hellinger";
  std::string encodings, distributions, title;
  std::optional<Index> positions, dim, heads, train, splits, shuffles;
  std::optional<std::uint64_t> memory;
  bool windows = false, no_intervals = false;
  // A plan in place of results: for so many ranks, and for so many bytes of such files.
  bool plan = false;
  std::optional<Index> ranks;
  std::optional<std::uint64_t> bytes;
};

// What the words may be.
inline const std::vector<std::string> kFormatWords = {"auto", "text", "tsv", "csv", "jsonl"};
inline const std::vector<std::string> kInvalidWords = {"error", "replace", "bytes"};
inline const std::vector<std::string> kLengthWords = {"at-least", "any", "padded"};
inline const std::vector<std::string> kSpecialsWords = {"none", "bert"};
inline const std::vector<std::string> kMetricWords = {"hellinger", "fisher-rao", "jensen-shannon",
                                                      "total-variation"};
// Throws kUsage where two of the options contradict each other.
RecordOptions record_options(const CorpusChoice& choice);
std::unique_ptr<Tokenizer> make_tokenizer(const CorpusChoice& choice);

// "rope(base=5e5),alibi" -> the specs: commas inside brackets and quotes do not separate.
std::vector<std::string> split_specs(std::string_view text,
                                     std::string_view option = "--encodings");

// How a study is run; nothing here but `seed` changes what comes out.
struct StudyRun {
  Index threads = 1;
  std::optional<std::uint64_t> seed = {};  // nothing: that of the counts, or 1
  bool scores = false;                     // also candidates and scores
  bool may_sample = false;                 // without an input: the built-in sample
  Communicator* ranks = &alone();          // share the work; each has the whole study afterwards
  const std::atomic<bool>* stop = nullptr;
  std::filesystem::path checkpoints = {};  // of the counting; empty: none
  bool resume = false;
  std::function<void(const CountProgress&)> reading = [](const CountProgress&) {};
  Announce announce = [](std::string_view) {};
  std::function<void(const std::string&)> note = [](const std::string&) {};
  std::function<void()> counted = [] {};  // from here on there is nothing to save
};

// Throws kUsage for the first option that is given although it does nothing here.
void refuse_given(std::initializer_list<std::pair<const char*, bool>> options,
                  std::string_view where);

// Reads and counts the corpus, or takes counts from files (run/counts_choice.h), and makes its
// geometry. Nothing when `stop` ended it: what was counted is in the checkpoint. Throws as the
// readers do.
std::optional<Study> make_study(const StudyChoice& choice, const StudyRun& run);

// What a study would read, and how it would count it.
struct StudyCorpus {
  std::unique_ptr<RecordReader> reader;
  std::unique_ptr<Tokenizer> tokenizer;
  CountOptions counting;
  StudyOptions options;
};
// Throws as make_study() before it reads.
StudyCorpus open_study(const StudyChoice& choice, const StudyRun& run);

// Dimensions of a fit that the data support, at least 1.
Index supported_rank(const Target& target);

}  // namespace sextant
