// SPDX-License-Identifier: Apache-2.0
// Results of a study as JSON: docs/report-format.md. Nothing in it depends on time, host, path or
// threads.
#pragma once

#include <string>

#include "io/json.h"
#include "run/study.h"

namespace sextant {

// What a corpus is: name, sequences, tokens, vocabulary, tokenizer, lengths, hash, notes.
Json corpus_json(const Study& study);

// corpus, positions, counts, reliability, excluded, target.
void add_geometry(Json& document, const Study& study);

// against and comparison: how far the geometry of `other` is from that of `study`.
void add_comparison(Json& document, const Study& study, const Study& other);

// rows and needs_values.
void add_score(Json& document, const Study& study);

// Everything else of the report: options, verdict, ranks, embedding, matrices, kernels, metrics,
// encodings, groups, claims, provenance. `rows` of the document must be there.
void add_report(Json& document, const Study& study, Index threads, const Announce& announce,
                Communicator& ranks = alone());

// One line per result, each a JSON object that names its analysis: the store of the report.
std::string result_lines(const Json& document);

}  // namespace sextant
