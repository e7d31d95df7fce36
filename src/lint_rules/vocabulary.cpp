// SPDX-License-Identifier: Apache-2.0
// R44: a vocabulary whose lines or ids are shifted. Every token then reads the embedding of another
// one, at every position.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "io/input_file.h"
#include "model/lint_places.h"

namespace sextant {
namespace {

using Findings = std::vector<LintFinding>;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 26;

void add(Findings& findings, const std::string& file, std::string where, std::string message,
         std::string change, double value) {
  findings.push_back({.severity = Severity::kWarning,
                      .file = file,
                      .where = std::move(where),
                      .message = std::move(message),
                      .change = std::move(change),
                      .values = {{"first", value}}});
}

// The first line of each kind of fault, and how many there are.
struct LineFaults {
  std::size_t carriage = 0, carriages = 0;
  std::size_t blank = 0, blanks = 0;
  std::size_t repeated = 0, repeats = 0, before = 0;
};

LineFaults line_faults(const std::vector<std::string_view>& lines) {
  LineFaults faults;
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::string_view line = lines[k];
    if (line.ends_with('\r')) {
      if (faults.carriages++ == 0) faults.carriage = k + 1;
      line.remove_suffix(1);
    }
    if (line.empty()) {
      if (faults.blanks++ == 0) faults.blank = k + 1;
      continue;
    }
    const auto [place, is_new] = seen.emplace(line, k + 1);
    if (is_new) continue;
    if (faults.repeats++ == 0) {
      faults.repeated = k + 1;
      faults.before = place->second;
    }
  }
  return faults;
}

std::size_t judge_lines(const std::string& file, std::string_view text, Findings& findings) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) {
    add(findings, file, "line 1",
        "the file begins with a byte order mark, which becomes part of the first token",
        "save it as UTF-8 without a mark", 1.0);
    text.remove_prefix(kMark.size());
  }
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::vector<std::string_view> lines = split(text, '\n');
  const LineFaults faults = line_faults(lines);
  if (faults.carriages > 0)
    add(findings, file, fmt::format("line {}", faults.carriage),
        fmt::format("{} lines end in CR LF: readers that split at LF keep the CR in the token",
                    faults.carriages),
        "save it with LF alone", static_cast<double>(faults.carriage));
  if (faults.blanks > 0)
    add(findings, file, fmt::format("line {}", faults.blank),
        fmt::format("line {} is blank ({} in all): readers that skip it give every later token the "
                    "id before its own",
                    faults.blank, faults.blanks),
        "restore the token of that line", static_cast<double>(faults.blank));
  if (faults.repeats > 0)
    add(findings, file, fmt::format("line {}", faults.repeated),
        fmt::format(
            "line {} repeats the token of line {} ({} repeats in all): one of the two ids is "
            "never used, and some readers refuse the file",
            faults.repeated, faults.before, faults.repeats),
        "restore the published file", static_cast<double>(faults.repeated));
  return lines.size();
}

std::size_t judge_ids(const std::string& file, std::string_view text, Findings& findings) {
  const JsonInput document = parse_json(text, file);
  const JsonNode vocabulary(document, file);
  std::vector<std::uint64_t> ids;
  for (const auto& [token, id] : vocabulary.members()) ids.push_back(id.count());
  std::ranges::sort(ids);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (ids[k] == k) continue;
    const bool is_repeated = k > 0 && ids[k] == ids[k - 1];
    add(findings, file, "",
        is_repeated ? fmt::format("two tokens have the id {}", ids[k])
                    : fmt::format("no token has the id {}, though ids go up to {}", k, ids.back()),
        "restore the published file", static_cast<double>(is_repeated ? ids[k] : k));
    break;
  }
  return ids.size();
}

void judge_specials(const LintSubject& subject, std::size_t entries, Findings& findings) {
  for (const ConfigObject& scope : config_scopes(subject)) {
    const double size = number_at(scope, "vocab_size").value_or(static_cast<double>(entries));
    for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id", "unk_token_id",
                            "decoder_start_token_id"}) {
      const std::optional<double> id = number_at(scope, key);
      if (!id || *id < size) continue;
      findings.push_back({.severity = Severity::kWarning,
                          .where = fmt::format("{}/{}", scope.pointer, key),
                          .message = fmt::format(
                              "{} is {:.0f} but there are {:.0f} ids: the token reads beyond the "
                              "embedding",
                              key, *id, size),
                          .change = "write the id of the vocabulary",
                          .values = {{"id", *id}, {"size", size}}});
    }
  }
}

void vocabulary(const LintSubject& subject, Findings& findings) {
  if (!subject.files.vocabulary) return;
  const std::filesystem::path& path = *subject.files.vocabulary;
  const std::string file = path_text(path);
  const std::string text = read_whole(path, kMostBytes);
  const std::size_t entries = path.extension() == ".json" ? judge_ids(file, text, findings)
                                                          : judge_lines(file, text, findings);
  judge_specials(subject, entries, findings);
}

constexpr std::string_view kR44[] = {"torchtext#1840", "transformers#1078", "sentencepiece#881",
                                     "llama.cpp#5496"};

constexpr LintRule kRules[] = {
    {.id = "R44",
     .name = "vocabulary",
     .title = "a vocabulary with shifted lines, gaps or ids out of range",
     .severity = Severity::kWarning,
     .background =
         "The id of a token is the number of its line. A byte order mark, CR LF, a blank or a "
         "repeated line shift ids in some readers and not in others.",
     .references = kR44,
     .broken = R"(vocab.txt: "[PAD]\n\n[UNK]\n")",
     .fixed = R"(vocab.txt: "[PAD]\n[UNK]\n")",
     .check = vocabulary},
};

}  // namespace

void register_vocabulary(LintRegistry& registry) {
  for (const LintRule& rule : kRules) registry.add(rule);
}

}  // namespace sextant
