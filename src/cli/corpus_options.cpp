// SPDX-License-Identifier: Apache-2.0
// From words on the command line to what the readers take.
#include "cli/corpus_options.h"

#include "cli/options.h"
#include "cli/table_file.h"
#include "corpus/records.h"
#include "corpus/synthetic.h"

namespace sextant::cli {

void add_text_options(CLI::App& app, CorpusChoice& choice) {
  add_text(app, "--tokens", choice.tokens, "T",
           "words, bytes, wordpiece:VOCAB, gpt2:DIR, tokenizer:FILE.json or "
           "sentencepiece:FILE.model (default words: lower case, split at white space)");
  add_choice(app, "--format", choice.format, kFormatWords,
             "Format of the files (default auto: by extension)");
  add_text(app, "--text-column", choice.text_column, "K",
           "Column of the text in tsv and csv, a number from 1 or a name (default: the last)");
  add_text(app, "--text-field", choice.text_field, "F",
           "Field of the text in jsonl (default text)");
  add_integer(app, "--limit", choice.limit, 1, kLargest, "Sequences to read at most");
}

void add_corpus_options(CLI::App& app, CorpusChoice& choice, bool counts) {
  add_texts(app, "FILE", choice.inputs, "FILE",
            counts ? "Texts: files, globs, or - for stdin; .gz and .zst too; or .counts files"
                   : "Texts: files, globs, or - for stdin; .gz and .zst too");
  add_text_options(app, choice);
  add_text(app, "--group-column", choice.group_column, "K",
           "Column or field that names the source; rows of one source stay together");
  add_choice(app, "--invalid", choice.invalid, kInvalidWords,
             "Bytes that are not UTF-8: an error, U+FFFD, or kept for --tokens bytes "
             "(default error)");
  add_integer(app, "--skip-bad", choice.skip_bad, 0, kLargest,
              "Bad records to leave out before one stops the run (default 0)");
}

void check_not_an_input(const std::filesystem::path& output, const CorpusChoice& choice) {
  std::error_code none;
  const bool built_in = choice.inputs.size() == 1 && is_synthetic(choice.inputs.front());
  if (built_in || !std::filesystem::exists(output, none)) return;
  std::vector<std::string> inputs;
  for (const std::filesystem::path& input : expand_inputs(choice.inputs))
    inputs.push_back(input.string());
  refuse_input_as_output(output, inputs);
}

}  // namespace sextant::cli
