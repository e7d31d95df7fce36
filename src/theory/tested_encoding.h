// SPDX-License-Identifier: Apache-2.0
// The encodings that a claim is tested on, each with the size that it asks for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sextant/registry.h"
#include "sextant/theorem.h"

namespace sextant {

struct TestedEncoding {
  std::string spec;                    // as asked for, or with the training length filled in
  std::unique_ptr<Encoding> encoding;  // none where its values are in a file that was not given
  std::string missing;                 // what it needs then: "mds needs file=FILE.npy"
  bool initial_draw = false;           // its values are learned, and these are a first draw
};

// Where an encoding has a training length that the spec leaves open it is `train`. Throws like
// EncodingRegistry::make().
TestedEncoding tested_encoding(const std::string& spec, Index train);

// options.encodings, or the catalogue.
std::vector<std::string> tested_specs(const TheoremOptions& options);

// All of them, with options.train.
std::vector<TestedEncoding> tested_encodings(const TheoremOptions& options);

// "" or "; its values are an initial draw".
std::string draw_remark(const TestedEncoding& subject);

}  // namespace sextant
