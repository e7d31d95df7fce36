// SPDX-License-Identifier: Apache-2.0
#include "cli/study_options.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "cli/encoding_text.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "corpus/counter.h"
#include "corpus/records.h"
#include "corpus/synthetic.h"
#include "corpus/wordnet.h"
#include "io/npy.h"

namespace sextant::cli {
namespace {

constexpr Index kPositions = 64;
constexpr Index kSamplePositions = 10;  // most glosses of WordNet have so many words
constexpr Index kMostPositions = Index{1} << 20;
constexpr Index kMostSplits = 10000;
constexpr Index kMostShuffles = 255;

const std::vector<std::string> kLengths = {"at-least", "any", "padded"};
constexpr LengthRule kLengthValues[] = {LengthRule::kAtLeast, LengthRule::kAny,
                                        LengthRule::kPadded};
const std::vector<std::string> kSpecials = {"none", "bert"};
const std::vector<std::string> kMetricNames = {"hellinger", "fisher-rao", "jensen-shannon",
                                               "total-variation"};

StudyOptions study_options(const StudyChoice& choice, const Globals& globals) {
  StudyOptions options;
  options.dim = choice.dim.value_or(options.dim);
  options.heads = choice.heads.value_or(options.heads);
  options.train = choice.train;
  options.metric = kMetrics[sextant::cli::choice("--metric", choice.metric, kMetricNames)];
  options.splits = choice.splits.value_or(options.splits);
  options.intervals = !choice.no_intervals;
  options.seed = static_cast<std::uint64_t>(globals.seed.value_or(1));
  if (!choice.encodings.empty()) options.encodings = split_specs(choice.encodings);
  for (const std::string& spec : options.encodings)
    for (const EncodingSpec::Term& term : EncodingSpec::parse(spec).terms)
      encodings().info(term.name);  // a wrong name is told before the corpus is read
  return options;
}

CountOptions count_options(const StudyChoice& choice, const Globals& globals, bool sample) {
  CountOptions options;
  options.positions = choice.positions.value_or(sample ? kSamplePositions : kPositions);
  options.length = kLengthValues[sextant::cli::choice("--length", choice.length, kLengths)];
  options.specials = sextant::cli::choice("--specials", choice.specials, kSpecials) == 1
                         ? Specials::kBert
                         : Specials::kNone;
  options.windows = choice.windows;
  options.shuffles = choice.shuffles.value_or(options.shuffles);
  options.seed = static_cast<std::uint64_t>(globals.seed.value_or(1));
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
           const Globals& globals, const Checkpoints& checkpoints, Progress& progress,
           Study& study) {
  const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer(choice.corpus.tokens);
  progress.stage("reading");
  CountRun run;
  run.threads = globals.threads;
  run.stop = &stop_requested();
  run.memory = choice.memory;
  run.folder = checkpoints.folder;
  run.resume = checkpoints.resume;
  run.progress = [&progress](const CountProgress& p) {
    progress.update(p.read.bytes_read, p.read.bytes_total,
                    fmt::format("{} sequences", p.sequences));
  };
  CountOutcome outcome = count_corpus(*source.reader, *tokenizer, counting, run);
  study.counts = std::move(outcome.counts);
  study.notes = tokenizer->notes();
  for (const std::string& each : source.reader->notes()) study.notes.push_back(each);
  for (const std::string& each : outcome.notes) note(globals, each);
  return !outcome.stopped;
}

std::optional<double> memory_limit(const StudyChoice& choice) {
  if (!choice.memory) return {};
  return static_cast<double>(*choice.memory);
}

Study study_of_distributions(const StudyChoice& choice, const Globals& globals) {
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
  study.options = study_options(choice, globals);
  study.title = "given distributions";
  study.counts.options.positions = laws.rows();
  study.counts.options.shuffles = 0;
  study.counts.vocabulary = laws.cols();
  check_memory(laws.rows(), study.options, 0, globals.threads, memory_limit(choice));
  study.target =
      target_of_distributions(laws, {.metric = study.options.metric, .threads = globals.threads});
  return study;
}

}  // namespace

void add_study_options(CLI::App& app, StudyChoice& choice, bool scores) {
  add_corpus_options(app, choice.corpus);
  add_integer(app, "--positions", choice.positions, 1, kMostPositions,
              "Positions to measure (default 64; 10 for the built-in sample)");
  add_choice(app, "--length", choice.length, kLengths,
             "Which sequences count: at least so long, any (later positions have fewer), or "
             "padded (default at-least)");
  add_choice(app, "--specials", choice.specials, kSpecials,
             "Special tokens: none, or [CLS] ... [SEP] (default none)");
  add_flag(app, "--windows", choice.windows,
           "Cut documents into windows of --positions tokens, each a sequence");
  add_integer(app, "--shuffles", choice.shuffles, 0, kMostShuffles,
              "Times that the tokens are shuffled for the null (default 20)");
  add_integer(app, "--splits", choice.splits, 1, kMostSplits,
              "Splits into halves for the corrected distances (default 20)");
  add_choice(app, "--metric", choice.metric, kMetricNames,
             "Distance between distributions (default hellinger)");
  add_flag(app, "--no-intervals", choice.no_intervals,
           "No jackknife: less memory and time, no intervals");
  add_text(app, "--distributions", choice.distributions, "FILE",
           "Distributions [positions, types] as .npy instead of a corpus; no noise estimates");
  add_bytes(app, "--mem", choice.memory,
            "Refuse work that needs more memory (default: 80 % of what is available)");
  add_integer(app, "--dim", choice.dim, 1, kMostDim, "Dimension of a head (default 64)");
  if (!scores) return;
  add_text(app, "--encodings", choice.encodings, "SPEC,...",
           "Encodings to score (default: the whole catalogue)");
  add_integer(app, "--heads", choice.heads, 1, kMostHeads, "Heads; their mean counts (default 8)");
  add_integer(app, "--train", choice.train, 1, kMostPositions,
              "Training length of encodings that have one (default: --positions)");
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

std::optional<Study> run_study(const StudyChoice& choice, const Globals& globals, bool scores,
                               bool may_sample, const Checkpoints& checkpoints) {
  stop_requested();  // from here on a signal ends the work in order
  if (!choice.distributions.empty()) {
    Study study = study_of_distributions(choice, globals);
    if (scores) make_score(study, globals.threads, [](std::string_view) {});
    return study;
  }
  Study study;
  study.options = study_options(choice, globals);
  study.limit = choice.corpus.limit;
  Progress progress(globals);
  Source source = open_source(choice, may_sample);
  study.sample = source.sample;
  const CountOptions counting = count_options(choice, globals, source.sample);
  check_memory(counting.positions, study.options, counting.shuffles, globals.threads,
               memory_limit(choice));
  if (!count(source, choice, counting, globals, checkpoints, progress, study)) return {};
  study.title = !choice.title.empty() ? choice.title
                : !source.title.empty()
                    ? source.title
                    : fmt::format("a corpus of {} sequences", study.counts.sequences);
  const auto announce = [&progress](std::string_view stage) { progress.stage(stage); };
  // All that can be saved is saved by now.
  const EndsAtOnce ends_at_once;
  make_geometry(study, globals.threads, announce);
  if (scores) make_score(study, globals.threads, announce);
  return study;
}

}  // namespace sextant::cli
