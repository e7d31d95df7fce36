// SPDX-License-Identifier: Apache-2.0
// sextant tokenize: a corpus as token ids in one array, and the lengths of its sequences in
// another.
#include <fmt/format.h>

#include <cassert>
#include <filesystem>
#include <limits>

#include "base/check.h"
#include "base/text.h"
#include "cli/corpus_options.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "corpus/records.h"
#include "io/atomic_file.h"
#include "io/json.h"
#include "io/npy.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  CorpusChoice corpus;
  std::string output;
  bool force = false;
};

// A one-dimensional .npy whose length is known only at its end.
template <typename Value>
class GrowingNpy {
 public:
  GrowingNpy(const fs::path& path, std::string_view descr, AtomicFile::Existing existing)
      : file_(path, existing), descr_(descr) {
    file_.write(header());
  }

  void append(std::span<const Value> values) {
    file_.write(std::as_bytes(values));
    count_ += std::ssize(values);
  }

  void commit() {
    file_.rewrite(0, header());
    file_.commit();
  }

  Index count() const { return count_; }

 private:
  // Padded to 128 bytes for any count, so that the last one fits where the first was.
  std::string header() const {
    std::string text = npy_header(descr_, std::array{count_});
    assert(text.size() == 128);
    return text;
  }

  AtomicFile file_;
  std::string descr_;
  Index count_ = 0;
};

// "ids.npy" -> "ids.lengths.npy".
fs::path lengths_path(const fs::path& output) {
  require(output.extension() == ".npy", "--output", "must end in .npy but is '{}'",
          path_text(output));
  fs::path path = output;
  return path.replace_extension(".lengths.npy");
}

void append_ids(const std::vector<TokenId>& ids, GrowingNpy<std::int32_t>& array) {
  std::vector<std::int32_t> values;
  values.reserve(ids.size());
  for (const TokenId id : ids) {
    if (id > static_cast<TokenId>(std::numeric_limits<std::int32_t>::max()))
      fail(ErrorCode::kRefused, "tokenize", "id {} does not fit 32 bits with a sign", id);
    values.push_back(static_cast<std::int32_t>(id));
  }
  array.append(values);
}

// False when a signal stopped it.
bool write_arrays(RecordReader& reader, const Tokenizer& tokenizer,
                  GrowingNpy<std::int32_t>& ids_file, GrowingNpy<std::int64_t>& lengths_file) {
  const std::unique_ptr<TokenizerSession> session = tokenizer.session();
  RecordBatch batch;
  std::vector<TokenId> ids;
  std::vector<std::int64_t> lengths;
  while (reader.next(batch)) {
    if (stop_requested()) return false;
    ids.clear();
    lengths.clear();
    for (const RecordBatch::Record& record : batch.records) {
      const std::size_t before = ids.size();
      session->encode(batch.text(record), kLargest, ids);
      lengths.push_back(static_cast<std::int64_t>(ids.size() - before));
    }
    append_ids(ids, ids_file);
    lengths_file.append(lengths);
  }
  return true;
}

int run(const Options& options, const Globals& globals) {
  const RecordOptions records = record_options(options.corpus);
  require(!options.output.empty(), "--output", "must be given, such as -o ids.npy");
  const fs::path output = options.output, lengths = lengths_path(output);
  std::vector<fs::path> inputs = expand_inputs(options.corpus.inputs);
  check_not_an_input(output, options.corpus);
  check_not_an_input(lengths, options.corpus);
  stop_requested();  // from here on a signal ends the work in order
  const auto existing =
      options.force ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep;
  GrowingNpy<std::int32_t> ids_file(output, "<i4", existing);
  GrowingNpy<std::int64_t> lengths_file(lengths, "<i8", existing);

  const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer(options.corpus);
  const std::unique_ptr<RecordReader> reader = open_records(std::move(inputs), records);
  if (!write_arrays(*reader, *tokenizer, ids_file, lengths_file)) return kStoppedBySignal;
  if (ids_file.count() == 0) fail(ErrorCode::kMalformed, "tokenize", "the input has no tokens");
  lengths_file.commit();
  ids_file.commit();

  for (const std::string& each : tokenizer->notes()) note(globals, each);
  for (const std::string& each : reader->notes()) note(globals, each);
  if (globals.json) {
    Json json;
    json["schema"] = 1;
    json["verb"] = "tokenize";
    json["sequences"] = lengths_file.count();
    json["tokens"] = ids_file.count();
    json["vocabulary"] = tokenizer->vocabulary();
    json["tokenizer"] = tokenizer->name();
    json["skipped"] = reader->skipped();
    json["shape"] = {ids_file.count()};
    json["file"] = options.output;
    json["lengths_file"] = lengths.string();
    print(to_text(json));
  } else if (!globals.quiet) {
    print(fmt::format("{}: {} tokens of {} sequences, vocabulary {} ({})\n", options.output,
                      ids_file.count(), lengths_file.count(), tokenizer->vocabulary(),
                      tokenizer->name()));
  }
  return 0;
}

}  // namespace

void register_tokenize(VerbRegistry& verbs) {
  Verb& verb = verbs.add("tokenize", "Write a corpus as an array of token ids");
  const auto options = std::make_shared<Options>();
  add_corpus_options(*verb.app, options->corpus);
  add_text(*verb.app, "-o,--output", options->output, "FILE",
           "Write the ids to FILE.npy and the lengths to FILE.lengths.npy");
  add_flag(*verb.app, "--force", options->force, "Replace existing outputs");
  verb.examples = {
      {"sextant tokenize reviews.tsv.gz --tokens wordpiece:vocab.txt -o ids.npy",
       "the last column by BERT's vocabulary"},
      {"sextant tokenize 'part-*.jsonl.zst' --text-field body --tokens gpt2:gpt2 -o ids.npy",
       "a field of many files by GPT-2's merges"},
      {"sextant tokenize book.txt -o words.npy --json", "words of a text, counts for programs"},
  };
  verb.takes_json = true;
  verb.run = [options, &globals = verbs.globals()] { return run(*options, globals); };
}

}  // namespace sextant::cli
