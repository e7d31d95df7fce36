// SPDX-License-Identifier: Apache-2.0
#include "cli/train_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "encoding/params.h"
#include "report/bar.h"

namespace sextant::cli {
namespace {

constexpr double kLevel = 0.05;
constexpr int kMeanColumns = 11;    // two blanks and the mean
constexpr int kNumberColumns = 52;  // the same, sd, median, quartiles, seeds
constexpr int kTestColumns = 43;    // two blanks, difference, three p, pairs
constexpr int kShortestName = 8;
constexpr int kShortestBar = 4;
constexpr int kBarColumns = kShortestBar + 3;  // two blanks before it, one behind

// Four digits in at most nine columns.
std::string number_text(double value) {
  const double size = std::abs(value);
  if (value == 0.0 || (size >= 1e-3 && size < 1e5)) return fmt::format("{:.4g}", value);
  return fmt::format("{:.2e}", value);
}

std::string p_text(const std::optional<double>& p) {
  if (!p) return "-";
  return *p < 1e-4 ? "<.0001" : fmt::format("{:.4f}", *p);
}

// As the user wrote it: without the training length that every encoding gets.
std::string shown_name(const TrainingRun& run, const std::string& encoding) {
  EncodingSpec spec = EncodingSpec::parse(encoding);
  for (EncodingSpec::Term& term : spec.terms) {
    EncodingSpec::Term given = term;
    std::erase_if(given.arguments,
                  [](const EncodingSpec::Argument& each) { return each.key == "train"; });
    EncodingSpec::Term again = given;
    add_training_length(again, run.common.train_length);
    const auto train = [](const EncodingSpec::Term& of) {
      const auto found = std::ranges::find(of.arguments, "train", &EncodingSpec::Argument::key);
      return found == of.arguments.end() ? std::string() : found->value;
    };
    if (train(again) == train(term)) term = given;
  }
  return shown_encoding(spec.text());
}

// A line of a table: an encoding or a baseline.
struct TableLine {
  std::string name;
  double value = 0.0;
  const Summary* values = nullptr;  // of an encoding
  std::string caution = {};         // of a baseline
};

std::vector<TableLine> lines_of(const TrainingRun& run, const LengthBaselines& at) {
  std::vector<TableLine> lines;
  for (const EncodingSummary& each : run.findings.summaries)
    if (each.length == at.length)
      lines.push_back({shown_name(run, each.encoding), each.values.mean, &each.values});
  for (const Baseline& baseline : at.baselines)
    if (baseline.of_accuracy == (run.asked.metric == TrialMetric::kAccuracy))
      lines.push_back(
          {.name = "* " + baseline.name, .value = baseline.value, .caution = baseline.caution});
  const double sign = run.asked.metric == TrialMetric::kLoss ? 1.0 : -1.0;
  std::ranges::stable_sort(lines, {}, [sign](const TableLine& line) { return sign * line.value; });
  return lines;
}

// The width of a column of names: that of the longest, or of as much as leaves `others` columns.
int name_columns(std::span<const std::string> names, int others) {
  int width = kShortestName;
  for (const std::string& name : names) width = std::max(width, columns(name));
  return std::min(width, std::max(kShortestName, output_width() - others));
}

// The name in its column; one that is too long stands on a line of its own.
std::string name_cell(const std::string& name, int width) {
  const int own = columns(name);
  if (own > width) return name + "\n" + std::string(static_cast<std::size_t>(width), ' ');
  return name + std::string(static_cast<std::size_t>(width - own), ' ');
}

std::string line_text(const TableLine& line, int name_width, double largest, const Style& style) {
  std::string text =
      fmt::format("{}  {:>9}", name_cell(line.name, name_width), number_text(line.value));
  if (line.values != nullptr) {
    const Summary& s = *line.values;
    text += fmt::format(" {:>8} {:>9} {:>17} {:>3}", s.sd ? number_text(*s.sd) : "-",
                        number_text(s.median),
                        fmt::format("{}-{}", number_text(s.q1), number_text(s.q3)), s.count);
  } else {
    text += fmt::format(" {:<{}}", line.caution, kNumberColumns - kMeanColumns - 1);
  }
  const int width = output_width() - name_width - kNumberColumns - 2;
  if (width >= kShortestBar && largest > 0.0 && std::isfinite(line.value))
    text += "  " + bar(line.value / largest, width - 1, output_is_utf8());
  while (text.ends_with(' ')) text.pop_back();
  return (line.values == nullptr ? style.dim(text) : text) + "\n";
}

std::string table_text(const TrainingRun& run, const LengthBaselines& at, const Style& style) {
  const std::vector<TableLine> lines = lines_of(run, at);
  std::vector<std::string> names;
  names.reserve(lines.size());
  double largest = 0.0;
  for (const TableLine& line : lines) {
    names.push_back(line.name);
    if (std::isfinite(line.value)) largest = std::max(largest, line.value);
  }
  const int name_width = name_columns(names, kNumberColumns + kBarColumns);
  std::string text = style.bold(fmt::format("Length {}: {}", at.length, name(run.asked.metric))) +
                     (at.length == run.common.train_length ? ", the length of training\n" : "\n");
  text += style.dim(fmt::format("{:<{}}  {:>9} {:>8} {:>9} {:>17} {:>3}\n", "encoding", name_width,
                                "mean", "sd", "median", "quartiles", "n"));
  for (const TableLine& line : lines) text += line_text(line, name_width, largest, style);
  return text;
}

// Those of one length against the encoding that was asked for, or the best.
std::vector<const EncodingComparison*> shown_comparisons(const TrainingRun& run, Index length) {
  std::vector<const EncodingComparison*> result;
  for (const EncodingComparison& each : run.findings.comparisons)
    if (each.length == length && (result.empty() || each.b == result.front()->b))
      result.push_back(&each);
  return result;
}

bool is_tested(const EncodingComparison* each) { return each->p_holm.has_value(); }

// What the tests say of all that is shown.
std::string words_of(const TrainingRun& run, std::span<const EncodingComparison* const> shown) {
  std::vector<std::string> alike, untested;
  for (const EncodingComparison* each : shown) {
    if (!is_tested(each)) {
      untested.push_back(shown_name(run, each->a));
    } else if (*each->p_holm >= kLevel) {
      alike.push_back(shown_name(run, each->a));
    }
  }
  if (untested.size() == shown.size())
    return run.seeds == 1 ? "With one seed nothing can be tested."
                          : "With fewer than two pairs of seeds nothing can be tested.";
  const std::string against = shown_name(run, shown.front()->b);
  std::string words = alike.empty() ? fmt::format("{} differ from {} by more than seeds explain.",
                                                  untested.empty() ? "All" : "All others", against)
                                    : fmt::format("Cannot be told from {} by these seeds: {}.",
                                                  against, fmt::join(alike, ", "));
  if (!untested.empty())
    words += fmt::format(" Not tested, for want of pairs of seeds: {}.", fmt::join(untested, ", "));
  return words;
}

std::string comparisons_text(const TrainingRun& run, Index length, const Style& style) {
  const std::vector<const EncodingComparison*> shown = shown_comparisons(run, length);
  if (shown.empty()) return "";
  const std::string head = "against " + shown_name(run, shown.front()->b);
  std::vector<std::string> names = {head};
  for (const EncodingComparison* each : shown) names.push_back(shown_name(run, each->a));
  const int name_width = name_columns(names, kTestColumns);
  const bool tests = std::ranges::any_of(shown, is_tested);
  const auto p_columns = [tests](std::string_view t, std::string_view w, std::string_view holm) {
    return tests ? fmt::format(" {:>8} {:>8} {:>8}", t, w, holm) : std::string();
  };
  std::string text =
      style.dim(fmt::format("{}  {:>10}{} {:>3}\n", name_cell(head, name_width), "difference",
                            p_columns("p (t)", "p (W)", "p (Holm)"), "n"));
  for (const EncodingComparison* each : shown)
    text += fmt::format(
        "{}  {:>10}{} {:>3}\n", name_cell(shown_name(run, each->a), name_width),
        each->test.difference ? number_text(*each->test.difference) : "-",
        p_columns(p_text(each->test.p_t), p_text(each->test.p_wilcoxon), p_text(each->p_holm)),
        each->test.pairs);
  return text + wrapped(words_of(run, shown), output_width(), 2) + "\n";
}

std::string trials_without_numbers(const TrainingRun& run, const Style& style) {
  std::string text;
  for (const TrialOutcome& outcome : run.outcomes) {
    const bool finished = outcome.result && outcome.result->end == TrialEnd::kFinished;
    if (finished) continue;
    const std::string why =
        outcome.result ? "not finite: " + outcome.result->fault : "failed: " + outcome.error;
    text += wrapped(fmt::format("{} seed {}: {}", shown_name(run, outcome.trial.encoding),
                                outcome.trial.seed, why),
                    output_width(), 2) +
            "\n";
  }
  return text.empty() ? text : "\n" + style.bad("Trials without some or all numbers") + "\n" + text;
}

// Only what stands in the tables is explained.
std::string legend(const TrainingRun& run) {
  const std::vector<EncodingComparison>& compared = run.findings.comparisons;
  const bool tests = std::ranges::any_of(
      compared, [](const EncodingComparison& each) { return is_tested(&each); });
  std::string text = fmt::format("* needs no learning. n: seeds{}.",
                                 compared.empty() ? "" : ", and pairs of seeds below");
  if (tests)
    text += fmt::format(
        " p (t): paired t test; p (W): exact signed-rank test, never below {:.2g} "
        "with {} pairs; p (Holm): p (t) corrected for {} of a length.",
        std::ldexp(1.0, static_cast<int>(1 - run.seeds)), run.seeds,
        run.asked.against.empty() ? "all pairs" : "all comparisons");
  return wrapped(text, output_width(), 0) + "\n";
}

}  // namespace

std::string training_text(const TrainingRun& run, const Style& style) {
  std::string text =
      style.bold(run.common.task) +
      fmt::format("  trained at length {}, {}, {} layer{}, width {}, {} step{}\n\n",
                  run.common.train_length, run.common.model.causal ? "causal" : "bidirectional",
                  run.common.model.layers, run.common.model.layers == 1 ? "" : "s",
                  run.common.model.dim, run.common.schedule.steps,
                  run.common.schedule.steps == 1 ? "" : "s");
  for (const LengthBaselines& at : run.baselines) {
    text += table_text(run, at, style);
    const std::string comparisons = comparisons_text(run, at.length, style);
    text += (comparisons.empty() ? "" : "\n" + comparisons) + "\n";
  }
  return text + legend(run) + trials_without_numbers(run, style);
}

std::string task_list_text(const TaskRegistry& tasks, const Style& style) {
  std::string text;
  for (const std::string& each : tasks.names()) {
    const TaskInfo& info = tasks.info(each);
    std::string needs;
    if (info.needs_corpus)
      needs = info.needs_labels ? "; needs texts with labels" : "; needs texts";
    text += fmt::format("{}  {}{}{}\n", style.bold(each), info.title, info.causal ? "; causal" : "",
                        needs);
    text += "  " + wrapped(info.notes, output_width() - 2, 2) + "\n";
    for (const ParamInfo& param : info.params)
      text += "    " +
              wrapped(fmt::format("{}={}: {}", param.name, param.default_text, param.doc),
                      output_width() - 4, 6) +
              "\n";
  }
  return text;
}

}  // namespace sextant::cli
