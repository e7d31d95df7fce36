// SPDX-License-Identifier: Apache-2.0
#include "cli/study_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "cli/options.h"
#include "cli/output.h"
#include "run/plan_document.h"
#include "run/provenance.h"

namespace sextant::cli {
namespace {

std::string plan_text(const StudyPlan& plan, const Style& style) {
  const SampledCorpus& corpus = plan.corpus;
  const std::vector<PlanSection> sections = plan_lines(plan);
  std::size_t name_width = 0, value_width = 0;
  for (const PlanSection& section : sections) {
    for (const PlanLine& line : section.lines) {
      name_width = std::max(name_width, line.name.size());
      value_width = std::max(value_width, line.value.size());
    }
  }
  std::string text = style.bold(
      fmt::format("Plan for {} of such files at {} positions, {} {} of {} {}\n",
                  bytes_text(plan.question.bytes), plan.question.positions, plan.question.ranks,
                  plan.question.ranks == 1 ? "rank" : "ranks", plan.question.threads,
                  plan.question.threads == 1 ? "thread" : "threads"));
  text += fmt::format("Sample: {} {}, {} tokens\n", corpus.whole ? "all" : "the first",
                      bytes_text(corpus.sample.all().bytes), number_text(corpus.sample.tokens));
  const auto indent = static_cast<int>(name_width + value_width + 6);
  for (const PlanSection& section : sections) {
    text += "\n" + style.bold(section.title) + "\n";
    for (const PlanLine& line : section.lines)
      text += fmt::format("  {:<{}}  {:>{}}  {}\n", line.name, name_width, line.value, value_width,
                          wrapped(line.from, output_width(), indent));
  }
  for (const std::string& each : plan.notes)
    text += "\n" + wrapped("Note: " + each + ".", output_width(), 0) + "\n";
  return text;
}

}  // namespace

void add_plan_options(CLI::App& app, StudyChoice& choice) {
  add_flag(app, "--plan", choice.plan,
           "Print what the work would cost, from a sample of the corpus; write nothing");
  add_integer(app, "--ranks", choice.ranks, 1, kLargest,
              "Ranks that --plan is for (default: those at hand)");
  add_bytes(app, "--bytes", choice.bytes,
            "Size of the corpus that --plan is for, of which the files are a sample, such as 1TB");
}

void check_plan_fits(const StudyChoice& choice) {
  require(choice.plan || !choice.ranks, "--ranks", "does nothing without --plan");
  require(choice.plan || !choice.bytes, "--bytes", "does nothing without --plan");
}

int show_plan(const StudyChoice& choice, const Globals& globals, std::string_view verb,
              bool may_sample) {
  StudyRun run;
  run.threads = globals.threads;
  run.seed = static_cast<std::uint64_t>(globals.seed.value_or(1));
  run.may_sample = may_sample;
  StudyChoice planned = choice;
  if (!planned.ranks) planned.ranks = globals.ranks->size();
  const StudyPlan plan = make_plan(planned, run);
  if (globals.json) {
    Json document = new_document(verb);
    document["plan"] = plan_json(plan);
    print(to_text(document));
  } else {
    print(plan_text(plan, Style(globals.color)));
  }
  return 0;
}

}  // namespace sextant::cli
