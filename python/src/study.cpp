// SPDX-License-Identifier: Apache-2.0
// Studies of a corpus: its geometry, scores of encodings, fitted coordinates.
#include <fmt/format.h>

#include <thread>

#include "interruptible.h"
#include "module.h"
#include "numpy_values.h"
#include "options.h"
#include "run/document.h"
#include "run/limits.h"
#include "run/provenance.h"
#include "run/study_choice.h"

namespace sextant::python {
namespace {

namespace py = pybind11;

StudyChoice choice_of(const py::dict& options) {
  StudyChoice choice;
  read_option(options, "corpus", choice.corpus.inputs);
  read_option(options, "tokens", choice.corpus.tokens);
  read_option(options, "format", choice.corpus.format);
  read_option(options, "text_column", choice.corpus.text_column);
  read_option(options, "text_field", choice.corpus.text_field);
  read_option(options, "group_column", choice.corpus.group_column);
  read_option(options, "invalid", choice.corpus.invalid);
  read_option(options, "limit", choice.corpus.limit);
  read_option(options, "skip_bad", choice.corpus.skip_bad);
  read_option(options, "positions", choice.positions);
  read_option(options, "length", choice.length);
  read_option(options, "specials", choice.specials);
  read_option(options, "windows", choice.windows);
  read_option(options, "shuffles", choice.shuffles);
  read_option(options, "splits", choice.splits);
  read_option(options, "metric", choice.metric);
  read_option(options, "dim", choice.dim);
  read_option(options, "heads", choice.heads);
  read_option(options, "train", choice.train);
  read_option(options, "mem", choice.memory);
  bool intervals = true;
  read_option(options, "intervals", intervals);
  choice.no_intervals = !intervals;
  std::vector<std::string> specs;
  read_option(options, "encodings", specs);
  choice.encodings = fmt::format("{}", fmt::join(specs, ","));
  return choice;
}

StudyRun run_of(const py::dict& options, bool scores) {
  StudyRun run;
  run.scores = scores;
  run.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  read_option(options, "threads", run.threads);
  read_option(options, "seed", run.seed);
  require_range("threads", run.threads, 1, kMostThreads);
  return run;
}

// A study that nobody interrupted: interruptible() raises before a stopped one is asked for.
std::optional<Study> studied(const StudyChoice& choice, StudyRun run) {
  return interruptible([&](const std::atomic<bool>& stop) {
    run.stop = &stop;
    return make_study(choice, run);
  });
}

std::string score(const py::dict& options) {
  const std::optional<Study> study = studied(choice_of(options), run_of(options, true));
  Json document = new_document("score");
  add_geometry(document, *study);
  add_score(document, *study);
  return to_text(document);
}

std::string geometry(const py::dict& options) {
  StudyChoice choice = choice_of(options);
  const StudyRun run = run_of(options, false);
  const std::optional<Study> study = studied(choice, run);
  Json document = new_document("geometry");
  add_geometry(document, *study);
  std::vector<std::string> against;
  read_option(options, "against", against);
  if (!against.empty()) {
    choice.corpus.inputs = against;
    add_comparison(document, *study, *studied(choice, run));
  }
  return to_text(document);
}

struct FitChoice {
  std::string method = "classical";
  std::optional<Index> rank;
  bool corrected = false;
  Index steps = 10000;
};

py::dict fit_corpus(const py::dict& options) {
  FitChoice asked;
  read_option(options, "method", asked.method);
  read_option(options, "rank", asked.rank);
  read_option(options, "corrected", asked.corrected);
  require(asked.method == "classical" || asked.method == "smacof", "method",
          "must be 'classical' or 'smacof' but got '{}'", asked.method);
  require_range("rank", asked.rank, 1, kMostDim);
  StudyChoice choice = choice_of(options);
  choice.no_intervals = true;  // coordinates have none
  const StudyRun run = run_of(options, false);
  const std::optional<Study> study = studied(choice, run);
  const Target& target = study->target;
  require(target.excluded.empty(), "positions",
          "{} positions have too little data to be placed; use fewer positions or more text",
          target.excluded.size());
  Fit found = interruptible([&](const std::atomic<bool>&) {
    return fit(target, {.smacof = asked.method == "smacof",
                        .corrected = asked.corrected,
                        .rank = asked.rank.value_or(supported_rank(target)),
                        .threads = run.threads,
                        .most_steps = asked.steps});
  });
  const std::vector<Index> shape = {found.points.rows(), found.points.cols()};
  const auto values = found.points.values();
  const py::dtype type("float64");
  py::dict result;
  result["embedding"] = owned_array(std::vector<double>(values.begin(), values.end()), type, shape);
  result["eigenvalues"] =
      owned_array(std::vector<double>(found.eigenvalues), type, {std::ssize(found.eigenvalues)});
  result["stress"] = found.stress_raw;
  result["converged"] = found.converged;
  return result;
}

}  // namespace

void bind_study(py::module_& module) {
  module.def("score", score);
  module.def("geometry", geometry);
  module.def("fit", fit_corpus);
}

}  // namespace sextant::python
