// SPDX-License-Identifier: Apache-2.0
// tokenizer.json: reads what can be done exactly and refuses the rest by name.
#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "corpus/tokenizers/bpe.h"
#include "corpus/tokenizers/tokenizers.h"
#include "corpus/tokenizers/unigram.h"
#include "corpus/tokenizers/wordpiece.h"

namespace sextant {
namespace {

[[noreturn]] void refuse(const JsonNode& node, std::string_view kind, std::string_view name,
                         std::string_view model) {
  node.fail_here("the {} '{}' is not supported with the model {}", kind, escaped(name), model);
}

// A setting that must have its harmless value.
void expect_off(const JsonNode& node, const std::string& key) {
  if (node.flag_or(key, false)) node.fail_here("{} is not supported", key);
}
void expect_empty(const JsonNode& node, const std::string& key) {
  if (!node.text_or(key, "").empty()) node.fail_here("{} is not supported", key);
}

// Added tokens that the model's own vocabulary, asked by `own_id`, does not have. kMalformed where
// the two disagree.
template <typename OwnId>
std::vector<NamedId> beyond_vocabulary(const JsonNode& root, const std::vector<AddedToken>& added,
                                       const OwnId& own_id) {
  std::vector<NamedId> others;
  for (std::size_t i = 0; i < added.size(); ++i) {
    const AddedToken& token = added[i];
    const std::optional<Index> own = own_id(token.content);
    if (!own)
      others.push_back({token.content, token.id});
    else if (*own != Index{token.id})
      root.at("added_tokens")
          .at(i)
          .fail_here("'{}' has the id {} here but {} in the vocabulary", escaped(token.content),
                     token.id, *own);
  }
  return others;
}

PieceParts common_parts(const JsonNode& root, const std::string& file) {
  PieceParts parts = {.file = file};
  if (const auto added = root.find("added_tokens")) parts.added = added_tokens_from(*added);
  for (const char* ignored : {"truncation", "padding"})
    if (root.find(ignored))
      parts.notes.push_back(fmt::format("tokenizer.json: {} is ignored", ignored));
  return parts;
}

void read_vocabulary(const JsonNode& root, PieceParts& parts) {
  const JsonNode vocabulary = root.at("model").at("vocab");
  const auto own_id = [&](const std::string& token) -> std::optional<Index> {
    const auto node = vocabulary.find(token);
    if (!node) return std::nullopt;
    return node->integer();
  };
  parts.vocabulary = vocabulary_from(vocabulary, beyond_vocabulary(root, parts.added, own_id));
}

void note_degenerate(PieceParts& parts) {
  if (parts.vocabulary.size() == 1)
    parts.notes.push_back("tokenizer.json: the vocabulary has a single token");
}

std::unique_ptr<Tokenizer> wordpiece_from(const JsonNode& root, PieceParts parts) {
  const JsonNode model = root.at("model");
  WordPieceOptions options;
  options.unknown = model.text_or("unk_token", options.unknown);
  options.continuing = model.text_or("continuing_subword_prefix", options.continuing);
  if (const auto most = model.find("max_input_chars_per_word")) {
    if (most->integer() < 0) most->fail_here("must not be negative");
    options.most_characters = static_cast<std::size_t>(most->integer());
  }
  const JsonNode normalizer = root.at("normalizer");
  if (const std::string& type = normalizer.at("type").text(); type != "BertNormalizer")
    refuse(normalizer, "normalizer", type, "WordPiece");
  options.text.lower = normalizer.flag_or("lowercase", true);
  options.text.clean_text = normalizer.flag_or("clean_text", true);
  options.text.split_ideographs = normalizer.flag_or("handle_chinese_chars", true);
  options.text.strip_accents = normalizer.flag_or("strip_accents", options.text.lower);
  const JsonNode words = root.at("pre_tokenizer");
  if (const std::string& type = words.at("type").text(); type != "BertPreTokenizer")
    refuse(words, "pre-tokenizer", type, "WordPiece");
  read_vocabulary(root, parts);
  note_degenerate(parts);
  return make_wordpiece(std::move(parts), std::move(options));
}

BpeMergeList merges_from(const JsonNode& list) {
  BpeMergeList merges;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonNode node = list.at(i);
    BpeMerge merge;
    if (node.is_text()) {
      const std::vector<std::string_view> parts = split(node.text(), ' ');
      if (parts.size() == 2) merge = {std::string(parts[0]), std::string(parts[1])};
    } else if (node.size() == 2) {
      merge = {node.at(0).text(), node.at(1).text()};
    }
    if (merge.left.empty() || merge.right.empty()) node.fail_here("a merge must be two tokens");
    merges.merges.push_back(std::move(merge));
  }
  merges.place = [list](std::size_t i) { return list.at(i).place(); };
  return merges;
}

RegexPattern split_from(const JsonNode& node) {
  if (const std::string& behavior = node.at("behavior").text(); behavior != "Isolated")
    node.fail_here("the behavior '{}' of Split is not supported", escaped(behavior));
  expect_off(node, "invert");
  const JsonNode pattern = node.at("pattern");
  const auto regex = pattern.find("Regex");
  if (!regex) pattern.fail_here("only a Regex is supported as the pattern of Split");
  return RegexPattern(*regex);
}

// ByteLevel, or a Sequence of Splits that ends in one.
void read_byte_level(const JsonNode& node, BpeOptions& options) {
  const std::string& type = node.at("type").text();
  if (type == "ByteLevel") {
    options.gpt2_words = node.flag_or("use_regex", true);
    options.prefix_blank = node.flag_or("add_prefix_space", true);
    return;
  }
  if (type != "Sequence") refuse(node, "pre-tokenizer", type, "BPE");
  const JsonNode list = node.at("pretokenizers");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonNode each = list.at(i);
    const std::string& kind = each.at("type").text();
    const bool last = i + 1 == list.size();
    if (last && kind == "ByteLevel") {
      read_byte_level(each, options);
      if (options.prefix_blank && i > 0)
        each.fail_here("add_prefix_space after a Split is not supported");
      return;
    }
    if (kind != "Split") refuse(each, "pre-tokenizer", kind, "BPE in this place");
    options.splits.push_back(split_from(each));
  }
  node.fail_here("a Sequence without ByteLevel at its end is not supported with the model BPE");
}

std::unique_ptr<Tokenizer> bpe_from(const JsonNode& root, PieceParts parts) {
  const JsonNode model = root.at("model");
  if (model.find("dropout")) model.fail_here("dropout is not supported");
  expect_off(model, "byte_fallback");
  expect_off(model, "fuse_unk");
  expect_empty(model, "continuing_subword_prefix");
  expect_empty(model, "end_of_word_suffix");
  BpeOptions options;
  options.whole_words_first = model.flag_or("ignore_merges", false);
  if (const auto node = root.find("normalizer")) options.normalizer = TextNormalizer(*node);
  const auto words = root.find("pre_tokenizer");
  if (!words) root.fail_here("the model BPE without the pre-tokenizer ByteLevel is not supported");
  read_byte_level(*words, options);
  read_vocabulary(root, parts);
  note_degenerate(parts);
  return make_bpe(std::move(parts), merges_from(model.at("merges")), std::move(options));
}

void read_metaspace(const JsonNode& node, UnigramOptions& options) {
  if (const std::string& type = node.at("type").text(); type != "Metaspace")
    refuse(node, "pre-tokenizer", type, "Unigram");
  options.mark_blanks = true;
  options.mark = node.text_or("replacement", options.mark);
  options.split = node.flag_or("split", true);
  const bool before = node.flag_or("add_prefix_space", true);
  const std::string scheme = node.text_or("prepend_scheme", before ? "always" : "never");
  using Prepend = UnigramOptions::Prepend;
  if (scheme == "always")
    options.prepend = Prepend::kAlways;
  else if (scheme == "first")
    options.prepend = Prepend::kFirst;
  else if (scheme == "never")
    options.prepend = Prepend::kNever;
  else
    node.fail_here("the prepend_scheme '{}' is not supported", escaped(scheme));
}

// [[token, score], ...]; the id is the place in the list.
void read_scored_vocabulary(const JsonNode& root, PieceParts& parts, UnigramOptions& options) {
  const JsonNode list = root.at("model").at("vocab");
  if (list.size() == 0) list.fail_here("the vocabulary is empty");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonNode pair = list.at(i);
    if (pair.size() != 2) pair.fail_here("must be a token and its score");
    const std::string& token = pair.at(0).text();
    if (token.size() > kMostTokenBytes)
      pair.fail_here("the token has {} bytes, above the limit of {}", token.size(),
                     kMostTokenBytes);
    options.scores.push_back(pair.at(1).number());
    if (!parts.vocabulary.append(token))
      pair.fail_here("the token '{}' is there twice", escaped(token));
  }
  const auto own_id = [&](const std::string& token) -> std::optional<Index> {
    return parts.vocabulary.find(token);
  };
  std::vector<NamedId> others = beyond_vocabulary(root, parts.added, own_id);
  std::ranges::sort(others, {}, &NamedId::id);
  for (const NamedId& other : others) {
    if (other.id != parts.vocabulary.size())
      root.at("added_tokens")
          .fail_here("'{}' has the id {} but the next free one is {}", escaped(other.token),
                     other.id, parts.vocabulary.size());
    parts.vocabulary.append(other.token);
  }
}

std::unique_ptr<Tokenizer> unigram_from(const JsonNode& root, PieceParts parts) {
  const JsonNode model = root.at("model");
  expect_off(model, "byte_fallback");
  UnigramOptions options;
  if (const auto node = root.find("normalizer")) options.normalizer = TextNormalizer(*node);
  if (const auto words = root.find("pre_tokenizer")) read_metaspace(*words, options);
  read_scored_vocabulary(root, parts, options);
  if (const auto unknown = model.find("unk_id")) {
    const Index id = unknown->integer();
    if (id < 0 || id >= std::ssize(options.scores))
      unknown->fail_here("must be the id of a token but is {}", id);
    options.unknown = static_cast<TokenId>(id);
  }
  note_degenerate(parts);
  return make_unigram(std::move(parts), std::move(options));
}

}  // namespace

std::unique_ptr<Tokenizer> read_tokenizer_json(const std::filesystem::path& file) {
  const JsonInput document = read_json(file, kMostTokenizerBytes);
  const std::string name = path_text(file);
  const JsonNode root(document, name);
  const JsonNode type = root.at("model").at("type");
  PieceParts parts = common_parts(root, name);
  if (type.text() == "WordPiece") return wordpiece_from(root, std::move(parts));
  if (type.text() == "BPE") return bpe_from(root, std::move(parts));
  if (type.text() == "Unigram") return unigram_from(root, std::move(parts));
  type.fail_here("the model '{}' is not supported; WordPiece, BPE and Unigram are",
                 escaped(type.text()));
}

}  // namespace sextant
