// SPDX-License-Identifier: Apache-2.0
// File after file, batch after batch; the next batch is read while the last one is used.
#include "corpus/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "corpus/inputs.h"
#include "corpus/line_source.h"
#include "corpus/record_parser.h"
#include "io/byte_stream.h"
#include "io/input_file.h"

namespace sextant {
namespace {

constexpr std::size_t kBatchRecords = std::size_t{1} << 18;  // records may be empty

struct Input {
  std::filesystem::path path;
  RecordFormat format = RecordFormat::kText;
  std::uint64_t size = 0;
};

// A batch with the state of the reader right after it.
struct Produced {
  RecordBatch batch = {};
  ReadProgress progress = {};
  Index skipped = 0;
  std::vector<std::string> notes = {};
};

class BatchMaker {
 public:
  BatchMaker(std::vector<Input> inputs, const RecordOptions& options)
      : inputs_(std::move(inputs)), options_(options), log_({.skip_bad = options.skip_bad}) {
    const auto is_stdin = [](const Input& input) { return input.path == "-"; };
    if (std::any_of(inputs_.begin(), inputs_.end(), is_stdin)) return;
    for (const Input& input : inputs_) total_ += input.size;
  }

  // No records: the end. Uses the memory of `storage`.
  Produced next(RecordBatch storage) {
    Produced result = {.batch = std::move(storage)};
    result.batch.bytes.clear();
    result.batch.records.clear();
    while (result.batch.bytes.size() < kBatchBytes && result.batch.records.size() < kBatchRecords) {
      if (options_.limit && records_ == *options_.limit) {
        if (lines_) lines_->stream().verify_unchanged();
        break;
      }
      if (!parser_ && !open_next()) break;
      if (parser_->next(result.batch)) {
        ++records_;
        ++records_of_file_;
      } else {
        close();
      }
    }
    result.progress = progress();
    result.skipped = log_.skipped;
    result.notes = log_.notes();
    return result;
  }

  ReadProgress progress() const {
    return {.bytes_read = finished_ + (lines_ ? lines_->stream().consumed() : 0),
            .bytes_total = total_};
  }

 private:
  bool open_next() {
    if (opened_ == inputs_.size()) return false;
    const Input& input = inputs_[opened_];
    InputName name = {.text = input.path == "-" ? "stdin" : path_text(input.path),
                      .number = static_cast<std::uint32_t>(opened_)};
    ++opened_;
    lines_ = std::make_unique<LineSource>(open_byte_stream(input.path, options_.most_bytes),
                                          std::move(name), options_.invalid, log_);
    parser_ = make_record_parser(input.format, *lines_, options_);
    records_of_file_ = 0;
    return true;
  }

  void close() {
    if (records_of_file_ == 0) {
      fail(ErrorCode::kMalformed, lines_->name().text, "{}; expected at least one record",
           lines_->empty() ? "empty" : "no records, no tokens");
    }
    finished_ += lines_->stream().consumed();
    parser_.reset();
    lines_.reset();
  }

  std::vector<Input> inputs_;
  RecordOptions options_;
  ReadLog log_;
  std::uint64_t total_ = 0, finished_ = 0;  // bytes of all files, of those read to the end
  std::size_t opened_ = 0;
  Index records_ = 0, records_of_file_ = 0;
  std::unique_ptr<LineSource> lines_;
  std::unique_ptr<RecordParser> parser_;
};

class PrefetchingReader final : public RecordReader {
 public:
  // stdin may block for ever, and a reader that is given up must not wait for it: no prefetching.
  PrefetchingReader(std::vector<Input> inputs, const RecordOptions& options, bool has_stdin)
      : maker_(std::move(inputs), options),
        policy_(has_stdin ? std::launch::deferred : std::launch::async | std::launch::deferred),
        last_({.progress = maker_.progress()}) {}

  bool next(RecordBatch& batch) override {
    if (ended_) return false;
    if (!pending_.valid()) prefetch({});
    ended_ = true;  // unless there is another batch
    last_ = pending_.get();
    if (last_.batch.records.empty()) return false;
    ended_ = false;
    std::swap(batch, last_.batch);
    prefetch(std::move(last_.batch));
    return true;
  }
  ReadProgress progress() const override { return last_.progress; }
  Index skipped() const override { return last_.skipped; }
  std::vector<std::string> notes() const override { return last_.notes; }

 private:
  void prefetch(RecordBatch storage) {
    pending_ = std::async(policy_, [this, storage = std::move(storage)]() mutable {
      return maker_.next(std::move(storage));
    });
  }

  BatchMaker maker_;
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

}  // namespace

std::unique_ptr<RecordReader> open_records(std::vector<std::filesystem::path> paths,
                                           const RecordOptions& options) {
  std::vector<Input> inputs;
  bool has_stdin = false;
  for (std::filesystem::path& path : paths) {
    const bool is_stdin = path == "-";
    require(!is_stdin || !has_stdin, "-", "stdin can be read only once");
    has_stdin = has_stdin || is_stdin;
    const RecordFormat format =
        options.format == RecordFormat::kAuto ? format_by_name(path) : options.format;
    const std::uint64_t size = is_stdin ? 0 : InputFile(path).size();
    inputs.push_back({.path = std::move(path), .format = format, .size = size});
  }
  check_options(inputs, options);
  return std::make_unique<PrefetchingReader>(std::move(inputs), options, has_stdin);
}

}  // namespace sextant
