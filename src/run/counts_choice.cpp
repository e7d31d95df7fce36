// SPDX-License-Identifier: Apache-2.0
#include "run/counts_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/check.h"
#include "base/memory.h"
#include "base/text.h"
#include "corpus/positional_counts.h"
#include "corpus/records.h"
#include "corpus/shard_plan.h"
#include "corpus/synthetic.h"
#include "corpus/wordnet.h"
#include "io/input_file.h"
#include "run/word_choice.h"

namespace sextant {
namespace {

constexpr Index kPositions = 64;
constexpr Index kSamplePositions = 10;  // most glosses of WordNet have so many words

constexpr LengthRule kLengthValues[] = {LengthRule::kAtLeast, LengthRule::kAny,
                                        LengthRule::kPadded};
constexpr Specials kSpecialsValues[] = {Specials::kNone, Specials::kBert};

LengthRule length_rule(const std::string& word) {
  return word.empty() ? kLengthValues[0] : kLengthValues[choice("--length", word, kLengthWords)];
}

Specials specials_rule(const std::string& word) {
  return word.empty() ? kSpecialsValues[0]
                      : kSpecialsValues[choice("--specials", word, kSpecialsWords)];
}

CountOptions count_options(const StudyChoice& choice, const StudyRun& run, bool sample) {
  CountOptions options;
  options.positions = choice.positions.value_or(sample ? kSamplePositions : kPositions);
  options.length = length_rule(choice.length);
  options.specials = specials_rule(choice.specials);
  options.windows = choice.windows;
  options.shuffles = choice.shuffles.value_or(options.shuffles);
  options.seed = run.seed.value_or(options.seed);
  return options;
}

struct Source {
  std::unique_ptr<RecordReader> reader;
  std::string built_in = {};  // its title; empty: files
};

// The synthetic corpus has as many tokens as positions are asked for.
Source synthetic_source(std::string_view text, const StudyChoice& choice) {
  SyntheticCorpus corpus = parse_synthetic(text);
  if (choice.positions && text.find("positions=") == std::string_view::npos)
    corpus.positions = *choice.positions;
  return {corpus.records(), fmt::format("the built-in corpus {}", text)};
}

// Options that say how a file is read do nothing for a corpus that is no file.
void refuse_file_options(const CorpusChoice& corpus) {
  refuse_given({{"--limit", corpus.limit.has_value()},
                {"--skip-bad", corpus.skip_bad.has_value()},
                {"--format", corpus.format != "auto"},
                {"--text-column", !corpus.text_column.empty()},
                {"--text-field", !corpus.text_field.empty()},
                {"--group-column", !corpus.group_column.empty()}},
               "for a built-in corpus");
}

Source built_in_source(const StudyChoice& choice) {
  refuse_file_options(choice.corpus);
  if (!choice.corpus.inputs.empty()) return synthetic_source(choice.corpus.inputs.front(), choice);
  if (wordnet_present()) return {open_wordnet(), "the glosses of WordNet 3.0"};
  return synthetic_source("synthetic:drift", choice);
}

Source open_source(const StudyChoice& choice, bool may_sample) {
  const std::vector<std::string>& inputs = choice.corpus.inputs;
  require(may_sample || !inputs.empty(), "CORPUS", "must be given; - is stdin");
  if (inputs.empty() || (inputs.size() == 1 && is_synthetic(inputs.front()))) {
    Source source = built_in_source(choice);
    source.reader = sharded_records(std::move(source.reader), choice.corpus.shard);
    return source;
  }
  if (is_synthetic(inputs.front())) refuse_file_options(choice.corpus);
  return {open_records(expand_inputs(inputs), record_options(choice.corpus))};
}

bool is_counts(const std::filesystem::path& path) {
  return path != "-" && (path.extension() == kCountsExtension || has_counts(path));
}

// An option that is given must say what the counts say.
template <typename Value>
void check_agrees(std::string_view option, const std::optional<Value>& asked,
                  const Value& counted) {
  require(!asked || *asked == counted, option, "is {} but the counts were made with {}",
          asked ? fmt::format("{}", *asked) : std::string(), counted);
}

void check_tokenizer(const CorpusChoice& choice, const PositionalCounts& counts) {
  if (choice.tokens.empty()) return;
  const std::unique_ptr<Tokenizer> asked = make_tokenizer(choice);
  require(asked->name() == counts.tokenizer, "--tokens",
          "is '{}' but the counts were made with '{}'", escaped(choice.tokens),
          escaped(counts.tokenizer));
  require(tokenizer_hash(*asked) == counts.tokenizer_hash, "--tokens",
          "'{}' has another vocabulary than the tokenizer '{}' of the counts",
          escaped(choice.tokens), escaped(counts.tokenizer));
}

void check_size(const std::vector<std::filesystem::path>& paths, std::uint64_t needed,
                std::optional<std::uint64_t> memory) {
  const std::optional<std::uint64_t> available = available_memory();
  if (!memory && !available) return;
  const std::uint64_t limit = memory.value_or(available.value_or(0) / 10 * 8);
  if (needed <= limit) return;
  fail(ErrorCode::kRefused, path_text(paths.front()),
       "{} files of counts need {:.2f} GB of memory but {:.2f} GB may be used", paths.size(),
       static_cast<double>(needed) * 1e-9, static_cast<double>(limit) * 1e-9);
}

}  // namespace

std::optional<CountsFile> count_choice(const StudyChoice& choice, const StudyRun& run,
                                       const CheckCounting& check) {
  const Source source = open_source(choice, run.may_sample);
  const CountOptions counting = count_options(choice, run, !source.built_in.empty());
  if (check) check(counting);
  const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer(choice.corpus);
  run.announce("reading");
  CountOutcome outcome = count_corpus(*source.reader, *tokenizer, counting,
                                      {.threads = run.threads,
                                       .progress = run.reading,
                                       .stop = run.stop,
                                       .memory = choice.memory,
                                       .folder = run.checkpoints,
                                       .resume = run.resume});
  for (const std::string& each : outcome.notes) run.note(each);
  if (outcome.stopped) return {};
  outcome.file.part.built_in = source.built_in;
  return std::move(outcome.file);
}

CountsFile uncounted_choice(const StudyChoice& choice, const StudyRun& run) {
  const Source source = open_source(choice, run.may_sample);
  CountsFile file = uncounted(*source.reader, *make_tokenizer(choice.corpus),
                              count_options(choice, run, !source.built_in.empty()));
  file.part.built_in = source.built_in;
  return file;
}

StudyCorpus open_corpus(const StudyChoice& choice, const StudyRun& run) {
  Source source = open_source(choice, run.may_sample);
  return {.reader = std::move(source.reader),
          .tokenizer = make_tokenizer(choice.corpus),
          .counting = count_options(choice, run, !source.built_in.empty()),
          .options = {}};
}

bool are_counts(const std::vector<std::string>& inputs) {
  if (inputs.empty() || is_synthetic(inputs.front())) return false;
  const std::vector<std::filesystem::path> paths = expand_inputs(inputs);
  const auto counts = std::ranges::find_if(paths, is_counts);
  if (counts == paths.end()) return false;
  const auto text = std::ranges::find_if_not(paths, is_counts);
  require(text == paths.end(), "CORPUS", "'{}' holds counts and '{}' does not; give one kind",
          path_text(*counts), text == paths.end() ? std::string() : path_text(*text));
  return true;
}

void check_counts_options(const CorpusChoice& corpus) {
  refuse_given({{"--limit", corpus.limit.has_value()},
                {"--skip-bad", corpus.skip_bad.has_value()},
                {"--format", corpus.format != "auto"},
                {"--text-column", !corpus.text_column.empty()},
                {"--text-field", !corpus.text_field.empty()},
                {"--group-column", !corpus.group_column.empty()},
                {"--invalid", corpus.invalid != "error"}},
               "beside files of counts: it was given when they were made");
}

void check_agreement(const StudyChoice& choice, const StudyRun& run,
                     const PositionalCounts& counts) {
  const CountOptions& options = counts.options;
  const auto word = [](const std::string& text) {
    return text.empty() ? std::optional<std::string>() : text;
  };
  if (!choice.length.empty()) length_rule(choice.length);
  if (!choice.specials.empty()) specials_rule(choice.specials);
  check_agrees("--positions", choice.positions, options.positions);
  check_agrees("--shuffles", choice.shuffles, options.shuffles);
  check_agrees("--seed", run.seed, options.seed);
  check_agrees("--length", word(choice.length), std::string(name(options.length)));
  check_agrees("--specials", word(choice.specials),
               kSpecialsWords[static_cast<std::size_t>(options.specials)]);
  require(!choice.windows || options.windows, "--windows",
          "is given but the counts were made without it");
  check_tokenizer(choice.corpus, counts);
}

CountsFile given_counts(const StudyChoice& choice, const StudyRun& run,
                        const CheckCounting& check) {
  const CorpusChoice& corpus = choice.corpus;
  check_counts_options(corpus);
  run.announce("reading counts");
  CountsFile file = merged_counts(
      expand_inputs(corpus.inputs), choice.memory,
      [&run](const ReadProgress& read) { run.reading({.read = read}); }, run.ranks->size() > 1);
  check_agreement(choice, run, file.counts);
  check(file.counts.options);
  return file;
}

CountsFile merged_counts(const std::vector<std::filesystem::path>& paths,
                         std::optional<std::uint64_t> memory,
                         const std::function<void(const ReadProgress&)>& progress, bool passed_on) {
  require(!paths.empty(), "FILE", "must be given, such as part.*{}", kCountsExtension);
  ReadProgress read;
  for (const std::filesystem::path& path : paths) read.bytes_total += InputFile(path).size();
  // Both summands and their sum, or the sum and its bytes; one file takes what it has.
  const bool twice = paths.size() > 1 || passed_on;
  check_size(paths, twice ? 2 * read.bytes_total : read.bytes_total, memory);
  CountsSum sum;
  for (const std::filesystem::path& path : paths) {
    const std::uint64_t size = InputFile(path).size();
    sum.add(read_counts(path), path_text(path));
    read.bytes_read += size;
    progress(read);
  }
  return sum.take();
}

}  // namespace sextant
