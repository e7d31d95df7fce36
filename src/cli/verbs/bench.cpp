// SPDX-License-Identifier: Apache-2.0
// sextant bench: how fast kernels and heavy steps are on this computer, beside plain loops over the
// same bytes and beside Python. A wrong answer is never timed.
#include <fmt/format.h>

#include "base/check.h"
#include "base/memory.h"
#include "cli/bench_text.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/study_output.h"
#include "run/bench_document.h"
#include "run/bench_peers.h"

namespace sextant::cli {
namespace {

constexpr Index kRepeats = 9, kQuickRepeats = 3, kMostRepeats = 1000;
constexpr Index kPeerRepeats = 3;
constexpr double kPeerSeconds = 300.0, kQuickPeerSeconds = 30.0;
const std::vector<std::string> kPeers = {"auto", "none"};

struct Options {
  std::vector<std::string> cases;
  std::optional<Index> repeats;
  std::string peers = "auto", python;
  bool list = false, quick = false;
};

int show_list(std::span<const BenchCase* const> cases, const Globals& globals) {
  if (!globals.json) {
    print(bench_list_text(cases, Style(globals.color)));
    return 0;
  }
  Json document = new_document("bench");
  document["cases"] = Json::array();
  for (const BenchCase* each : cases) document["cases"].push_back(bench_case_json(*each));
  print(to_text(document));
  return 0;
}

std::vector<BenchRow> timed(std::span<const BenchCase* const> cases, const BenchOptions& options,
                            Progress& progress) {
  std::vector<BenchRow> rows;
  rows.reserve(cases.size());
  progress.stage("bench");
  for (const BenchCase* each : cases) {
    progress.part(static_cast<double>(rows.size()) / static_cast<double>(cases.size()), each->name);
    BenchOptions now = options;
    now.memory = available_memory();
    rows.push_back(bench_row(*each, now));
  }
  return rows;
}

// One error line for each row without a time, as the program ends with for a single one.
void report_errors(std::span<const BenchRow> rows) {
  for (const BenchRow& row : rows)
    if (!row.error.empty()) fmt::print(stderr, "sextant: error: {}\n", row.error);
}

int run(const Options& options, const Globals& globals, Index threads) {
  const bool peers = choice("--peers", options.peers, kPeers) == 0;
  const std::vector<const BenchCase*> cases = bench_cases().chosen(options.cases);
  if (options.list) return show_list(cases, globals);
  const BenchOptions wanted = {
      .size = {.quick = options.quick, .threads = threads},
      .repeats = options.repeats.value_or(options.quick ? kQuickRepeats : kRepeats),
      .clock = threads == 1 ? cpu_seconds : wall_seconds};
  std::vector<BenchRow> rows;
  std::vector<PeerLibrary> libraries;
  {
    Progress progress(globals);
    const EndsAtOnce ends_at_once;  // there is nothing to save
    rows = timed(cases, wanted, progress);
    if (peers) {
      progress.stage("the same in Python");
      PeerOptions wanted_peers = {.threads = threads,
                                  .repeats = kPeerRepeats,
                                  .most_seconds = options.quick ? kQuickPeerSeconds : kPeerSeconds,
                                  .memory = available_memory()};
      if (!options.python.empty()) wanted_peers.python = {options.python};
      libraries = time_peers(rows, wanted_peers);
    }
  }
  const std::string missing = missing_peers_text(libraries);
  if (!missing.empty()) note(globals, missing);
  if (globals.json) {
    Json document = new_document("bench");
    document["options"] = {{"quick", options.quick},
                           {"threads", threads},
                           {"repeats", wanted.repeats},
                           {"peers", options.peers},
                           {"clock", threads == 1 ? "processor" : "wall"}};
    document["rows"] = Json::array();
    for (const BenchRow& row : rows) document["rows"].push_back(bench_row_json(row, wanted.size));
    document["peers"] = peer_libraries_json(libraries);
    document["provenance"] = bench_provenance_json();
    print(to_text(document));
  } else {
    print(bench_text(rows, wanted.size, Style(globals.color)));
  }
  report_errors(rows);
  return bench_status(rows);
}

}  // namespace

void register_bench(VerbRegistry& verbs) {
  Verb& verb = verbs.add("bench", "Time kernels and heavy steps beside plain loops and Python");
  const auto options = std::make_shared<Options>();
  CLI::App& app = *verb.app;
  add_texts(
      app, "CASE", options->cases, "CASE",
      "Cases, or the words they begin with: rotary, rotary-f32, stress (default: all); on one "
      "thread unless --threads is given");
  add_flag(app, "--list", options->list, "Name the cases and what they measure; time nothing");
  add_flag(app, "--quick", options->quick,
           "Small sizes, some seconds in all; no goal speaks of them");
  add_integer(app, "--repeats", options->repeats, 1, kMostRepeats,
              fmt::format("Times of each, in turns, of which the shortest counts (default {}; {} "
                          "with --quick; work of many seconds takes fewer)",
                          kRepeats, kQuickRepeats));
  add_choice(
      app, "--peers", options->peers, kPeers,
      "auto: the same work in numpy, torch and scipy, where python3 has them (default auto)");
  add_text(app, "--python", options->python, "FILE",
           "The Python of these peers (default: the python3 of PATH)");
  verb.argument_is_optional = true;
  verb.examples = {
      {"sextant bench --list", "what can be timed"},
      {"sextant bench --quick", "all of it in small sizes: is every answer right here?"},
      {"sextant bench rotary alibi", "the kernels of engines at full size, with goals"},
      {"sextant bench stress --threads 4 --repeats 20", "one step on four threads"},
      {"sextant bench --peers none --json > bench.json", "numbers to keep, without Python"},
  };
  verb.takes_json = verb.takes_threads = true;
  // Goals and ratios speak of one thread unless someone asks for more.
  verb.run = [options, &verbs] {
    const Globals& globals = verbs.globals();
    return run(*options, globals, given(verbs.root(), "--threads") ? globals.threads : 1);
  };
}

}  // namespace sextant::cli
