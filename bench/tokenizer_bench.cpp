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

#include "base/text.h"
#include "corpus/tokenizers/byte_level.h"
#include "measure/made_text.h"
#include "measure/timing.h"
#include "sextant/corpus.h"

namespace {

using sextant::Index;
using sextant::TokenId;

std::string bench_text() {
  if (const char* file = std::getenv("SEXTANT_BENCH_TEXT")) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  return sextant::made_text(sextant::made_words(50000), std::size_t{16} << 20);
}

std::string made_vocabulary(const std::filesystem::path& file) {
  std::ofstream out(file);
  for (const std::string& token : sextant::made_wordpieces()) out << token << '\n';
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
  const std::vector<std::string> words = sextant::made_words(1000);
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
  sextant::Times our_time, pass_time;
  for (auto _ : state) {
    ids.clear();
    state.SetIterationTime(our_time.measure([&] { encode_lines(*session, text, ids); }));
    pass_time.measure([&] {
      benchmark::DoNotOptimize(std::accumulate(
          text.begin(), text.end(), 0U,
          [](unsigned sum, char c) { return sum + static_cast<unsigned char>(c); }));
    });
  }
  state.counters["MB_s"] = static_cast<double>(text.size()) / our_time.shortest() * 1e-6;
  state.counters["share_of_pass"] = pass_time.shortest() / our_time.shortest();
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
