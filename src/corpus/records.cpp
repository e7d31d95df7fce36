// SPDX-License-Identifier: Apache-2.0
// File after file, batch after batch; the next batch is read while the last one is used.
#include "corpus/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "corpus/inputs.h"
#include "corpus/line_range.h"
#include "corpus/line_source.h"
#include "corpus/record_parser.h"
#include "corpus/shard_plan.h"
#include "io/byte_stream.h"
#include "io/input_file.h"
#include "io/sampled_hash.h"

namespace sextant {
namespace {

constexpr std::size_t kBatchRecords = std::size_t{1} << 18;  // records may be empty

struct Input {
  std::filesystem::path path;
  RecordFormat format = RecordFormat::kText;
  std::uint64_t size = 0, fingerprint = 0;
  InputShare share = {};
};

// A batch with the state of the reader right after it.
struct Produced {
  RecordBatch batch = {};
  ReadProgress progress = {};
  ReadLog log = {};
  bool ended = false;  // no record is left
};

class BatchMaker {
 public:
  BatchMaker(std::vector<Input> inputs, const RecordOptions& options)
      : inputs_(std::move(inputs)),
        options_(options),
        log_({.skip_bad = options.skip_bad}),
        elsewhere_(log_) {
    const auto is_stdin = [](const Input& input) { return input.path == "-"; };
    if (std::any_of(inputs_.begin(), inputs_.end(), is_stdin)) return;
    for (const Input& input : inputs_) total_ += bytes_of(input);
  }

  // Uses the memory of `storage`. Records of other shards fill a batch too, though it does not hold
  // them.
  Produced next(RecordBatch storage) {
    Produced result = {.batch = std::move(storage)};
    result.batch.bytes.clear();
    result.batch.records.clear();
    std::size_t others = 0, bytes_of_others = 0;
    while (result.batch.bytes.size() + bytes_of_others < kBatchBytes &&
           result.batch.records.size() + others < kBatchRecords) {
      if (options_.limit && records_ == *options_.limit) {
        if (lines_) lines_->stream().verify_unchanged();
        result.ended = true;
        break;
      }
      if (!parser_ && !open_next()) {
        result.ended = true;
        break;
      }
      const std::size_t bytes = result.batch.bytes.size();
      if (!parser_->next(result.batch)) {
        close();
      } else if (is_mine(records_of_file_++)) {
        ++records_;
      } else {
        ++others;
        bytes_of_others += result.batch.bytes.size() - bytes;
        result.batch.records.pop_back();
        result.batch.bytes.resize(bytes);
      }
    }
    result.progress = progress();
    result.log = log_;
    return result;
  }

  ReadProgress progress() const {
    return {.bytes_read = finished_ + (lines_ ? lines_->stream().consumed() : 0),
            .bytes_total = total_};
  }

  const ReadLog& log() const { return log_; }

 private:
  using Kind = InputShare::Kind;

  static std::uint64_t bytes_of(const Input& input) {
    if (input.share.kind == Kind::kNothing) return 0;
    return input.share.kind == Kind::kLines ? input.share.end - input.share.begin : input.size;
  }

  bool is_mine(Index record) const {
    return share_.kind != Kind::kRecords || record % options_.shard.count == options_.shard.index;
  }

  bool open_next() {
    while (opened_ < inputs_.size() && inputs_[opened_].share.kind == Kind::kNothing) ++opened_;
    if (opened_ == inputs_.size()) return false;
    const Input& input = inputs_[opened_];
    share_ = input.share;
    const InputName name = {.text = input.path == "-" ? "stdin" : path_text(input.path),
                            .number = static_cast<std::uint32_t>(opened_)};
    ++opened_;
    // What all shards see is told by the first.
    ReadLog& log = share_.kind == Kind::kRecords && options_.shard.index > 0 ? elsewhere_ : log_;
    lines_ = std::make_unique<LineSource>(
        share_.kind == Kind::kLines ? open_line_range(input.path, share_.begin, share_.end)
                                    : open_byte_stream(input.path, options_.most_bytes),
        name, options_.invalid, log);
    parser_ = make_record_parser(input.format, *lines_, options_);
    if (parser_->learns() && lines_->stream().offset() > 0) learn(input, name);
    records_of_file_ = 0;
    return true;
  }

  // The lines before belong to others, who tell of their faults.
  void learn(const Input& input, const InputName& name) {
    ReadLog unread = {.skip_bad = std::numeric_limits<Index>::max()};
    constexpr std::size_t kFewBytes = std::size_t{1} << 16;
    LineSource before(open_line_range(input.path, 0, share_.begin), name, options_.invalid, unread,
                      kFewBytes);
    parser_->learn(before);
  }

  void close() {
    if (records_of_file_ == 0 && share_.kind != Kind::kLines) {
      fail(ErrorCode::kMalformed, lines_->name().text, "{}; expected at least one record",
           lines_->empty() ? "empty" : "no records, no tokens");
    }
    finished_ += lines_->stream().consumed();
    parser_.reset();
    lines_.reset();
  }

  std::vector<Input> inputs_;
  RecordOptions options_;
  ReadLog log_, elsewhere_;
  InputShare share_;                        // of the file at hand
  std::uint64_t total_ = 0, finished_ = 0;  // bytes of all files, of those read to the end
  std::size_t opened_ = 0;
  Index records_ = 0, records_of_file_ = 0;
  std::unique_ptr<LineSource> lines_;
  std::unique_ptr<RecordParser> parser_;
};

class PrefetchingReader final : public RecordReader {
 public:
  // stdin may block for ever, and a reader that is given up must not wait for it: no prefetching.
  PrefetchingReader(std::vector<Input> inputs, const RecordOptions& options, CorpusPart part,
                    bool has_stdin)
      : maker_(std::move(inputs), options),
        part_(std::move(part)),
        policy_(has_stdin ? std::launch::deferred : std::launch::async | std::launch::deferred),
        last_({.progress = maker_.progress(), .log = maker_.log()}) {}

  bool next(RecordBatch& batch) override {
    if (ended_) return false;
    if (!pending_.valid()) prefetch({});
    ended_ = true;  // unless there is another batch
    last_ = pending_.get();
    if (last_.ended && last_.batch.records.empty()) return false;
    ended_ = false;
    std::swap(batch, last_.batch);
    prefetch(std::move(last_.batch));
    return true;
  }
  ReadProgress progress() const override { return last_.progress; }
  ReadLog log() const override { return last_.log; }
  CorpusPart part() const override { return part_; }

 private:
  void prefetch(RecordBatch storage) {
    pending_ = std::async(policy_, [this, storage = std::move(storage)]() mutable {
      return maker_.next(std::move(storage));
    });
  }

  BatchMaker maker_;
  CorpusPart part_;
  std::launch policy_;
  Produced last_;
  bool ended_ = false;
  std::future<Produced> pending_;  // last member: its destructor waits for the thread
};

void check_options(const std::vector<Input>& inputs, const RecordOptions& options) {
  require(!inputs.empty(), "corpus", "no input; expected at least one file or -");
  require(options.skip_bad >= 0, "--skip-bad", "{} is negative", options.skip_bad);
  require(!options.limit || *options.limit >= 0, "--limit", "{} is negative",
          options.limit.value_or(0));
  const auto any = [&](auto... formats) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const Input& input) { return ((input.format == formats) || ...); });
  };
  const bool table = any(RecordFormat::kTsv, RecordFormat::kCsv), jsonl = any(RecordFormat::kJsonl);
  require(options.text_column.empty() || table, "--text-column", "no input is tsv or csv");
  require(options.group_column.empty() || table || jsonl, "--group-column",
          "no input is tsv, csv or jsonl");
  require(!jsonl || options.group_column != options.text_field, "--text-field",
          "the field '{}' would be both text and {}; --text-field and --{}-column must name two",
          escaped(options.text_field), options.group_role, options.group_role);
  require(options.text_field == RecordOptions{}.text_field || jsonl, "--text-field",
          "no input is jsonl");
}

// What is wrong with a file is wrong for all shards alike.
void check_cut(const std::vector<Input>& inputs, const RecordOptions& options) {
  check_shard(options.shard);
  if (options.shard.count == 1) return;
  require(!options.limit, "--limit", "does not go with shards: the first records are in one shard");
  for (const Input& input : inputs) {
    require(input.path != "-", "--shard", "stdin cannot be cut; expected files");
    if (input.size == 0)
      fail(ErrorCode::kMalformed, path_text(input.path), "empty; expected at least one record");
    if (input.size > options.most_bytes && is_plain(input.path))
      refuse_content(input.path, options.most_bytes);
  }
}

// The options that change the records, as one types them; those at their default are left out.
std::vector<std::string> reading_of(const RecordOptions& options) {
  constexpr std::string_view kFormats[] = {"auto", "text", "tsv", "csv", "jsonl"};
  constexpr std::string_view kInvalid[] = {"error", "replace", "bytes"};
  const RecordOptions usual;
  std::vector<std::string> result;
  const auto add = [&](std::string_view option, std::string_view value, std::string_view plain) {
    if (value != plain) result.push_back(fmt::format("{} {}", option, value));
  };
  add("--format", kFormats[static_cast<std::size_t>(options.format)], kFormats[0]);
  add("--text-column", options.text_column, usual.text_column);
  add("--text-field", options.text_field, usual.text_field);
  add("--group-column", options.group_column, usual.group_column);
  add("--invalid", kInvalid[static_cast<std::size_t>(options.invalid)], kInvalid[0]);
  return result;
}

CorpusPart part_of(const std::vector<Input>& inputs, const RecordOptions& options) {
  CorpusPart part = {.reading = reading_of(options),
                     .limit = options.limit,
                     .shards = options.shard.count,
                     .present = {options.shard.index}};
  for (const Input& input : inputs)
    part.inputs.push_back({.size = input.size, .fingerprint = input.fingerprint});
  return part;
}

void share_out(std::vector<Input>& inputs, const Shard& shard) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(inputs.size());
  for (const Input& input : inputs) sizes.push_back(input.size);
  const std::vector<InputShare> shares = shares_of(shard, sizes, [&](std::size_t i) {
    return inputs[i].format != RecordFormat::kCsv && is_plain(inputs[i].path);
  });
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].share = shares[i];
}

}  // namespace

std::unique_ptr<RecordReader> open_records(std::vector<std::filesystem::path> paths,
                                           const RecordOptions& options) {
  std::vector<Input> inputs;
  bool has_stdin = false;
  std::uint64_t total = 0;
  for (std::filesystem::path& path : paths) {
    const bool is_stdin = path == "-";
    require(!is_stdin || !has_stdin, "-", "stdin can be read only once");
    has_stdin = has_stdin || is_stdin;
    const RecordFormat format =
        options.format == RecordFormat::kAuto ? format_by_name(path) : options.format;
    Input input = {.path = std::move(path), .format = format};
    if (!is_stdin) total += input.size = InputFile(input.path).size();
    inputs.push_back(std::move(input));
  }
  for (Input& input : inputs)
    if (input.path != "-") input.fingerprint = sampled_hash(InputFile(input.path), total);
  check_options(inputs, options);
  check_cut(inputs, options);
  share_out(inputs, options.shard);
  CorpusPart part = part_of(inputs, options);
  return std::make_unique<PrefetchingReader>(std::move(inputs), options, std::move(part),
                                             has_stdin);
}

}  // namespace sextant
