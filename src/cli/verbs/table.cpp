// SPDX-License-Identifier: Apache-2.0
// sextant table: an encoding as an array of numbers, in a file or on the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "base/check.h"
#include "base/text.h"
#include "cli/encoding_text.h"
#include "cli/map_files.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table_file.h"
#include "run/table_plan.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

constexpr Index kMostPrinted = 100000;  // values in one JSON document

struct Options {
  std::string spec, at, dtype, what, output;
  std::optional<Index> positions, dim, heads, length;
  std::optional<double> offset;
  std::optional<std::uint64_t> memory;
  bool force = false;
};

// The output must not be one of the inputs: --at, or a file in the spec.
void check_output_is_no_input(const Options& options) {
  std::vector<std::string> inputs = {options.at};
  for (const EncodingSpec::Term& term : EncodingSpec::parse(options.spec).terms)
    for (const EncodingSpec::Argument& argument : term.arguments) inputs.push_back(argument.value);
  refuse_input_as_output(options.output, inputs);
}

struct Job : TablePlan {
  Job(const Options& asked, const Globals& all, TablePlan plan)
      : TablePlan(std::move(plan)), options(asked), globals(all) {}

  const Options& options;
  const Globals& globals;

  bool to_file() const { return !options.output.empty(); }
  Json json() const {
    Json json;
    json["schema"] = 1;
    json["verb"] = "table";
    json["spec"] = encoding->spec();
    json["what"] = name(request.kind);
    return json;
  }
};

Job prepared(const Options& options, const Globals& globals) {
  require(!options.spec.empty(), "SPEC",
          "must be given, such as rope or alibi; 'sextant encodings' lists them");
  TableWish wish = {.spec = seeded(options.spec, globals),
                    .positions = options.positions,
                    .offset = options.offset,
                    .dim = options.dim,
                    .heads = options.heads,
                    .length = options.length,
                    .what = options.what,
                    .dtype = options.dtype,
                    .memory = options.memory,
                    .threads = globals.threads};
  if (!options.at.empty()) wish.at = read_positions(options.at);
  Job job = {options, globals, plan_table(wish)};
  // A ladder on the terminal shows all its digits.
  if (job.request.kind == TableKind::kInvFreq && !job.to_file() && options.dtype.empty())
    job.request.dtype = Dtype::kF64;
  return job;
}

int write(const Job& job) {
  const Options& options = job.options;
  check_output_is_no_input(options);
  const std::vector<Index> shape = table_shape(job.effects, job.request);
  const TableFormat format = table_format(options.output, shape.size());
  const auto existing =
      options.force ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep;
  { const AtomicFile probe(options.output, existing); }  // fails before the work, not after it
  const Table table = make_table(*job.encoding, job.request);
  AtomicFile file(options.output, existing);
  const std::string kind(name(job.request.kind));
  std::map<std::string, std::string> metadata = {{"spec", job.encoding->spec()}};
  if (job.request.kind == TableKind::kInvFreq) {
    metadata["magnitude"] = shortest(rotary_ladder(job.effects)->magnitude.high);
  } else {
    metadata["positions"] = std::to_string(job.request.positions.size());
  }
  write_table(file, format, table, kind, metadata);
  file.commit();

  const bool bits = stored_as_bits(format, table.dtype);
  if (bits) note(job.globals, ".npy has no bfloat16; the file holds uint16 bit patterns");
  if (job.globals.json) {
    Json json = job.json();
    json["shape"] = shape;
    json["dtype"] = name(table.dtype);
    if (bits) json["stored_as"] = "uint16 bit patterns";
    if (job.request.kind == TableKind::kInvFreq)
      json["magnitude"] = rotary_ladder(job.effects)->magnitude.high;
    json["file"] = options.output;
    print(to_text(json));
  } else if (!job.globals.quiet) {
    print(fmt::format("{}: {} {} {} of {}\n", options.output, kind, shape_text(shape),
                      name(table.dtype), job.encoding->spec()));
  }
  return 0;
}

int show_ladder(const Job& job) {
  const std::optional<RotaryLadder> ladder = rotary_ladder(job.effects);
  const Table table = make_table(*job.encoding, job.request);
  if (job.globals.json) {
    Json json = job.json();
    json["dim"] = job.request.extent.dim;
    json["inv_freq"] = table_json(table);
    json["magnitude"] = ladder->magnitude.high;
    print(to_text(json));
    return 0;
  }
  const Style style(job.globals.color);
  const bool several = std::ranges::any_of(ladder->axis, [](Index a) { return a != 0; });
  std::string text =
      fmt::format("{}  inv_freq, dim {}, magnitude {}\n", style.bold(job.encoding->spec()),
                  job.request.extent.dim, shortest(ladder->magnitude.high));
  text += style.bold(fmt::format("{:>5}  {:<24} {:>14}{}", "pair", "inv_freq", "wavelength",
                                 several ? "  axis" : "")) +
          "\n";
  for (Index j = 0; j < table.shape[0]; ++j) {
    const double frequency = value_at(table, j);
    text += fmt::format("{:>5}  {:<24} {:>14.2f}", j, shortest(frequency),
                        2.0 * std::numbers::pi / frequency);
    text += several ? fmt::format("  {}\n", ladder->axis[static_cast<std::size_t>(j)]) : "\n";
  }
  print(text);
  return 0;
}

int show(const Job& job) {
  const std::vector<Index> shape = table_shape(job.effects, job.request);
  if (!job.globals.json) {
    const Style style(job.globals.color);
    const Table table = make_table(*job.encoding, job.request);
    print(fmt::format("{}  {} {} {}\n", style.bold(job.encoding->spec()), name(job.request.kind),
                      shape_text(shape), name(table.dtype)) +
          table_text(table));
    return 0;
  }
  Index values = 1;
  for (const Index size : shape) values *= size;
  require(values <= kMostPrinted, "--json", "prints {} values at most but the table has {}; use -o",
          kMostPrinted, values);
  const Table table = make_table(*job.encoding, job.request);
  Json json = job.json();
  json["shape"] = shape;
  json["dtype"] = name(table.dtype);
  json["values"] = table_json(table);
  print(to_text(json));
  return 0;
}

void add_options(CLI::App& app, Options& options) {
  add_text(app, "SPEC", options.spec, "SPEC", "The encoding: rope, rope(base=500000), alibi ...");
  CLI::Option* positions = add_integer(
      app, "--positions", options.positions, 1, kLargest,
      fmt::format("Number of positions (default {}); inv_freq needs none", kTablePositions));
  CLI::Option* offset =
      add_number(app, "--offset", options.offset, "The first position (default 0)");
  exclude(add_text(app, "--at", options.at, "FILE", "Positions from a .npy file, [n] or [n, axes]"),
          {positions, offset});
  add_integer(app, "--length", options.length, 1, kLargest,
              "Current sequence length, for re-scaled positions, stretched tables and schedules "
              "(default: up to the last position)");
  add_integer(app, "--dim", options.dim, 1, kMostDim,
              fmt::format("Width of a row, a query, a key (default {})", kTableDim));
  add_integer(app, "--heads", options.heads, 1, kMostHeads,
              fmt::format("Heads (default: those of the spec, or {})", kTableHeads));
  add_choice(app, "--what", options.what, kTableWords,
             "Which table (default: what shows the most of the encoding)");
  add_choice(app, "--dtype", options.dtype, kDtypeWords,
             "Type of the values (default f32; inv_freq on the terminal f64)");
  add_text(app, "-o,--output", options.output, "FILE",
           "Write FILE.npy, FILE.safetensors or FILE.csv instead of printing");
  add_flag(app, "--force", options.force, "Replace an existing output");
  add_bytes(app, "--mem", options.memory,
            "Memory to use at most, such as 500M or 8G (default: 80 % of what is available)");
}

}  // namespace

void register_table(VerbRegistry& verbs) {
  Verb& verb = verbs.add("table", "Write an encoding as an array of numbers");
  const auto options = std::make_shared<Options>();
  add_options(*verb.app, *options);
  verb.examples = {
      {"sextant table rope --dim 128 --what inv_freq", "the frequencies and the magnitude"},
      {"sextant table sinusoidal --positions 512 --dim 768 -o sinusoidal.npy",
       "the input table of a model as an array"},
      {"sextant table 'rope(base=500000)' --positions 8192 --dim 128 --what cos -o cos.safetensors",
       "cosines for an inference engine"},
      {"sextant table alibi --heads 12 --positions 16 --json", "a bias for programs"},
      {"sextant table rope --at positions.npy --dtype bf16 -o cos.safetensors",
       "irregular positions from a file"},
  };
  verb.takes_json = verb.takes_threads = verb.takes_seed = true;
  verb.run = [options, &globals = verbs.globals()] {
    require(options->force == false || !options->output.empty(), "--force", "needs -o FILE");
    const Job job = prepared(*options, globals);
    if (job.to_file()) return write(job);
    return job.request.kind == TableKind::kInvFreq ? show_ladder(job) : show(job);
  };
}

}  // namespace sextant::cli
