// SPDX-License-Identifier: Apache-2.0
// GPT-2 as it was published: a vocabulary as JSON and a list of merges, one a line.
#include <array>

#include "base/check.h"
#include "base/text.h"
#include "corpus/tokenizers/bpe.h"
#include "corpus/tokenizers/tokenizers.h"
#include "corpus/utf8.h"
#include "io/input_file.h"

namespace sextant {
namespace {

namespace fs = std::filesystem;

// The one of two names that the folder has.
fs::path one_of(const fs::path& folder, std::array<std::string_view, 2> names) {
  std::error_code none;
  for (const std::string_view name : names)
    if (fs::exists(folder / name, none)) return folder / name;
  fail(ErrorCode::kUnreadable, path_text(folder), "holds neither {} nor {}", names[0], names[1]);
}

BpeMergeList read_merges(const fs::path& path) {
  const std::string bytes = read_whole(path, kMostTokenizerBytes);
  BpeMergeList list;
  std::vector<Index> lines;
  const auto place = [file = path_text(path)](Index line) {
    return fmt::format("{}:{}", file, line);
  };
  std::string_view rest = bytes;
  for (Index number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("#version")) continue;
    if (const auto fault = first_utf8_fault(line))
      fail(ErrorCode::kMalformed, fmt::format("{}:{}", place(number), fault->at + 1),
           "the merge is not UTF-8");
    const std::vector<std::string_view> parts = split(line, ' ');
    if (parts.size() != 2 || parts[0].empty() || parts[1].empty())
      fail(ErrorCode::kMalformed, place(number), "a merge must be two tokens but is '{}'",
           escaped(line));
    list.merges.push_back({std::string(parts[0]), std::string(parts[1])});
    lines.push_back(number);
  }
  list.place = [place, lines = std::move(lines)](std::size_t i) { return place(lines[i]); };
  return list;
}

}  // namespace

std::unique_ptr<Tokenizer> read_gpt2_folder(const fs::path& folder) {
  const fs::path vocabulary = one_of(folder, {"vocab.json", "encoder.json"});
  const fs::path merges = one_of(folder, {"merges.txt", "vocab.bpe"});
  const JsonInput document = read_json(vocabulary, kMostTokenizerBytes);
  PieceParts parts = {.file = path_text(vocabulary)};
  parts.vocabulary = vocabulary_from(JsonNode(document, parts.file), {});
  constexpr std::string_view kEnd = "<|endoftext|>";
  if (const auto id = parts.vocabulary.find(kEnd))
    parts.added.push_back({.content = std::string(kEnd), .id = *id});
  return make_bpe(std::move(parts), read_merges(merges), {});
}

}  // namespace sextant
