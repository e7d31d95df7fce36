// SPDX-License-Identifier: Apache-2.0
// How fast does text become ids, against one plain pass over its bytes?
//
// The text is made here: words of a made-up language with the frequencies of Zipf, full stops and
// capitals. The variable SEXTANT_BENCH_TOKENS names tokenizers of your own (as --tokens takes them,
// separated by commas), SEXTANT_BENCH_TEXT a file of text to use instead. Counters: MB_s, and
// share_of_pass, the speed over that of adding up all bytes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/text.h"
#include "corpus/tokenizers/byte_level.h"
#include "sextant/corpus.h"
#include "timing.h"

namespace {

using sextant::Index;
using sextant::TokenId;

std::vector<std::string> made_words(std::size_t count) {
  const sextant::Rng rng(20240607, 0);
  constexpr std::string_view kConsonants = "bcdfghlmnprstvw", kVowels = "aeiou";
  std::vector<std::string> words;
  std::uint64_t draw = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::string word;
    // Frequent words are short.
    const auto syllables =
        1 + static_cast<std::size_t>(std::log10(static_cast<double>(i) + 3.0)) + rng.at(draw++) % 2;
    for (std::size_t s = 0; s < syllables; ++s) {
      word += kConsonants[rng.at(draw++) % kConsonants.size()];
      word += kVowels[rng.at(draw++) % kVowels.size()];
    }
    words.push_back(word);
  }
  return words;
}

// Lines of about 200 words; word r with a probability like 1/r.
std::string made_text(const std::vector<std::string>& words, std::size_t bytes) {
  const sextant::Rng rng(20240607, 1);
  std::string text;
  std::uint64_t draw = 0;
  bool starts = true;
  for (Index i = 1; text.size() < bytes; ++i) {
    const double u = rng.uniform(draw++);
    const auto rank = static_cast<std::size_t>(std::pow(static_cast<double>(words.size()), u)) - 1;
    std::string word = words[rank];
    if (starts) word[0] = static_cast<char>(word[0] - 'a' + 'A');
    starts = rng.at(draw++) % 12 == 0;
    text += word;
    text += i % 200 == 0 ? ".\n" : starts ? ". " : " ";
  }
  return text;
}

std::string bench_text() {
  if (const char* file = std::getenv("SEXTANT_BENCH_TEXT")) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  return made_text(made_words(50000), std::size_t{16} << 20);
}

// vocab.txt with all letters, all two-letter syllables and the frequent words.
std::string made_vocabulary(const std::filesystem::path& file) {
  std::ofstream out(file);
  out << "[PAD]\n[UNK]\n.\n";
  for (char c = 'a'; c <= 'z'; ++c) out << c << "\n##" << c << '\n';
  const std::vector<std::string> words = made_words(20000);
  std::vector<std::string> tokens;
  for (const std::string& word : words) {
    if (word.size() > 1) tokens.push_back(word);
    if (word.size() > 3) tokens.push_back("##" + word.substr(2, 2));
  }
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  for (const std::string& token : tokens) out << token << '\n';
  return "wordpiece:" + file.string();
}

// GPT-2's two files with a merge for every syllable, for every syllable after a blank, and for the
// frequent words of two syllables.
std::string made_merges(const std::filesystem::path& folder) {
  const std::string blank = sextant::byte_symbols()[' '];
  std::vector<std::string> tokens(sextant::byte_symbols().begin(), sextant::byte_symbols().end());
  std::ofstream merges(folder / "merges.txt"), vocabulary(folder / "vocab.json");
  const auto add = [&](const std::string& left, const std::string& right) {
    if (std::ranges::find(tokens, left + right) != tokens.end()) return;
    merges << left << ' ' << right << '\n';
    tokens.push_back(left + right);
  };
  const std::vector<std::string> words = made_words(1000);
  for (const std::string& word : words) add(word.substr(0, 1), word.substr(1, 1));
  for (const std::string& word : words) add(blank, word.substr(0, 2));
  for (const std::string& word : words)
    if (word.size() == 4) add(blank + word.substr(0, 2), word.substr(2));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool escapes = tokens[i] == "\"" || tokens[i] == "\\";
    vocabulary << (i == 0 ? "{\"" : ",\"") << (escapes ? "\\" : "") << tokens[i] << "\":" << i;
  }
  vocabulary << "}";
  return "gpt2:" + folder.string();
}

void encode_lines(sextant::TokenizerSession& session, std::string_view text,
                  std::vector<TokenId>& ids) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    session.encode(text.substr(0, end), std::numeric_limits<Index>::max(), ids);
    text.remove_prefix(end + 1);
  }
}

// Words between blanks in lower case, numbered in order of first sight.
std::vector<TokenId> plain_words(const std::string& text) {
  std::map<std::string, TokenId> known;
  std::vector<TokenId> ids;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    ids.push_back(known.emplace(word, static_cast<TokenId>(known.size())).first->second);
  }
  return ids;
}

// The same lines, each by a session that has seen nothing.
std::vector<TokenId> fresh_sessions(const sextant::Tokenizer& tokenizer, const std::string& text) {
  std::vector<TokenId> ids;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n') + 1;
    encode_lines(*tokenizer.session(), rest.substr(0, end), ids);
    rest.remove_prefix(end);
  }
  return ids;
}

bool right(const sextant::Tokenizer& tokenizer, const std::string& text) {
  const std::string part = text.substr(0, text.find('\n', 200000) + 1);
  std::vector<TokenId> found;
  encode_lines(*tokenizer.session(), part, found);
  const bool ascii = std::ranges::all_of(part, [](char c) { return c > 0; });
  if (tokenizer.name() == "words" && ascii) return found == plain_words(part);
  return !found.empty() && found == fresh_sessions(tokenizer, part);
}

void tokenize(benchmark::State& state, const std::string& name, const std::string& text) {
  const auto tokenizer = sextant::make_tokenizer(name);
  if (!right(*tokenizer, text)) {
    state.SkipWithError("the ids are not those of the plain way");
    return;
  }
  const auto session = tokenizer->session();
  std::vector<TokenId> ids;
  ShortestTime our_time, pass_time;
  for (auto _ : state) {
    ids.clear();
    state.SetIterationTime(our_time.measure([&] { encode_lines(*session, text, ids); }));
    pass_time.measure([&] {
      benchmark::DoNotOptimize(std::accumulate(
          text.begin(), text.end(), 0U,
          [](unsigned sum, char c) { return sum + static_cast<unsigned char>(c); }));
    });
  }
  state.counters["MB_s"] = static_cast<double>(text.size()) / our_time.seconds() * 1e-6;
  state.counters["share_of_pass"] = pass_time.seconds() / our_time.seconds();
  state.counters["ids"] = static_cast<double>(ids.size());
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::string text = bench_text();
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "sextant-tokenizer-bench";
  std::filesystem::create_directories(folder);
  std::vector<std::string> names = {"words", made_vocabulary(folder / "vocab.txt"),
                                    made_merges(folder)};
  if (const char* more = std::getenv("SEXTANT_BENCH_TOKENS"))
    for (const std::string_view name : sextant::split(more, ',')) names.emplace_back(name);
  for (const std::string& name : names)
    benchmark::RegisterBenchmark(("tokenize/" + name.substr(0, name.find(':'))).c_str(), tokenize,
                                 name, text)
        ->Iterations(10)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(folder);
  return 0;
}
