// SPDX-License-Identifier: Apache-2.0
// First weights of BERT from a file of others, by the names that Hugging Face's library gives them.
#pragma once

#include <string>
#include <vector>

#include "lab/model.h"

namespace sextant {

// Fills a model of Frame::kBert from trial.weights. Names may begin with "bert."; norms may have
// the old names gamma and beta. Tables may have more rows than the model: the first are taken.
// Positions go to the encoding `learned` where it has no file of its own. The head of the task
// stays as drawn where the file has none that fits, and so does the pooler.
//
// Returns notes: tensors that were not used, parts that stay as drawn. Throws kUsage, naming what
// is missing or of another shape, before anything is changed; errors of the file as its reader
// throws them.
std::vector<std::string> load_bert(TransformerModule& model, const Trial& trial);

}  // namespace sextant
