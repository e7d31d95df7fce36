// SPDX-License-Identifier: Apache-2.0
#include "run/provenance.h"

#include <fmt/format.h>

#include "corpus/positional_counts.h"

namespace sextant {
namespace {

// The options that change numbers, as one would type them; those at their default are left out.
std::string options_text(const Study& study) {
  const CountOptions& count = study.counts.options;
  const CountOptions usual;
  const StudyOptions& options = study.options;
  const StudyOptions plain;
  std::string text =
      fmt::format("--positions {} --tokens {}", count.positions, study.counts.tokenizer);
  const auto add = [&text](bool differs, const std::string& option) {
    if (differs) text += " " + option;
  };
  add(count.length != usual.length, fmt::format("--length {}", name(count.length)));
  add(count.specials == Specials::kBert, "--specials bert");
  add(count.windows, "--windows");
  add(study.limit.has_value(), fmt::format("--limit {}", study.limit.value_or(0)));
  add(!options.encodings.empty(),
      fmt::format("--encodings {}", fmt::join(asked_encodings(study), ",")));
  add(options.dim != plain.dim, fmt::format("--dim {}", options.dim));
  add(options.heads != plain.heads, fmt::format("--heads {}", options.heads));
  add(options.train.has_value(), fmt::format("--train {}", options.train.value_or(0)));
  add(options.metric != plain.metric, fmt::format("--metric {}", name(options.metric)));
  add(options.splits != plain.splits, fmt::format("--splits {}", options.splits));
  add(count.shuffles != usual.shuffles, fmt::format("--shuffles {}", count.shuffles));
  add(!options.intervals, "--no-intervals");
  add(options.seed != plain.seed, fmt::format("--seed {}", options.seed));
  return text;
}

}  // namespace

std::string_view version() { return SEXTANT_VERSION; }

Json new_document(std::string_view verb) {
  Json document;
  document["schema"] = 1;
  document["verb"] = verb;
  document["version"] = version();
  return document;
}

std::string input_hash_text(const std::array<std::uint64_t, 2>& hash) {
  return fmt::format("{:016x}{:016x}", hash[0], hash[1]);
}

std::vector<std::string> asked_encodings(const Study& study) {
  std::vector<std::string> result;
  for (const std::string& spec : study.options.encodings) result.push_back(without_folders(spec));
  return result;
}

std::string compiler() {
#ifdef __clang__
  return fmt::format("clang {}", __VERSION__);
#else
  return fmt::format("g++ {}", __VERSION__);
#endif
}

std::vector<LibraryVersion> library_versions() {
  return {{"Eigen", SEXTANT_EIGEN_VERSION},       {"fmt", SEXTANT_FMT_VERSION},
          {"Highway", SEXTANT_HIGHWAY_VERSION},   {"nlohmann_json", SEXTANT_JSON_VERSION},
          {"OpenBLAS", SEXTANT_OPENBLAS_VERSION}, {"PCRE2", SEXTANT_PCRE2_VERSION},
          {"simdjson", SEXTANT_SIMDJSON_VERSION}, {"utf8proc", SEXTANT_UTF8PROC_VERSION},
          {"zlib", SEXTANT_ZLIB_VERSION},         {"zstd", SEXTANT_ZSTD_VERSION}};
}

Json build_json() {
  Json json;
  json["version"] = version();
  json["compiler"] = compiler();
  json["libraries"] = Json::object();
  for (const LibraryVersion& library : library_versions())
    json["libraries"][std::string(library.name)] = library.version;
  return json;
}

Json provenance_json(const Study& study) {
  Json json = build_json();
  json["input_hash"] = input_hash_text(study.counts.input_hash);
  json["options"] = options_text(study);
  return json;
}

}  // namespace sextant
