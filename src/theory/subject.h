// SPDX-License-Identifier: Apache-2.0
// The encodings that a theorem about transformers is checked on, each with a shape that it fits.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sextant/registry.h"
#include "sextant/theorem.h"
#include "sextant/transformer.h"

namespace sextant {

// Wider models say nothing more about symmetries and cost the square.
inline constexpr Index kMostSubjectDim = 128;

struct Subject {
  std::string spec;
  std::unique_ptr<Encoding> encoding;  // null: not applicable
  TransformerShape shape;              // causal where the encoding needs it
  std::string remark;  // why it is not applicable; that its values are an initial draw; or empty

  Effects effects(Index positions) const {
    return transformer_effects(*encoding, shape, positions);
  }
  bool logit_only() const { return !encoding->info().sites.input; }
};

// One spec. dim and heads of the options are met as nearly as the encoding allows: a head has a
// multiple of 4 coordinates, or the width that a file fixes. Throws like EncodingRegistry::make().
Subject theorem_subject(const std::string& spec, const TheoremOptions& options);

// All of options.encodings, or of the catalogue.
std::vector<Subject> theorem_subjects(const TheoremOptions& options);

// A finding that measure() fills with observed, verdict and so on; or one that is not testable,
// with NaN, and says why, where the encoding is not applicable or throws. The remark of the subject
// comes first.
Finding subject_finding(const Subject& subject, std::string quantity,
                        const std::function<void(Finding&)>& measure);

// "N=16 (of 50), dim=64, heads=4": the size of a model, and where it is not the one asked for.
std::string size_remark(const TransformerShape& shape, Index n, const TheoremOptions& options);

// "a; b", or whichever is not empty.
std::string joined_remarks(const std::string& first, const std::string& second);

// Standard normal entries.
Matrix random_tokens(Index n, Index dim, std::uint64_t seed);

// The largest |a - b|; NaN where an entry is not a number. REQUIRES: one size.
double largest_difference(const Matrix& a, const Matrix& b);

// Row i of the result is row order[i] of x.
Matrix reordered(const Matrix& x, const std::vector<Index>& order);

}  // namespace sextant
