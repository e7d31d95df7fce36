// SPDX-License-Identifier: Apache-2.0
#include "run/corpus_sample.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "corpus/positional_counts.h"
#include "corpus/sequence_counter.h"
#include "sextant/geometry.h"

namespace sextant {
namespace {

constexpr std::size_t kPrefixes = 7;  // the least is a 64th of the sample
constexpr Index kEigenSize = 256;     // some milliseconds
constexpr std::uint64_t kGather = std::uint64_t{64} << 20;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of this thread: what it computes takes no longer because others compute beside it.
double own_seconds() {
  struct timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Seconds of this thread that `work` takes.
template <typename Work>
double seconds_of(Work work) {
  const double start = own_seconds();
  work();
  return own_seconds() - start;
}

struct SampledTexts {
  std::vector<RecordBatch> batches = {};
  std::size_t records = 0, bytes = 0;
  std::vector<Index> token_counts = {};  // by id
  Index longest = 0;                     // tokens of a record
};

void add_tokens(const RecordBatch& batch, TokenizerSession& session, SampledTexts& texts) {
  std::vector<TokenId> ids;
  for (const RecordBatch::Record& record : batch.records) {
    ids.clear();
    session.encode(batch.text(record), std::numeric_limits<Index>::max(), ids);
    texts.longest = std::max(texts.longest, std::ssize(ids));
    for (const TokenId id : ids) {
      if (id >= texts.token_counts.size()) texts.token_counts.resize(std::size_t{id} + 1);
      ++texts.token_counts[id];
    }
  }
}

SampledTexts read_texts(RecordReader& reader, const Tokenizer& tokenizer,
                        const SampleLimits& limits, SampledCorpus& result) {
  SampledTexts texts;
  const std::unique_ptr<TokenizerSession> session = tokenizer.session();
  const double start = wall_seconds();
  while (texts.bytes < limits.text_bytes &&
         (texts.records < 2 || wall_seconds() - start < limits.seconds)) {
    RecordBatch batch;
    const double before = wall_seconds();  // files may keep us waiting
    result.whole = !reader.next(batch);
    result.sample.read_seconds += wall_seconds() - before;
    if (result.whole) break;
    add_tokens(batch, *session, texts);
    texts.records += batch.records.size();
    for (const RecordBatch::Record& record : batch.records) texts.bytes += record.text_size;
    texts.batches.push_back(std::move(batch));
  }
  if (texts.records < 2 || texts.bytes == 0)
    fail(ErrorCode::kMalformed, "corpus", "a plan needs a sample of at least two records");
  return texts;
}

void add_vocabulary(const SampledTexts& texts, const Tokenizer& tokenizer, CorpusSample& sample) {
  sample.growing_vocabulary = !tokenizer.learned_tokens().empty();
  double types = 0.0, bytes = 0.0;
  for (std::size_t id = 0; id < texts.token_counts.size(); ++id) {
    const auto count = static_cast<double>(texts.token_counts[id]);
    if (count == 0.0) continue;
    sample.tokens += count;
    sample.types_of_count[count] += 1.0;
    types += 1.0;
    if (sample.growing_vocabulary)
      bytes += static_cast<double>(tokenizer.text(static_cast<TokenId>(id)).size());
  }
  if (types == 0.0) fail(ErrorCode::kMalformed, "corpus", "no tokens in the sample of a plan");
  sample.token_bytes = bytes / types;
}

// The counts of the sample so far.
struct Gathered {
  CellCounts blocks, shuffled;
  double tokens = 0.0, runs = 0.0;
};

PrefixSizes sizes_of_counts(const Gathered& counts, double bytes) {
  PrefixSizes sizes{.bytes = bytes,
                    .cells = static_cast<double>(counts.blocks.cells()),
                    .shuffled_cells = static_cast<double>(counts.shuffled.cells())};
  std::uint64_t last_token = ~std::uint64_t{0}, last_position = last_token;
  counts.blocks.for_each([&](const Cell& cell) {
    if (cell.token != last_token) sizes.types += 1.0;
    if (cell.token != last_token || cell.position != last_position) sizes.pairs += 1.0;
    last_token = cell.token;
    last_position = cell.position;
  });
  return sizes;
}

// Takes what the counter has, with the seconds of merging it. What a counter of so many positions
// costs with nothing in it is no cost of the text.
void gather(SequenceCounter& counter, Gathered& total, CorpusSample& sample) {
  PositionalCounts part;
  sample.count_seconds += seconds_of([&] { part = counter.take(); });
  sample.count_seconds -= seconds_of([&] { counter.take(); });
  sample.merge_seconds += seconds_of([&] {
    total.blocks.merge(part.blocks);
    total.shuffled.merge(part.shuffled);
  });
  sample.merged_bytes +=
      static_cast<double>(total.blocks.packed().size() + total.shuffled.packed().size());
  total.tokens += static_cast<double>(part.tokens);
  total.runs += static_cast<double>(part.runs.size());
}

// Counts the records and looks at the counts after each doubling.
void count_prefixes(const SampledTexts& texts, const Tokenizer& tokenizer,
                    const CountOptions& options, double file_bytes, CorpusSample& sample) {
  std::set<std::size_t> marks;
  for (std::size_t i = 0; i < kPrefixes; ++i) marks.insert((texts.records + (1U << i) - 1) >> i);
  SequenceCounter counter(tokenizer, options, CountingIds(tokenizer, options), kGather);
  const PositionalCounts shape = empty_counts(options);
  Gathered total{.blocks = shape.blocks, .shuffled = shape.shuffled};
  std::size_t records = 0;
  double bytes = 0.0;
  const double per_byte = file_bytes / static_cast<double>(texts.bytes);
  double before = own_seconds();
  for (const RecordBatch& batch : texts.batches) {
    for (const RecordBatch::Record& record : batch.records) {
      counter.count(batch.text(record), batch.group(record));
      bytes += static_cast<double>(record.text_size);
      if (!marks.contains(++records)) continue;
      sample.count_seconds += own_seconds() - before;
      gather(counter, total, sample);
      sample.prefixes.push_back(sizes_of_counts(total, bytes * per_byte));
      before = own_seconds();
    }
  }
  sample.count_seconds = std::max(sample.count_seconds, 1e-6);
  sample.cell_bytes = static_cast<double>(total.blocks.packed().size());
  sample.shuffled_bytes = static_cast<double>(total.shuffled.packed().size());
  sample.used_tokens = total.tokens;
  sample.runs = total.runs;
}

void time_eigenproblem(CorpusSample& sample) {
  const Rng rng(1, 0);
  Matrix matrix(kEigenSize, kEigenSize);
  for (Index i = 0; i < kEigenSize; ++i)
    for (Index j = 0; j <= i; ++j)
      matrix(i, j) = matrix(j, i) =
          static_cast<double>(rng.at(static_cast<std::uint64_t>(i * kEigenSize + j)) >> 11);
  sample.eigen_seconds = seconds_of([&] { eigenvalues(matrix); });
  sample.eigen_size = kEigenSize;
}

}  // namespace

SampledCorpus sample_corpus(RecordReader& reader, const Tokenizer& tokenizer,
                            const CountOptions& options, const SampleLimits& limits) {
  check_count_options(options);
  SampledCorpus result;
  CorpusSample& sample = result.sample;
  const SampledTexts texts = read_texts(reader, tokenizer, limits, result);
  const ReadProgress progress = reader.progress();
  // A corpus that is no file has the bytes of its texts.
  const auto file_bytes =
      static_cast<double>(progress.bytes_read > 0 ? progress.bytes_read : texts.bytes);
  result.total_bytes = result.whole ? file_bytes : static_cast<double>(progress.bytes_total);
  sample.text_bytes = static_cast<double>(texts.bytes);
  add_vocabulary(texts, tokenizer, sample);

  CountOptions counted = options;
  result.long_enough = options.length != LengthRule::kAtLeast || texts.longest >= options.positions;
  if (!result.long_enough) {
    counted.length = LengthRule::kAny;
    counted.windows = true;
  }
  count_prefixes(texts, tokenizer, counted, file_bytes, sample);
  if (!result.long_enough) assume_long_sequences(sample, options.positions, options.shuffles);
  time_eigenproblem(sample);
  return result;
}

}  // namespace sextant
