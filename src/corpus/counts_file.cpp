// SPDX-License-Identifier: Apache-2.0
#include "corpus/counts_file.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "corpus/cell_tally.h"
#include "corpus/checked_fields.h"
#include "corpus/positional_counts.h"
#include "corpus/run_sample.h"
#include "io/input_file.h"

namespace sextant {
namespace {

constexpr std::uint32_t kSchema = 2;

void write_cells(FieldWriter& out, const CellCounts& cells) {
  out.number(std::int64_t{cells.cells()});
  out.number(std::uint64_t{cells.packed().size()});
  out.bytes(cells.packed());
}

// Into `cells`, which has their shape; returns the last token.
std::optional<TokenId> read_cells(FieldReader& in, CellCounts& cells, CellTally tally) {
  const Index count = in.amount();
  const std::size_t size = in.size(1);
  try {
    cells = CellCounts::from_packed(cells.positions(), cells.layers(), in.bytes(size), count);
    cells.for_each([&tally](const Cell& cell) { tally.add(cell); });
    tally.finish();
    return tally.last_token();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kMalformed) throw;
    in.fail_here(error.what());
  }
}

// A text that people are shown as it is.
std::string read_shown(FieldReader& in) {
  constexpr std::size_t kLongest = 4096;
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  std::string text = in.text();
  if (text.size() > kLongest) in.fail_here("a note is too long");
  if (std::ranges::any_of(text, is_control)) in.fail_here("a control character in a note");
  return text;
}

void write_options(FieldWriter& out, const CountOptions& options) {
  out.number(std::int64_t{options.positions});
  out.number(static_cast<std::int64_t>(options.length));
  out.number(static_cast<std::int64_t>(options.specials));
  out.number(std::int64_t{options.windows});
  out.number(std::int64_t{options.shuffles});
  out.number(options.seed);
}

CountOptions read_options(FieldReader& in) {
  CountOptions options;
  options.positions = in.within(1, CellCounts::kMostPositions);
  options.length = static_cast<LengthRule>(in.within(0, 2));
  options.specials = static_cast<Specials>(in.within(0, 1));
  options.windows = in.flag();
  options.shuffles = in.within(0, CellCounts::kMostLayers);
  options.seed = in.number<std::uint64_t>();
  return options;
}

std::vector<SampledRun> read_runs(FieldReader& in) {
  std::vector<SampledRun> runs(in.size(17));
  if (runs.size() > RunSample::kMost) in.fail_here("the sample has too many runs");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].run = in.number<std::uint64_t>();
    runs[i].group = in.number<std::uint64_t>();
    const auto repeated = in.number<std::uint8_t>();
    if (repeated > 1) in.fail_here("a flag is neither 0 nor 1");
    runs[i].repeated = repeated == 1;
    if (i > 0 && runs[i].run <= runs[i - 1].run) in.fail_here("the sample is out of order");
  }
  return runs;
}

void write_log(FieldWriter& out, const ReadLog& log) {
  for (const std::uint64_t value : {log.crlf, log.cr, log.blank, log.marks, log.replaced})
    out.number(value);
  out.number(std::int64_t{log.skipped});
  out.number(std::int64_t{log.skip_bad});
  out.number(std::uint64_t{log.listed.size()});
  for (const BadRecord& bad : log.listed) {
    out.number(bad.input);
    out.number(bad.place.line);
    out.number(bad.place.column);
    out.text(bad.what);
  }
}

ReadLog read_log(FieldReader& in, std::size_t inputs) {
  ReadLog log;
  for (std::uint64_t* value : {&log.crlf, &log.cr, &log.blank, &log.marks, &log.replaced})
    *value = in.number<std::uint64_t>();
  log.skipped = in.amount();
  log.skip_bad = in.amount();
  if (log.skipped > log.skip_bad) in.fail_here("more bad records than were allowed");
  log.listed.resize(in.size(20));
  if (log.listed.size() > ReadLog::kListed) in.fail_here("too many bad records are listed");
  for (BadRecord& bad : log.listed) {
    bad.input = in.number<std::uint32_t>();
    bad.place.line = in.number<std::uint64_t>();
    bad.place.column = in.number<std::uint64_t>();
    bad.what = read_shown(in);
    if (bad.input >= std::max<std::size_t>(inputs, 1)) in.fail_here("a bad record of no input");
  }
  if (!std::ranges::is_sorted(log.listed)) in.fail_here("bad records are out of order");
  return log;
}

void write_part(FieldWriter& out, const CorpusPart& part) {
  out.text(part.built_in);
  out.texts(part.reading);
  out.number(static_cast<std::int64_t>(part.limit.has_value()));
  out.number(std::int64_t{part.limit.value_or(0)});
  out.number(std::uint64_t{part.inputs.size()});
  for (const CountedInput& input : part.inputs) {
    out.number(input.size);
    out.number(input.fingerprint);
    out.number(input.records);
  }
  out.number(std::int64_t{part.shards});
  out.number(std::uint64_t{part.present.size()});
  for (const Index shard : part.present) out.number(std::int64_t{shard});
}

CorpusPart read_part(FieldReader& in) {
  CorpusPart part;
  part.built_in = read_shown(in);
  part.reading = in.texts();
  const bool limited = in.flag();
  const Index limit = in.amount();
  if (limited)
    part.limit = limit;
  else if (limit != 0)
    in.fail_here("a limit that is none");
  part.inputs.resize(in.size(24));
  for (CountedInput& input : part.inputs) {
    input.size = in.number<std::uint64_t>();
    input.fingerprint = in.number<std::uint64_t>();
    input.records = in.amount();
  }
  part.shards = in.within(1, kMostShards);
  part.present.resize(in.size(8));
  Index last = -1;
  for (Index& shard : part.present) last = shard = in.within(last + 1, part.shards - 1);
  if (part.present.empty()) in.fail_here("counts of no shard");
  return part;
}

void write_fields(FieldWriter& out, const CountsFile& file) {
  const PositionalCounts& counts = file.counts;
  out.bytes(std::as_bytes(std::span(kCountsMagic)));
  out.number(kSchema);
  out.number(file.generation);
  out.number(static_cast<std::int64_t>(file.finished));
  write_options(out, counts.options);
  out.text(counts.tokenizer);
  out.number(counts.tokenizer_hash);
  out.texts(file.notes);
  write_part(out, file.part);
  write_log(out, file.log);
  for (const std::int64_t value : {counts.records, counts.sequences, counts.used, counts.tokens,
                                   counts.skipped, std::int64_t{counts.vocabulary}})
    out.number(value);
  for (const std::uint64_t half : counts.input_hash) out.number(half);
  for (const auto& blocks : counts.sequences_at) out.bytes(std::as_bytes(std::span(blocks)));
  out.bytes(std::as_bytes(std::span(counts.lengths)));
  out.number(std::uint64_t{counts.runs.size()});
  for (const SampledRun& run : counts.runs) {
    out.number(run.run);
    out.number(run.group);
    out.number(static_cast<std::uint8_t>(run.repeated));
  }
  write_cells(out, counts.blocks);
  write_cells(out, counts.shuffled);
  out.texts(file.tokens);
  out.finish();
}

// A vocabulary that grew has `tokens`; of a fixed one the file knows nothing.
void check_token_ids(const FieldReader& in, std::optional<TokenId> last, std::size_t tokens) {
  if (tokens > 0 && last && *last >= tokens + kSpecialIds)
    in.fail_here(fmt::format("token {} is counted but {} have a text", *last, tokens));
}

bool totals_agree(const PositionalCounts& counts) {
  try {
    std::int64_t all = 0;
    for (const std::int64_t count : counts.lengths) add_amount(all, count);
    return all == counts.sequences && counts.records <= all && counts.used <= all &&
           std::ranges::all_of(sequences_by_position(counts),
                               [&](std::int64_t n) { return n <= counts.used; });
  } catch (const Error&) {  // a sum beyond all numbers
    return false;
  }
}

void read_totals(FieldReader& in, PositionalCounts& counts) {
  for (std::int64_t* value :
       {&counts.records, &counts.sequences, &counts.used, &counts.tokens, &counts.skipped})
    *value = in.amount();
  counts.vocabulary = in.amount();
  for (std::uint64_t& half : counts.input_hash) half = in.number<std::uint64_t>();
  for (auto& blocks : counts.sequences_at)
    for (std::int64_t& count : blocks) count = in.amount();
  for (std::int64_t& count : counts.lengths) count = in.amount();
  if (!totals_agree(counts)) in.fail_here("totals that contradict each other");
}

}  // namespace

CountsFile read_counts_head(FieldReader& in) {
  const auto schema = in.number<std::uint32_t>();
  if (schema != kSchema) in.fail_here(fmt::format("schema {}, expected {}", schema, kSchema));
  CountsFile file;
  file.generation = in.number<std::uint64_t>();
  file.finished = in.flag();
  const CountOptions options = read_options(in);
  if (options.positions > static_cast<Index>(in.left() / (kBlocks * sizeof(std::int64_t))))
    in.fail_here("fewer bytes than positions");
  file.counts = empty_counts(options);
  PositionalCounts& counts = file.counts;
  counts.tokenizer = read_shown(in);
  counts.tokenizer_hash = in.number<std::uint64_t>();
  file.notes.resize(in.size(sizeof(std::uint64_t)));
  for (std::string& note : file.notes) note = read_shown(in);
  file.part = read_part(in);
  file.log = read_log(in, file.part.inputs.size());
  read_totals(in, counts);
  counts.runs = read_runs(in);
  counts.overlap = overlap_of(counts.runs);
  return file;
}

void check_counts_tokens(FieldReader& in, bool finished, std::optional<TokenId> last) {
  std::string before;
  const std::size_t tokens = in.size(sizeof(std::uint64_t));
  for (std::size_t i = 0; i < tokens; ++i) {
    std::string token = in.text();
    if (finished && i > 0 && token <= before) in.fail_here("tokens are out of order");
    before = std::move(token);
  }
  if (finished) check_token_ids(in, last, tokens);
}

namespace {

CountsFile read_fields(FieldReader& in) {
  CountsFile file = read_counts_head(in);
  PositionalCounts& counts = file.counts;
  const auto last = read_cells(in, counts.blocks, CellTally::of_blocks(counts));
  const auto last_shuffled = read_cells(in, counts.shuffled, CellTally::of_shuffles(counts));
  file.tokens = in.texts();
  if (file.finished) check_token_ids(in, std::max(last, last_shuffled), file.tokens.size());
  if (file.finished &&
      std::ranges::adjacent_find(file.tokens, std::ranges::greater_equal()) != file.tokens.end())
    in.fail_here("tokens are out of order");
  in.finish();
  return file;
}

}  // namespace

void write_counts(const std::filesystem::path& path, const CountsFile& file,
                  AtomicFile::Existing existing) {
  AtomicFile output(path, existing);
  FieldWriter out([&output](std::span<const std::byte> bytes) { output.write(bytes); });
  write_fields(out, file);
  output.commit();
}

std::vector<std::byte> counts_bytes(const CountsFile& file) {
  std::uint64_t size = 0;
  FieldWriter measure([&size](std::span<const std::byte> bytes) { size += bytes.size(); });
  write_fields(measure, file);
  std::vector<std::byte> result;
  result.reserve(size);
  FieldWriter out([&result](std::span<const std::byte> bytes) {
    result.insert(result.end(), bytes.begin(), bytes.end());
  });
  write_fields(out, file);
  return result;
}

CountsFile read_counts(const std::filesystem::path& path) {
  const InputFile file(path);
  FieldReader in([&file](std::uint64_t at, std::span<std::byte> bytes) { file.read_at(at, bytes); },
                 file.size(), file.name(), kCountsMagic);
  CountsFile result = read_fields(in);
  file.verify_unchanged();
  return result;
}

CountsFile counts_of_bytes(std::span<const std::byte> bytes, std::string_view name) {
  FieldReader in(
      [bytes](std::uint64_t at, std::span<std::byte> out) {
        std::ranges::copy(bytes.subspan(at, out.size()), out.begin());
      },
      bytes.size(), std::string(name), kCountsMagic);
  return read_fields(in);
}

bool has_counts(const std::filesystem::path& path) {
  const InputFile file(path);
  std::string start(std::min<std::uint64_t>(file.size(), kCountsMagic.size()), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(start)));
  return start == kCountsMagic;
}

}  // namespace sextant
