// SPDX-License-Identifier: Apache-2.0
// How much does counting add to cutting a text into words?
//
// Counter speed_of_tokens: our speed over that of the tokenizer alone on the same records, each cut
// where counting cuts it; speed_of_pass: over that of adding up the bytes of all records.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "corpus/counter.h"
#include "corpus/synthetic.h"
#include "measure/stored_records.h"
#include "measure/timing.h"

namespace {

using sextant::Index;
using sextant::RecordBatch;

std::vector<RecordBatch> drifting_words(Index positions) {
  const sextant::SyntheticCorpus corpus = {
      .types = 30000, .positions = positions, .sequences = 3000000 / positions};
  const auto reader = corpus.records();
  std::vector<RecordBatch> batches;
  for (RecordBatch batch; reader->next(batch);) batches.push_back(batch);
  return batches;
}

std::int64_t sum(const sextant::CellCounts& cells) {
  std::uint64_t total = 0;
  cells.for_each([&](const sextant::Cell& cell) { total += cell.count; });
  return static_cast<std::int64_t>(total);
}

// Every token of every record, once in its block and once in every shuffle.
bool right(const std::vector<RecordBatch>& batches, const sextant::CountOptions& options,
           std::int64_t tokens) {
  const auto words = sextant::make_tokenizer("words");
  sextant::StoredRecords records(batches);
  const sextant::PositionalCounts counts = count_corpus(records, *words, options).file.counts;
  return counts.tokens == tokens && sum(counts.blocks) == tokens &&
         sum(counts.shuffled) == tokens * options.shuffles;
}

void count(benchmark::State& state) {
  const Index positions = state.range(0), shuffles = state.range(1);
  const std::vector<RecordBatch> batches = drifting_words(positions);
  std::int64_t bytes = 0;
  for (const RecordBatch& batch : batches) bytes += std::ssize(batch.bytes);
  const sextant::CountOptions options = {.positions = positions, .shuffles = shuffles};

  if (!right(batches, options, 3000000 / positions * positions)) {
    state.SkipWithError("the counts do not add up to the tokens");
    return;
  }
  sextant::Times our_time, token_time, pass_time;
  for (auto _ : state) {
    const auto words = sextant::make_tokenizer("words");
    sextant::StoredRecords records(batches);
    state.SetIterationTime(our_time.measure_cpu([&] {
      benchmark::DoNotOptimize(count_corpus(records, *words, options).file.counts.tokens);
    }));
    token_time.measure_cpu([&] {
      const auto fresh = sextant::make_tokenizer("words");
      const auto session = fresh->session();
      std::vector<sextant::TokenId> ids;
      for (const RecordBatch& batch : batches) {
        for (const RecordBatch::Record& record : batch.records) {
          ids.clear();
          session->encode(batch.text(record), positions, ids);
          benchmark::DoNotOptimize(ids.data());
        }
      }
    });
    pass_time.measure_cpu([&] {
      std::uint64_t total = 0;
      for (const RecordBatch& batch : batches)
        total = std::accumulate(batch.bytes.begin(), batch.bytes.end(), total);
      benchmark::DoNotOptimize(total);
    });
  }
  state.counters["MB_s"] = static_cast<double>(bytes) * 1e-6 / our_time.shortest();
  state.counters["speed_of_tokens"] = token_time.shortest() / our_time.shortest();
  state.counters["speed_of_pass"] = pass_time.shortest() / our_time.shortest();
}

BENCHMARK(count)
    ->ArgNames({"positions", "shuffles"})
    ->Args({64, 0})
    ->Args({64, 20})
    ->Args({512, 0})
    ->Args({512, 20})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
