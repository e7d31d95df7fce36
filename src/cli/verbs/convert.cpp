// SPDX-License-Identifier: Apache-2.0
// sextant convert: projections from one pairing to the other, cached keys from one scaling to
// another.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_output.h"
#include "cli/table_file.h"
#include "io/array_input.h"
#include "model/conversion.h"
#include "sextant/model.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kWhat = {"pairing", "keys"};
const std::vector<std::string> kPairings = {"half", "interleaved"};

struct Options {
  std::string what, file, output, to, from, model, tensors, at;
  std::optional<Index> heads, kv_heads, head_dim, rotary_dim, length;
  std::optional<double> offset;
  bool force = false, allow_nonfinite = false;
};

std::vector<std::string> tensor_names(const Options& options) {
  std::vector<std::string> names;
  if (options.tensors.empty()) return names;
  for (const std::string_view name : split(options.tensors, ',')) names.emplace_back(name);
  return names;
}

// The one way in which the model's layers turn; kUsage where they do in several.
RotaryOperator model_operator(const Model& model, Index length) {
  std::optional<RotaryOperator> found;
  for (const LayerGroup& group : model.groups) {
    if (group.kind != PositionKind::kRotary) continue;
    RotaryOperator own = rotary_operator(model, group, Engine::kHuggingFace, length);
    require(!found || found->spec == own.spec, model.source,
            "its layers turn in several ways ({} and {}); give the spec of those meant",
            found ? found->spec : "", own.spec);
    found = std::move(own);
  }
  require(found.has_value(), model.source, "has no rotary positions");
  return found.value_or(RotaryOperator{});
}

RotaryOperator key_operator(const std::string& text, Index head_dim, Index length) {
  std::error_code none;
  if (fs::exists(text, none)) return model_operator(read_model(text), length);
  return operator_of(text, head_dim);
}

// "none" does not turn: as many pairs, and where they are, as the other one says.
void shape_like(RotaryOperator& none, const RotaryOperator& other) {
  if (none.spec != "none") return;
  none.pairing = other.pairing;
  none.rotary_dim = other.rotary_dim;
  none.inv_freq.assign(other.inv_freq.size(), 0.0);
}

void report(const Options& options, const Globals& globals, Json document,
            const std::vector<ConvertedTensor>& converted) {
  document["file"] = options.output;
  document["tensors"] = Json::array();
  for (const ConvertedTensor& tensor : converted)
    document["tensors"].push_back(
        {{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", tensor.shape}});
  if (globals.json) {
    print(to_text(document));
  } else if (!globals.quiet) {
    std::string text;
    for (const ConvertedTensor& tensor : converted)
      text += fmt::format("  {} {} {}\n", tensor.name.empty() ? "keys" : escaped(tensor.name),
                          shape_text(tensor.shape), tensor.dtype);
    print(fmt::format("{}: {} {} converted, everything else is as it was\n{}", options.output,
                      converted.size(), converted.size() == 1 ? "tensor" : "tensors", text));
  }
}

int convert_model_pairing(const Options& options, const Globals& globals, AtomicFile& output) {
  PairingConversion conversion;
  conversion.to =
      choice("--to", options.to, kPairings) == 0 ? Pairing::kHalf : Pairing::kInterleaved;
  conversion.tensors = tensor_names(options);
  if (!options.model.empty()) {
    const Model model = read_model(options.model);
    require(!model.latent_attention, model.source,
            "latent attention keeps the rotated rows in fused projections; split them first");
    const RotaryOperator rotary = model_operator(model, 0);
    conversion.heads = model.heads;
    conversion.kv_heads = model.kv_heads;
    conversion.head_dim = rotary.head_dim;
    conversion.rotary_dim = rotary.rotary_dim;
    if (rotary.pairing == conversion.to)
      note(globals, fmt::format("{} is {} already by its config", path_text(options.model),
                                name(rotary.pairing)));
  }
  conversion.heads = options.heads.value_or(conversion.heads);
  conversion.kv_heads = options.kv_heads.value_or(conversion.kv_heads);
  conversion.head_dim = options.head_dim.value_or(conversion.head_dim);
  conversion.rotary_dim = options.rotary_dim.value_or(conversion.rotary_dim);
  require(conversion.heads > 0 || !conversion.tensors.empty(), "--heads",
          "must be given, or --model CONFIG");
  const auto converted = convert_pairing(options.file, conversion, output);
  output.commit();
  Json document = new_document("convert");
  document["what"] = "pairing";
  document["to"] = name(conversion.to);
  report(options, globals, std::move(document), converted);
  note(globals, "the file does not say its pairing: the engine or the config must be told");
  return 0;
}

Vector key_positions(const std::string& file) {
  const NpyArray array = read_array(file);
  if (array.shape.size() != 1)
    fail(ErrorCode::kMalformed, path_text(file), "positions must have the shape [n]");
  return array.values;
}

int convert_cached_keys(const Options& options, const Globals& globals, AtomicFile& output) {
  require(!options.from.empty(), "--from",
          "must be given: a spec such as rope(base=1e6), or MODEL");
  const std::vector<TensorSpan> tensors = key_tensors(options.file, tensor_names(options));
  const Index head_dim = tensors.front().header.shape.back();
  KeyConversion conversion;
  conversion.from = key_operator(options.from, head_dim, options.length.value_or(0));
  conversion.to = key_operator(options.to, head_dim, options.length.value_or(0));
  shape_like(conversion.from, conversion.to);
  shape_like(conversion.to, conversion.from);
  conversion.offset = options.offset.value_or(0.0);
  if (!options.at.empty()) conversion.at = key_positions(options.at);
  conversion.allow_nonfinite = options.allow_nonfinite;
  const auto converted = convert_keys(options.file, tensors, conversion, output);
  output.commit();
  Json document = new_document("convert");
  document["what"] = "keys";
  document["from"] = conversion.from.spec;
  document["to"] = conversion.to.spec;
  report(options, globals, std::move(document), converted);
  return 0;
}

// Options of the other kind of work do nothing here.
void check_options(const CLI::App& app, bool pairing) {
  for (const char* option : {"--heads", "--kv-heads", "--head-dim", "--rotary-dim", "--model"})
    require(pairing || !given(app, option), option, "goes with 'convert pairing'");
  for (const char* option : {"--from", "--offset", "--at", "--length", "--allow-nonfinite"})
    require(!pairing || !given(app, option), option, "goes with 'convert keys'");
}

int run(const CLI::App& app, const Options& options, const Globals& globals) {
  require(!options.what.empty() && !options.file.empty(), "convert",
          "takes what to convert (pairing or keys) and a file");
  require(!options.output.empty(), "--output", "must be given");
  require(!options.to.empty(), "--to", "must be given");
  const bool pairing = options.what == "pairing";
  check_options(app, pairing);
  refuse_input_as_output(options.output, {options.file, options.at});
  std::error_code none;
  require(!fs::is_directory(options.file, none), path_text(options.file),
          "is a folder: convert works on one file; of a sharded model convert each");
  require(fs::path(options.file).extension() == fs::path(options.output).extension(),
          path_text(options.output), "must have the format of the input, {}",
          fs::path(options.file).extension().string());
  AtomicFile output(options.output,
                    options.force ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep);
  return pairing ? convert_model_pairing(options, globals, output)
                 : convert_cached_keys(options, globals, output);
}

void add_options(CLI::App& app, Options& options) {
  add_choice(app, "WHAT", options.what, kWhat,
             "pairing: rows of q and k projections; keys: a cache of rotated keys");
  add_text(app, "FILE", options.file, "FILE",
           "Weights .safetensors; keys .safetensors or .npy, [.., positions, head_dim]");
  add_text(app, "-o,--output", options.output, "FILE", "Where to write, in the same format");
  add_flag(app, "--force", options.force, "Replace an existing output");
  add_text(
      app, "--to", options.to, "X",
      "pairing: half or interleaved; keys: a spec such as \"rope(scaling=yarn,...)\", or MODEL");
  add_text(
      app, "--tensors", options.tensors, "NAME,...",
      "Tensors to convert (default: q_proj, k_proj and the like by name; of keys the only one)");
  add_text(app, "--model", options.model, "FILE",
           "pairing: config.json that tells heads and dimensions");
  add_integer(app, "--heads", options.heads, 1, kMostHeads, "pairing: heads of the queries");
  add_integer(app, "--kv-heads", options.kv_heads, 1, kMostHeads,
              "pairing: heads of the keys (default: --heads)");
  add_integer(app, "--head-dim", options.head_dim, 2, kMostDim,
              "pairing: rows per head (default: rows of q_proj / heads)");
  add_integer(app, "--rotary-dim", options.rotary_dim, 2, kMostDim,
              "pairing: rows per head that turn (default: all)");
  add_text(app, "--from", options.from, "SPEC",
           "keys: how they were rotated, a spec or MODEL; none: not yet");
  CLI::Option* offset =
      add_number(app, "--offset", options.offset, "keys: position of the first key (default 0)");
  exclude(
      add_text(app, "--at", options.at, "FILE", "keys: positions from a .npy file, [positions]"),
      {offset});
  add_integer(app, "--length", options.length, 1, kLargest,
              "keys: sequence length of a MODEL with dynamic or longrope (default: its context)");
  add_flag(app, "--allow-nonfinite", options.allow_nonfinite,
           "keys: leave pairs with NaN or infinity as they are instead of stopping");
}

}  // namespace

void register_convert(VerbRegistry& verbs) {
  Verb& verb = verbs.add("convert", "Change the pairing of projections, or re-rotate cached keys");
  const auto options = std::make_shared<Options>();
  add_options(*verb.app, *options);
  verb.examples = {
      {"sextant convert pairing model.safetensors -o meta.safetensors --heads 32 --kv-heads 8 "
       "--to interleaved",
       "Hugging Face's layout to that of Meta and GPT-J"},
      {"sextant convert pairing model.safetensors -o hf.safetensors --model config.json --to half",
       "heads and dimensions from the config"},
      {"sextant convert keys keys.npy -o yarn.npy --from 'rope' "
       "--to 'rope(scaling=yarn,factor=4,original=4096)'",
       "a cache made before the context was extended"},
      {"sextant convert keys cache.safetensors -o raw.safetensors --tensors k.0,k.1 --from llama/ "
       "--to none --offset 512",
       "keys as they were before they turned"},
  };
  verb.takes_json = true;
  verb.run = [options, app = verb.app, &globals = verbs.globals()] {
    return run(*app, *options, globals);
  };
}

}  // namespace sextant::cli
