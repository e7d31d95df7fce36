// SPDX-License-Identifier: Apache-2.0
#include "cli/counts_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/text.h"
#include "cli/output.h"
#include "corpus/positional_counts.h"
#include "run/provenance.h"

namespace sextant::cli {
namespace {

constexpr std::size_t kMostNamed = 8;  // shards in a line for people

std::vector<Index> missing_shards(const CorpusPart& part) {
  std::vector<Index> all(static_cast<std::size_t>(part.shards)), missing;
  std::iota(all.begin(), all.end(), Index{0});
  std::ranges::set_difference(all, part.present, std::back_inserter(missing));
  return missing;
}

std::string some_of(const std::vector<Index>& numbers) {
  const auto shown = numbers.begin() + static_cast<Index>(std::min(numbers.size(), kMostNamed));
  std::string text = fmt::format("{}", fmt::join(numbers.begin(), shown, ", "));
  if (numbers.size() > kMostNamed) text += ", ...";
  return text;
}

std::string shards_text(const CorpusPart& part) {
  if (part.shards == 1) return "the whole corpus";
  const std::vector<Index> missing = missing_shards(part);
  if (missing.empty()) return fmt::format("all {} shards", part.shards);
  if (part.present.size() == 1)
    return fmt::format("shard {} of {} (from 0)", part.present.front(), part.shards);
  return fmt::format("{} of {} shards; missing: {}", part.present.size(), part.shards,
                     some_of(missing));
}

Json counts_json(std::string_view verb, const CountsFile& file, const std::filesystem::path& path) {
  const PositionalCounts& counts = file.counts;
  Json json = new_document(verb);
  json["file"] = path.string();
  json["bytes"] = std::filesystem::file_size(path);
  json["shards"] = file.part.shards;
  json["present"] = file.part.present;
  json["missing"] = missing_shards(file.part);
  json["records"] = counts.records;
  json["sequences"] = counts.sequences;
  json["used"] = counts.used;
  json["tokens"] = counts.tokens;
  json["vocabulary"] = counts.vocabulary;
  json["tokenizer"] = counts.tokenizer;
  json["positions"] = counts.options.positions;
  json["length"] = name(counts.options.length);
  json["shuffles"] = counts.options.shuffles;
  json["seed"] = counts.options.seed;
  json["cells"] = counts.blocks.cells();
  json["shuffled_cells"] = counts.shuffled.cells();
  json["skipped"] = counts.skipped;
  json["hash"] = input_hash_text(counts.input_hash);
  json["notes"] = file.log.notes();
  return json;
}

std::string counts_lines(const CountsFile& file, const std::filesystem::path& path) {
  const PositionalCounts& counts = file.counts;
  std::string text;
  const auto line = [&text](std::string_view what, const std::string& value) {
    text += fmt::format("{:<12}{}\n", what, value);
  };
  line("file", fmt::format("{} ({:.1f} MB)", path_text(path),
                           static_cast<double>(std::filesystem::file_size(path)) * 1e-6));
  line("part", shards_text(file.part));
  line("sequences", fmt::format("{}, of which {} count", counts.sequences, counts.used));
  line("tokens", fmt::format("{} of {} types ({})", counts.tokens, counts.vocabulary,
                             escaped(counts.tokenizer)));
  line("positions", fmt::format("{} ({})", counts.options.positions, name(counts.options.length)));
  line("cells", fmt::format("{}, and {} of {} shuffles", counts.blocks.cells(),
                            counts.shuffled.cells(), counts.options.shuffles));
  return text;
}

}  // namespace

void show_counts(std::string_view verb, const CountsFile& file, const std::filesystem::path& path,
                 const Globals& globals) {
  for (const std::string& each : file.notes) note(globals, each);
  for (const std::string& each : file.log.notes()) note(globals, each);
  print(globals.json ? to_text(counts_json(verb, file, path)) : counts_lines(file, path));
}

}  // namespace sextant::cli
