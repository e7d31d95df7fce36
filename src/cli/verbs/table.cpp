// SPDX-License-Identifier: Apache-2.0
// sextant table: an encoding as an array of numbers, in a file or on the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "base/check.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/encoding_text.h"
#include "cli/map_files.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table_file.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

constexpr Index kDim = 64;
constexpr Index kHeads = 8;
constexpr Index kPositions = 64;
constexpr Index kMostPrinted = 100000;  // values in one JSON document

const std::vector<std::string> kWhat = {"rows", "cos", "sin", "inv_freq", "bias", "matrix"};
constexpr TableKind kKinds[] = {TableKind::kRows,    TableKind::kCos,  TableKind::kSin,
                                TableKind::kInvFreq, TableKind::kBias, TableKind::kMatrix};
const std::vector<std::string> kDtypeNames = {"f32", "f64", "f16", "bf16"};
constexpr Dtype kDtypes[] = {Dtype::kF32, Dtype::kF64, Dtype::kF16, Dtype::kBF16};

struct Options {
  std::string spec, at, dtype, what, output;
  std::optional<Index> positions, dim, heads, length;
  std::optional<double> offset;
  std::optional<std::uint64_t> memory;
  bool force = false;
};

Positions chosen_positions(const Options& options) {
  if (options.at.empty()) {
    return Positions::range(options.positions.value_or(kPositions), options.offset.value_or(0.0));
  }
  return read_positions(options.at);
}

// The sequence ends after the last position, unless --length says otherwise.
Index sequence_length(const Options& options, const Positions& positions) {
  if (options.length) return *options.length;
  double last = 0.0;
  if (positions.consecutive()) {
    last = positions.consecutive()->offset + static_cast<double>(positions.size() - 1);
  } else {
    for (Index i = 0; i < positions.size(); ++i)
      for (Index axis = 0; axis < positions.axes(); ++axis)
        last = std::max(last, positions[i][axis]);
  }
  constexpr double kLongest = 9e15;  // integers of this size are exact in a double
  return std::max(positions.size(),
                  static_cast<Index>(std::clamp(std::floor(last), -1.0, kLongest)) + 1);
}

double memory_budget(const Options& options) {
  constexpr double kShare = 0.8;
  const std::optional<std::uint64_t> available = available_memory();
  double budget = available ? kShare * static_cast<double>(*available) : HUGE_VAL;
  if (options.memory) budget = std::min(budget, static_cast<double>(*options.memory));
  return budget;
}

void refuse_beyond(double budget, double bytes, std::string_view what, std::string_view hint) {
  if (bytes <= budget) return;
  fail(ErrorCode::kRefused, "table", "{} needs {}, have {}; {}", what, gigabytes(bytes),
       gigabytes(budget), hint);
}

std::string_view hint_for(TableKind kind) {
  switch (kind) {
    case TableKind::kBias:
      return "use fewer --positions or --heads";
    case TableKind::kMatrix:
      return "use fewer --positions, a smaller --dim, or --what cos";
    default:
      return "use fewer --positions or --dtype bf16";
  }
}

// The output must not be one of the inputs: --at, or a file in the spec.
void check_output_is_no_input(const Options& options) {
  std::vector<std::string> inputs = {options.at};
  for (const EncodingSpec::Term& term : EncodingSpec::parse(options.spec).terms)
    for (const EncodingSpec::Argument& argument : term.arguments) inputs.push_back(argument.value);
  refuse_input_as_output(options.output, inputs);
}

// Everything that is known before the numbers are made.
struct Job {
  const Options& options;
  const Globals& globals;
  std::unique_ptr<Encoding> encoding;
  TableRequest request;
  Effects effects;

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
  Job job = {options, globals, encodings().make(seeded(options.spec, globals)), {}, {}};
  const Sites& sites = job.encoding->info().sites;
  require(sites.input || sites.query_key || sites.logit, job.encoding->spec(),
          "has no table: it acts on {}", sites_text(sites));
  TableRequest& request = job.request;
  const double budget = memory_budget(options);
  if (options.positions && options.what != "inv_freq") {
    refuse_beyond(budget, 2.0 * static_cast<double>(*options.positions),
                  fmt::format("a table of {} positions", *options.positions),
                  "use fewer --positions");
  }
  request.positions = chosen_positions(options);
  request.threads = globals.threads;
  request.extent.dim = options.dim.value_or(job.encoding->dim() > 0 ? job.encoding->dim() : kDim);
  request.extent.heads =
      options.heads.value_or(job.encoding->heads() > 0 ? job.encoding->heads() : kHeads);
  request.extent.positions = sequence_length(options, request.positions);

  if (sites.query_key) {
    constexpr double kDenseCopies = 3.0;  // a basis, the matrix made orthogonal, the work space
    const auto width = static_cast<double>(request.extent.dim);
    refuse_beyond(budget, kDenseCopies * 8.0 * width * width,
                  fmt::format("a map of queries of width {}", request.extent.dim),
                  "use a smaller --dim");
  }
  job.effects = job.encoding->effects(request.extent);
  request.kind = options.what.empty() ? default_kind(job.effects)
                                      : kKinds[choice("--what", options.what, kWhat)];
  const bool shows_ladder = request.kind == TableKind::kInvFreq && !job.to_file();
  request.dtype = options.dtype.empty() ? (shows_ladder ? Dtype::kF64 : Dtype::kF32)
                                        : kDtypes[choice("--dtype", options.dtype, kDtypeNames)];
  const auto bytes = static_cast<double>(table_bytes(job.effects, request));
  refuse_beyond(budget, bytes,
                fmt::format("{} {} in {}", name(request.kind),
                            shape_text(table_shape(job.effects, request)), name(request.dtype)),
                hint_for(request.kind));
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
  CLI::Option* positions =
      add_integer(app, "--positions", options.positions, 1, kLargest,
                  fmt::format("Number of positions (default {}); inv_freq needs none", kPositions));
  CLI::Option* offset =
      add_number(app, "--offset", options.offset, "The first position (default 0)");
  exclude(add_text(app, "--at", options.at, "FILE", "Positions from a .npy file, [n] or [n, axes]"),
          {positions, offset});
  add_integer(app, "--length", options.length, 1, kLargest,
              "Current sequence length, for re-scaled positions, stretched tables and schedules "
              "(default: up to the last position)");
  add_integer(app, "--dim", options.dim, 1, kMostDim,
              fmt::format("Width of a row, a query, a key (default {})", kDim));
  add_integer(app, "--heads", options.heads, 1, kMostHeads,
              fmt::format("Heads (default: those of the spec, or {})", kHeads));
  add_choice(app, "--what", options.what, kWhat,
             "Which table (default: what shows the most of the encoding)");
  add_choice(app, "--dtype", options.dtype, kDtypeNames,
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
