// SPDX-License-Identifier: Apache-2.0
#include "cli/train_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/bar.h"

namespace sextant::cli {
namespace {

constexpr double kLevel = 0.05;
constexpr int kMeanColumns = 11;    // two blanks and the mean
constexpr int kNumberColumns = 52;  // the same, sd, median, quartiles, seeds
constexpr int kLongestName = 40;
constexpr int kShortestBar = 4;

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

// A line of a table: an encoding or a baseline.
struct Line {
  std::string name;
  double value = 0.0;
  const Summary* values = nullptr;  // of an encoding
  std::string caution = {};         // of a baseline
};

std::vector<Line> lines_of(const TrainingRun& run, const LengthBaselines& at) {
  std::vector<Line> lines;
  for (const EncodingSummary& each : run.findings.summaries)
    if (each.length == at.length)
      lines.push_back({shown_encoding(each.encoding), each.values.mean, &each.values});
  for (const Baseline& baseline : at.baselines)
    if (baseline.of_accuracy == (run.asked.metric == TrialMetric::kAccuracy))
      lines.push_back(
          {.name = "* " + baseline.name, .value = baseline.value, .caution = baseline.caution});
  const double sign = run.asked.metric == TrialMetric::kLoss ? 1.0 : -1.0;
  std::ranges::stable_sort(lines, {}, [sign](const Line& line) { return sign * line.value; });
  return lines;
}

std::string shortened(const std::string& name, int width) {
  if (static_cast<int>(name.size()) <= width) return name;
  return name.substr(0, static_cast<std::size_t>(width - 1)) + "~";
}

std::string line_text(const Line& line, int name_width, double largest, const Style& style) {
  std::string text = fmt::format("{:<{}}  {:>9}", shortened(line.name, name_width), name_width,
                                 number_text(line.value));
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
  const std::vector<Line> lines = lines_of(run, at);
  int name_width = 8;
  double largest = 0.0;
  for (const Line& line : lines) {
    name_width = std::max(name_width, std::min(kLongestName, static_cast<int>(line.name.size())));
    if (std::isfinite(line.value)) largest = std::max(largest, line.value);
  }
  name_width = std::max(8, std::min(name_width, output_width() - kNumberColumns));
  std::string text = style.bold(fmt::format("Length {}: {}", at.length, name(run.asked.metric))) +
                     (at.length == run.common.train_length ? ", the length of training\n" : "\n");
  text += style.dim(fmt::format("{:<{}}  {:>9} {:>8} {:>9} {:>17} {:>3}\n", "encoding", name_width,
                                "mean", "sd", "median", "quartiles", "n"));
  for (const Line& line : lines) text += line_text(line, name_width, largest, style);
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

std::string comparisons_text(const TrainingRun& run, Index length, const Style& style) {
  const std::vector<const EncodingComparison*> shown = shown_comparisons(run, length);
  if (shown.empty()) return "";
  const std::string against = shown_encoding(shown.front()->b), head = "against " + against;
  int name_width = std::min(kLongestName, static_cast<int>(head.size()));
  for (const EncodingComparison* each : shown)
    name_width = std::max(name_width,
                          std::min(kLongestName, static_cast<int>(shown_encoding(each->a).size())));
  std::string text =
      style.dim(fmt::format("{:<{}}  {:>10} {:>8} {:>8} {:>8} {:>3}\n", shortened(head, name_width),
                            name_width, "difference", "p (t)", "p (W)", "p (Holm)", "n"));
  std::vector<std::string> alike;
  for (const EncodingComparison* each : shown) {
    text += fmt::format("{:<{}}  {:>10} {:>8} {:>8} {:>8} {:>3}\n",
                        shortened(shown_encoding(each->a), name_width), name_width,
                        number_text(each->test.difference), p_text(each->test.p_t),
                        p_text(each->test.p_wilcoxon), p_text(each->p_holm), each->test.pairs);
    if (each->p_holm.value_or(1.0) >= kLevel) alike.push_back(shown_encoding(each->a));
  }
  const std::string words =
      alike.empty() ? fmt::format("All differ from {} by more than seeds explain.", against)
                    : fmt::format("Cannot be told from {} by these seeds: {}.", against,
                                  fmt::join(alike, ", "));
  return text + wrapped(words, output_width(), 2) + "\n";
}

std::string trials_without_numbers(const TrainingRun& run, const Style& style) {
  std::string text;
  for (const TrialOutcome& outcome : run.outcomes) {
    const bool finished = outcome.result && outcome.result->end == TrialEnd::kFinished;
    if (finished) continue;
    const std::string why =
        outcome.result ? "not finite: " + outcome.result->fault : "failed: " + outcome.error;
    text += wrapped(fmt::format("{} seed {}: {}", shown_encoding(outcome.trial.encoding),
                                outcome.trial.seed, why),
                    output_width(), 2) +
            "\n";
  }
  return text.empty() ? text : "\n" + style.bad("Trials without a number") + "\n" + text;
}

std::string legend(const TrainingRun& run) {
  return wrapped(
             fmt::format("* needs no learning. n: seeds, and pairs of seeds below. p (t): paired t "
                         "test; p (W): exact signed-rank test, never below {:.2g} with {} pairs; p "
                         "(Holm): p (t) corrected for {} of a length.",
                         std::min(1.0, std::ldexp(1.0, static_cast<int>(1 - run.seeds))), run.seeds,
                         run.asked.against.empty() ? "all pairs" : "all comparisons"),
             output_width(), 0) +
         "\n";
}

}  // namespace

std::string training_text(const TrainingRun& run, const Style& style) {
  std::string text =
      style.bold(run.common.task) +
      fmt::format("  trained at length {}, {}, {} layers, width {}, {} steps\n\n",
                  run.common.train_length, run.common.model.causal ? "causal" : "bidirectional",
                  run.common.model.layers, run.common.model.dim, run.common.schedule.steps);
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
