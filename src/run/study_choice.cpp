// SPDX-License-Identifier: Apache-2.0
#include "run/study_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "corpus/records.h"
#include "io/npy.h"
#include "run/limits.h"
#include "run/shared_counts.h"
#include "run/word_choice.h"

namespace sextant {
namespace {

constexpr RecordFormat kFormatValues[] = {RecordFormat::kAuto, RecordFormat::kText,
                                          RecordFormat::kTsv, RecordFormat::kCsv,
                                          RecordFormat::kJsonl};
constexpr InvalidBytes kInvalidValues[] = {InvalidBytes::kError, InvalidBytes::kReplace,
                                           InvalidBytes::kBytes};

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
  options.seed = run.seed.value_or(options.seed);
  if (!choice.encodings.empty()) options.encodings = split_specs(choice.encodings);
  for (const std::string& spec : options.encodings)
    for (const EncodingSpec::Term& term : EncodingSpec::parse(spec).terms)
      encodings().info(term.name);  // a wrong name is told before the corpus is read
  return options;
}

// On one rank, hence on all.
bool is_stopped(const StudyRun& run) {
  return any_of(*run.ranks, run.stop != nullptr && run.stop->load());
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
                {"--tokens", !choice.corpus.tokens.empty()},
                {"--length", !choice.length.empty()},
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
  check_memory(laws.rows(), study.options, 0, run.threads, memory_limit(choice), *run.ranks);
  study.target = target_of_distributions(
      laws, {.metric = study.options.metric, .threads = run.threads, .ranks = run.ranks});
  return study;
}

}  // namespace

void take_counts(Study& study, CountsFile file, const std::string& title) {
  check_complete(file, "corpus");
  study.counts = std::move(file.counts);
  study.options.seed = study.counts.options.seed;
  study.limit = file.part.limit;
  study.sample = !file.part.built_in.empty();
  study.title = !title.empty() ? title
                : study.sample ? file.part.built_in
                               : fmt::format("a corpus of {} sequences", study.counts.sequences);
  study.notes = std::move(file.notes);
  for (const std::string& each : file.log.notes()) study.notes.push_back(each);
}

void refuse_given(std::initializer_list<std::pair<const char*, bool>> options,
                  std::string_view where) {
  for (const auto& [option, is_given] : options)
    require(!is_given, option, "does nothing {}", where);
}

std::unique_ptr<Tokenizer> make_tokenizer(const CorpusChoice& choice) {
  return make_tokenizer(choice.tokens.empty() ? "words" : choice.tokens);
}

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
  options.shard = choice.shard;
  return options;
}

std::vector<std::string> split_specs(std::string_view text, std::string_view option) {
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
    require(!spec.empty(), option, "has an empty spec: '{}'", escaped(text));
  return specs;
}

std::optional<Study> make_study(const StudyChoice& choice, const StudyRun& run) {
  check_sizes(choice);
  if (!choice.distributions.empty()) {
    Study study = study_of_distributions(choice, run);
    if (run.scores) make_score(study, run.threads, run.announce, *run.ranks);
    return study;
  }
  Study study;
  study.options = study_options(choice, run);
  const auto fits = [&](const CountOptions& counting) {
    check_memory(counting.positions, study.options, counting.shuffles, run.threads,
                 memory_limit(choice), *run.ranks);
  };
  std::optional<CountsFile> file = are_counts(choice.corpus.inputs)
                                       ? given_counts_by_ranks(choice, run, fits)
                                       : count_by_ranks(choice, run, fits);
  if (!file) return {};
  take_counts(study, std::move(*file), choice.title);
  run.counted();
  check_memory_of_cells(study.counts, memory_limit(choice), *run.ranks);
  make_geometry(study, run.threads, run.announce, *run.ranks);
  if (is_stopped(run)) return {};
  if (run.scores) make_score(study, run.threads, run.announce, *run.ranks);
  if (is_stopped(run)) return {};
  return study;
}

StudyCorpus open_study(const StudyChoice& choice, const StudyRun& run) {
  check_sizes(choice);
  require(choice.distributions.empty(), "--distributions", "are no corpus to be read");
  require(!are_counts(choice.corpus.inputs), "FILE", "is counted already: a plan samples texts");
  StudyCorpus corpus = open_corpus(choice, run);
  corpus.options = study_options(choice, run);
  return corpus;
}

Index supported_rank(const Target& target) {
  const Index most = std::max<Index>(1, target.plain.size() - 1);
  return std::clamp<Index>(target.rank_supported.value_or(1), 1, most);
}

}  // namespace sextant
