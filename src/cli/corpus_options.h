// SPDX-License-Identifier: Apache-2.0
// The options of every verb that reads a corpus, declared once.
#pragma once

#include <filesystem>

#include "cli/verb.h"
#include "run/study_choice.h"

namespace sextant::cli {

// What every reader of texts asks: --tokens, --format, --text-column, --text-field, --limit.
// `choice` must outlive the parse.
void add_text_options(CLI::App& app, CorpusChoice& choice);
// The argument `FILE...`, these and the others. `counts`: files of counts are welcome too.
void add_corpus_options(CLI::App& app, CorpusChoice& choice, bool counts = false);

// Throws kUsage when `output` is one of the files that are read.
void check_not_an_input(const std::filesystem::path& output, const CorpusChoice& choice);

}  // namespace sextant::cli
