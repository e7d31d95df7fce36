// SPDX-License-Identifier: Apache-2.0
// sextant check: claims of the literature as computations. A verdict is a result, not a failure.
#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "cli/check_text.h"
#include "cli/encoding_text.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/study_options.h"
#include "cli/study_output.h"
#include "sextant/error.h"

namespace sextant::cli {
namespace {

struct Options {
  std::vector<std::string> ids;
  std::optional<Index> train, to, dim, heads;
  std::optional<double> alpha;
  std::string encodings;
  bool list = false;
  bool all = false;
};

TheoremOptions theorem_options(const Options& options, const Globals& globals) {
  TheoremOptions result;
  result.train = options.train.value_or(result.train);
  result.to = options.to.value_or(result.to);
  result.dim = options.dim.value_or(result.dim);
  result.heads = options.heads.value_or(result.heads);
  result.alpha = options.alpha.value_or(result.alpha);
  result.seed = static_cast<std::uint64_t>(globals.seed.value_or(1));
  if (!options.encodings.empty()) result.encodings = split_specs(options.encodings);
  validate(result);
  // A wrong spec is a wrong call. One that lacks its file is a finding of each theorem.
  for (const std::string& spec : result.encodings)
    if (missing_file(EncodingSpec::parse(spec)).empty()) encodings().make(spec);
  return result;
}

int show_list(const Options& options, const Globals& globals) {
  require(options.ids.empty() && options.encodings.empty() && !options.all && !globals.seed &&
              !(options.train || options.to || options.dim || options.heads || options.alpha),
          "--list", "stands alone: nothing is checked");
  if (!globals.json) {
    print(theorem_list_text(theorems().entries(), Style(globals.color)));
    return 0;
  }
  Json document = new_document("check");
  document["theorems"] = Json::array();
  for (const TheoremRegistry::Entry& entry : theorems().entries())
    document["theorems"].push_back(theorem_info_json(*entry.info));
  print(to_text(document));
  return 0;
}

std::vector<CheckedTheorem> checked_theorems(std::span<const TheoremRegistry::Entry> entries,
                                             const TheoremOptions& options,
                                             const Globals& globals) {
  Progress progress(globals);
  progress.stage("checking theorems");
  return check_theorems(
      entries, options, globals.threads,
      [&progress](std::size_t done, std::size_t total, const TheoremInfo& last) {
        progress.stage(fmt::format("checked {} of {} theorems, last {}", done, total, last.id));
      });
}

// 0, or 7 when a check could not run; a line on stderr for each that could not.
int check_status(std::span<const CheckedTheorem> checked, const Globals& globals) {
  int status = 0;
  for (const CheckedTheorem& each : checked) {
    if (!each.error) continue;
    note(globals, fmt::format("{} could not be checked: {}", each.info->id, *each.error));
    status = exit_status(ErrorCode::kNumeric);
  }
  return status;
}

int run(const Options& options, const Globals& globals) {
  if (options.list) return show_list(options, globals);
  require(!options.all || !options.ids.empty(), "--all",
          "must go with ID, whose findings it shows");
  std::vector<std::string> ids;  // T1,T2 T3 are three
  for (const std::string& word : options.ids) {
    for (const std::string_view id : split(word, ',')) ids.emplace_back(id);
  }
  const std::vector<TheoremRegistry::Entry> entries = chosen_theorems(ids);
  const TheoremOptions numbers = theorem_options(options, globals);
  const std::vector<CheckedTheorem> checked = checked_theorems(entries, numbers, globals);
  if (globals.json) {
    Json document = new_document("check");
    document["options"] = theorem_options_json(numbers);
    document["checks"] = Json::array();
    for (const CheckedTheorem& each : checked)
      document["checks"].push_back(theorem_json(each, FigurePoints::kAll));
    print(to_text(document));
    return check_status(checked, globals);
  }
  const Style style(globals.color);
  std::string text;
  if (options.ids.empty()) {
    text = summary_text(checked, style);
  } else {
    const FindingsShown which = options.all ? FindingsShown::kAll : FindingsShown::kMain;
    for (const CheckedTheorem& each : checked)
      text += (text.empty() ? "" : "\n\n") + theorem_page(each, which, style);
  }
  print(text);
  return check_status(checked, globals);
}

}  // namespace

void register_check(VerbRegistry& verbs) {
  Verb& verb = verbs.add("check", "Check published theorems: conditions, numbers and a verdict");
  const auto options = std::make_shared<Options>();
  CLI::App& app = *verb.app;
  add_texts(app, "ID", options->ids, "ID",
            "Theorems by id or name, one page each: T7, \"T1'\", no_free_lunch (default: a "
            "summary of all)");
  const TheoremOptions usual;
  add_integer(app, "--train", options->train, 2, kLargest,
              fmt::format("Positions of training (default {})", usual.train));
  add_integer(app, "--to", options->to, 1, kLargest,
              fmt::format("Positions that are looked at, beyond --train (default {})", usual.to));
  add_integer(app, "--dim", options->dim, 1, kMostDim,
              fmt::format("Width of rows, queries and keys (default {})", usual.dim));
  add_integer(app, "--heads", options->heads, 1, kMostHeads,
              fmt::format("Heads (default {})", usual.heads));
  add_number(app, "--alpha", options->alpha,
             fmt::format("ALiBi's slope (default {})", usual.alpha));
  add_text(app, "--encodings", options->encodings, "SPEC,...",
           "Encodings to check, where a claim speaks of many (default: the whole catalogue)");
  add_flag(app, "--all", options->all, "Show all findings of each ID, not the main ones");
  add_flag(app, "--list", options->list, "Name the theorems and their sources; check nothing");
  verb.argument_is_optional = true;
  verb.examples = {
      {"sextant check", "all theorems, a line and a reason each"},
      {"sextant check T7 --train 50 --to 200", "one page: conditions, findings, plots"},
      {"sextant check \"T1'\" no_free_lunch", "by id or by name"},
      {"sextant check --encodings 'rope,alibi(slope=0.5)' --json", "two encodings, for programs"},
  };
  verb.takes_json = verb.takes_threads = verb.takes_seed = true;
  verb.run = [options, &globals = verbs.globals()] { return run(*options, globals); };
}

}  // namespace sextant::cli
