// SPDX-License-Identifier: Apache-2.0
// From text to ids and to counts of tokens at positions, on text that is made here.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "corpus/counter.h"
#include "corpus/tokenizers/wordpiece.h"
#include "measure/bench_case.h"
#include "measure/made_text.h"
#include "measure/plain_loops.h"
#include "measure/stored_records.h"

namespace sextant {
namespace {

constexpr std::size_t kWords = 50000;
constexpr Index kPositions = 512;  // more than a line has tokens: all of it is read
constexpr std::size_t kCheckedBytes = 200'000;

std::size_t text_bytes(const BenchSize& size) { return std::size_t{1} << (size.quick ? 20 : 24); }

std::unique_ptr<Tokenizer> wordpieces() {
  PieceParts parts = {.file = "made vocabulary"};
  for (const std::string& token : made_wordpieces()) parts.vocabulary.append(token);
  WordPieceOptions options;
  options.text.lower = options.text.strip_accents = true;
  return make_wordpiece(std::move(parts), std::move(options));
}

// ---------------------------------------------------------------------------------------------
// The plain way

using PlainTokens = std::vector<std::string>;  // of one line

PlainTokens plain_words(std::string_view line) {
  PlainTokens tokens;
  for (const std::string_view word : split(line, ' ')) tokens.push_back(lower_ascii(word));
  return tokens;
}

// Each word as the longest piece that starts it, then the longest that continues it; a full stop is
// a word of its own.
PlainTokens plain_wordpieces(std::string_view line) {
  static const std::map<std::string, int> known = [] {
    std::map<std::string, int> result;
    for (const std::string& token : made_wordpieces()) result.emplace(token, 0);
    return result;
  }();
  PlainTokens tokens;
  for (std::string word : plain_words(line)) {
    const bool stops = word.ends_with('.');
    if (stops) word.pop_back();
    for (std::size_t from = 0; from < word.size();) {
      const std::string before = from == 0 ? "" : "##";
      std::size_t count = word.size() - from;
      while (!known.contains(before + word.substr(from, count))) --count;
      tokens.push_back(before + word.substr(from, count));
      from += count;
    }
    if (stops) tokens.emplace_back(".");
  }
  return tokens;
}

// Whole lines of about kCheckedBytes.
std::string_view checked_part(std::string_view text) {
  return text.substr(0, text.find('\n', std::min(kCheckedBytes, text.size() - 1)) + 1);
}

template <typename Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

// ---------------------------------------------------------------------------------------------
// Cases

struct Job {
  std::string text = {};
  std::vector<RecordBatch> records = {};
  std::unique_ptr<Tokenizer> tokenizer = {};  // none: words, whose list grows with each run
  std::unique_ptr<TokenizerSession> session = {};
  std::vector<TokenId> ids = {};
  Index threads = 1;
  PlainTokens (*plain)(std::string_view line) = plain_wordpieces;
};

void encode(Job& job, std::string_view text) {
  job.ids.clear();
  for_each_line(text, [&job](std::string_view line) {
    job.session->encode(line, std::numeric_limits<Index>::max(), job.ids);
  });
}

PositionalCounts counted(const Job& job, const std::vector<RecordBatch>& batches) {
  const std::unique_ptr<Tokenizer> words = job.tokenizer ? nullptr : make_tokenizer("words");
  StoredRecords records(batches);
  return count_corpus(records, job.tokenizer ? *job.tokenizer : *words,
                      {.positions = kPositions, .length = LengthRule::kAny, .shuffles = 0},
                      {.threads = job.threads})
      .file.counts;
}

std::string ids_fault(const Job& job) {
  std::size_t at = 0;
  std::string fault;
  for_each_line(checked_part(job.text), [&](std::string_view line) {
    for (const std::string& token : job.plain(line)) {
      const bool same = at < job.ids.size() && job.tokenizer->text(job.ids[at]) == token;
      if (!same && fault.empty()) fault = fmt::format("token {} should be '{}'", at, token);
      ++at;
    }
  });
  return fault;
}

// Which tokens have which ids does not matter: each has its counts at positions, and the list of
// these in any order is compared.
using PlaceCounts = std::map<Index, std::uint64_t>;

std::string counts_fault(const Job& job) {
  const std::string part(checked_part(job.text));
  std::map<std::string, PlaceCounts> expected;
  for_each_line(part, [&](std::string_view line) {
    Index position = 0;
    for (const std::string& token : job.plain(line)) ++expected[token][position++];
  });
  std::map<TokenId, PlaceCounts> found;
  counted(job, line_records(part)).blocks.for_each([&found](const Cell& cell) {
    found[cell.token][static_cast<Index>(cell.position)] += cell.count;
  });
  std::vector<PlaceCounts> left, right;
  for (const auto& [token, counts] : expected) left.push_back(counts);
  for (const auto& [token, counts] : found) right.push_back(counts);
  std::ranges::sort(left);
  std::ranges::sort(right);
  return left == right ? "" : "the counts at positions are not those of the plain way";
}

std::shared_ptr<Job> new_job(const BenchSize& size) {
  auto job = std::make_shared<Job>();
  job->text = made_text(made_words(kWords), text_bytes(size));
  job->text.back() = '\n';
  job->threads = size.threads;
  return job;
}

BenchWork work_of(const std::shared_ptr<Job>& job) {
  return {.size = fmt::format("{:.1f} MB of made ASCII text",
                              static_cast<double>(job->text.size()) * 1e-6),
          .amount = static_cast<double>(job->text.size()),
          .plain = pass_over(std::as_bytes(std::span(job->text)), job->threads)};
}

BenchWork tokenize_work(const BenchSize& size) {
  const auto job = new_job(size);
  job->tokenizer = wordpieces();
  job->session = job->tokenizer->session();
  BenchWork work = work_of(job);
  work.run = [job] { encode(*job, job->text); };
  work.fault = [job] { return ids_fault(*job); };
  return work;
}

BenchWork count_work(const BenchSize& size, bool words) {
  const auto job = new_job(size);
  job->records = line_records(job->text);
  job->plain = words ? plain_words : plain_wordpieces;
  if (!words) job->tokenizer = wordpieces();
  BenchWork work = work_of(job);
  work.run = [job] { counted(*job, job->records); };
  work.fault = [job] { return counts_fault(*job); };
  return work;
}

double bytes_of(const BenchSize& size) {
  constexpr double kTimesText = 4.0, kCounts = 2e8;  // the text, its records and ids; the counts
  return kTimesText * static_cast<double>(text_bytes(size)) + kCounts;
}

}  // namespace

void register_corpus(BenchRegistry& cases) {
  constexpr double kMegabytes = 1e6;
  cases.add({.name = "wordpiece",
             .measures = "text to ids of WordPiece, on one thread",
             .goals = {{"C1", "", 70.0 * kMegabytes}},
             .bytes = bytes_of,
             .prepare = tokenize_work});
  cases.add({.name = "wordpiece-count",
             .measures = "text to counts of WordPiece tokens at positions",
             .goals = {{"C1", "", 50.0 * kMegabytes}},
             .bytes = bytes_of,
             .prepare = [](const BenchSize& size) { return count_work(size, false); }});
  cases.add({.name = "words-count",
             .measures = "text to counts of words at positions",
             .goals = {{"C2", "", 100.0 * kMegabytes}},
             .bytes = bytes_of,
             .prepare = [](const BenchSize& size) { return count_work(size, true); }});
}

}  // namespace sextant
