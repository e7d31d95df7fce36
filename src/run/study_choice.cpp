// SPDX-License-Identifier: Apache-2.0
#include "run/study_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "corpus/records.h"
#include "corpus/synthetic.h"
#include "corpus/wordnet.h"
#include "io/npy.h"
#include "run/limits.h"
#include "run/word_choice.h"

namespace sextant {
namespace {

constexpr Index kPositions = 64;
constexpr Index kSamplePositions = 10;  // most glosses of WordNet have so many words

constexpr RecordFormat kFormatValues[] = {RecordFormat::kAuto, RecordFormat::kText,
                                          RecordFormat::kTsv, RecordFormat::kCsv,
                                          RecordFormat::kJsonl};
constexpr InvalidBytes kInvalidValues[] = {InvalidBytes::kError, InvalidBytes::kReplace,
                                           InvalidBytes::kBytes};
constexpr LengthRule kLengthValues[] = {LengthRule::kAtLeast, LengthRule::kAny,
                                        LengthRule::kPadded};

void check_sizes(const StudyChoice& choice) {
  require_range("--positions", choice.positions, 1, kMostPositions);
  require_range("--train", choice.train, 1, kMostPositions);
  require_range("--shuffles", choice.shuffles, 0, kMostShuffles);
  require_range("--splits", choice.splits, 1, kMostSplits);
  require_range("--dim", choice.dim, 1, kMostDim);
  require_range("--heads", choice.heads, 1, kMostHeads);
  require_range("--limit", choice.corpus.limit, 1, kLargest);
  require_range("--skip-bad", choice.corpus.skip_bad, 0, kLargest);
}

StudyOptions study_options(const StudyChoice& choice, const StudyRun& run) {
  StudyOptions options;
  options.dim = choice.dim.value_or(options.dim);
  options.heads = choice.heads.value_or(options.heads);
  options.train = choice.train;
  options.metric = kMetrics[sextant::choice("--metric", choice.metric, kMetricWords)];
  options.splits = choice.splits.value_or(options.splits);
  options.intervals = !choice.no_intervals;
  options.seed = run.seed;
  if (!choice.encodings.empty()) options.encodings = split_specs(choice.encodings);
  for (const std::string& spec : options.encodings)
    for (const EncodingSpec::Term& term : EncodingSpec::parse(spec).terms)
      encodings().info(term.name);  // a wrong name is told before the corpus is read
  return options;
}

CountOptions count_options(const StudyChoice& choice, const StudyRun& run, bool sample) {
  CountOptions options;
  options.positions = choice.positions.value_or(sample ? kSamplePositions : kPositions);
  options.length = kLengthValues[sextant::choice("--length", choice.length, kLengthWords)];
  options.specials = sextant::choice("--specials", choice.specials, kSpecialsWords) == 1
                         ? Specials::kBert
                         : Specials::kNone;
  options.windows = choice.windows;
  options.shuffles = choice.shuffles.value_or(options.shuffles);
  options.seed = run.seed;
  return options;
}

struct Source {
  std::unique_ptr<RecordReader> reader;
  std::string title;
  bool sample = false;
};

// The synthetic corpus has as many tokens as positions are asked for.
Source synthetic_source(std::string_view text, const StudyChoice& choice) {
  SyntheticCorpus corpus = parse_synthetic(text);
  if (choice.positions && text.find("positions=") == std::string_view::npos)
    corpus.positions = *choice.positions;
  return {corpus.records(), fmt::format("the built-in corpus {}", text), true};
}

// Throws kUsage for the first option that is given although it does nothing here.
void refuse_given(std::initializer_list<std::pair<const char*, bool>> options,
                  std::string_view where) {
  for (const auto& [option, is_given] : options)
    require(!is_given, option, "does nothing {}", where);
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

Source open_source(const StudyChoice& choice, bool may_sample) {
  const std::vector<std::string>& inputs = choice.corpus.inputs;
  require(may_sample || !inputs.empty(), "CORPUS", "must be given; - is stdin");
  if (inputs.empty() || is_synthetic(inputs.front())) refuse_file_options(choice.corpus);
  if (inputs.empty()) {
    if (wordnet_present()) return {open_wordnet(), "the glosses of WordNet 3.0", true};
    return synthetic_source("synthetic:drift", choice);
  }
  if (inputs.size() == 1 && is_synthetic(inputs.front()))
    return synthetic_source(inputs.front(), choice);
  return {open_records(expand_inputs(inputs), record_options(choice.corpus)), "", false};
}

bool count(Source& source, const StudyChoice& choice, const CountOptions& counting,
           const StudyRun& run, Study& study) {
  const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer(choice.corpus.tokens);
  run.announce("reading");
  CountOutcome outcome = count_corpus(*source.reader, *tokenizer, counting,
                                      {.threads = run.threads,
                                       .progress = run.reading,
                                       .stop = run.stop,
                                       .memory = choice.memory,
                                       .folder = run.checkpoints,
                                       .resume = run.resume});
  study.counts = std::move(outcome.counts);
  study.notes = tokenizer->notes();
  for (const std::string& each : source.reader->notes()) study.notes.push_back(each);
  for (const std::string& each : outcome.notes) run.note(each);
  return !outcome.stopped;
}

std::optional<double> memory_limit(const StudyChoice& choice) {
  if (!choice.memory) return {};
  return static_cast<double>(*choice.memory);
}

Study study_of_distributions(const StudyChoice& choice, const StudyRun& run) {
  require(choice.corpus.inputs.empty(), "--distributions", "stands for a corpus: give one of them");
  refuse_given({{"--positions", choice.positions.has_value()},
                {"--splits", choice.splits.has_value()},
                {"--shuffles", choice.shuffles.has_value()},
                {"--limit", choice.corpus.limit.has_value()},
                {"--tokens", choice.corpus.tokens != "words"},
                {"--length", choice.length != "at-least"},
                {"--windows", choice.windows}},
               "beside --distributions");
  NpyArray array = read_npy(choice.distributions);
  if (array.shape.size() != 2) {
    fail(ErrorCode::kMalformed, path_text(choice.distributions),
         "distributions must have the shape [positions, types]");
  }
  Matrix laws(array.shape[0], array.shape[1]);
  std::ranges::copy(array.values, laws.values().begin());
  Study study;
  study.options = study_options(choice, run);
  study.title = "given distributions";
  study.counts.options.positions = laws.rows();
  study.counts.options.shuffles = 0;
  study.counts.vocabulary = laws.cols();
  check_memory(laws.rows(), study.options, 0, run.threads, memory_limit(choice));
  study.target =
      target_of_distributions(laws, {.metric = study.options.metric, .threads = run.threads});
  return study;
}

}  // namespace

RecordOptions record_options(const CorpusChoice& choice) {
  require(!choice.inputs.empty(), "FILE", "must be given; - is stdin");
  RecordOptions options;
  options.format = kFormatValues[sextant::choice("--format", choice.format, kFormatWords)];
  options.invalid = kInvalidValues[sextant::choice("--invalid", choice.invalid, kInvalidWords)];
  require(options.invalid != InvalidBytes::kBytes || choice.tokens == "bytes", "--invalid",
          "bytes needs --tokens bytes: other tokenizers read UTF-8");
  options.text_column = choice.text_column;
  if (!choice.text_field.empty()) options.text_field = choice.text_field;
  options.group_column = choice.group_column;
  options.limit = choice.limit;
  options.skip_bad = choice.skip_bad.value_or(0);
  return options;
}

std::vector<std::string> split_specs(std::string_view text) {
  std::vector<std::string> specs(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted) depth += (c == '(') - (c == ')');
    if (c == ',' && depth == 0 && !quoted)
      specs.emplace_back();
    else
      specs.back() += c;
  }
  for (const std::string& spec : specs)
    require(!spec.empty(), "--encodings", "has an empty spec: '{}'", escaped(text));
  return specs;
}

std::optional<Study> make_study(const StudyChoice& choice, const StudyRun& run) {
  check_sizes(choice);
  if (!choice.distributions.empty()) {
    Study study = study_of_distributions(choice, run);
    if (run.scores) make_score(study, run.threads, run.announce);
    return study;
  }
  Study study;
  study.options = study_options(choice, run);
  study.limit = choice.corpus.limit;
  Source source = open_source(choice, run.may_sample);
  study.sample = source.sample;
  const CountOptions counting = count_options(choice, run, source.sample);
  check_memory(counting.positions, study.options, counting.shuffles, run.threads,
               memory_limit(choice));
  if (!count(source, choice, counting, run, study)) return {};
  study.title = !choice.title.empty() ? choice.title
                : !source.title.empty()
                    ? source.title
                    : fmt::format("a corpus of {} sequences", study.counts.sequences);
  run.counted();
  const auto stopped = [&run] { return run.stop != nullptr && run.stop->load(); };
  make_geometry(study, run.threads, run.announce);
  if (stopped()) return {};
  if (run.scores) make_score(study, run.threads, run.announce);
  if (stopped()) return {};
  return study;
}

Index supported_rank(const Target& target) {
  const Index most = std::max<Index>(1, target.plain.size() - 1);
  return std::clamp<Index>(target.rank_supported.value_or(1), 1, most);
}

}  // namespace sextant
