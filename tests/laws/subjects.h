// SPDX-License-Identifier: Apache-2.0
// What the laws run on: every encoding of the catalogue with its defaults, every example that its
// info gives, a longrope whose lists fit the width, a few composites, and a magnitude beside
// coordinates that do not turn. A new encoding is here without a new line.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "encoding/params.h"
#include "sextant/registry.h"

namespace sextant {

inline constexpr Extent kExtent{.positions = 24, .dim = 24, .heads = 2};

// Values for encodings that need a file: square, so that they serve as rows, as a generator and
// as whatever a new encoding makes of them; or a stack of such, one per axis.
inline TensorMap test_tensors(Index dim, Index axes = 1) {
  Tensor square{.shape = {dim, dim}, .values = {}};
  if (axes > 1) square.shape.insert(square.shape.begin(), axes);
  const Rng rng(20240607, 0);
  const double deviation = std::pow(static_cast<double>(dim), -1.5);  // spectral radius near 1/dim
  for (Index i = 0; i < axes * dim * dim; ++i)
    square.values.push_back(deviation * rng.normal(static_cast<std::uint64_t>(i)));
  return {{"file", square}};
}

inline std::vector<std::string> subject_specs() {
  std::vector<std::string> specs;
  for (const std::string& name : encodings().names()) {
    specs.push_back(name);
    for (const std::string_view example : encodings().info(name).examples)
      specs.emplace_back(example);
  }
  for (const char* composite :
       {"rope+alibi", "sinusoidal+rope", "sinusoidal+alibi+kerple", "learned+shaw", "spiral+t5",
        "generator(commuting=any)", "rope(scaling=yarn,factor=4,original=64,partial=0.5)"})
    specs.emplace_back(composite);
  return specs;
}

// Only a required file is given; an optional one would hide the initial draw. What takes generators
// that do not commute gets two of them.
inline TensorMap tensors_for(const std::string& spec, Index dim = kExtent.dim) {
  for (const EncodingSpec::Term& term : EncodingSpec::parse(spec).terms) {
    if (!lacks_file(encodings().info(term.name), term)) continue;
    const bool several =
        std::ranges::any_of(term.arguments, [](const auto& a) { return a.value == "any"; });
    return test_tensors(dim, several ? 2 : 1);
  }
  return {};
}

inline std::unique_ptr<Encoding> make_subject(const std::string& spec, Index dim = kExtent.dim) {
  return encodings().make(spec, tensors_for(spec, dim));
}

// The position t; for an encoding of several axes a point of a line that misses the origin, for on
// lines through it every operator commutes.
inline Position point(const Effects& effects, double t) {
  const bool vectors = effects.query_key && !effects.input && !effects.logit && !effects.key_offset;
  const std::size_t axes = vectors ? effects.query_key->groups.size() : 1;
  std::array<double, kMaxAxes> x = {};
  for (std::size_t a = 0; a < axes; ++a)
    x[a] = 0.5 * static_cast<double>(a + 2) * t + static_cast<double>(a);
  return Position(std::span<const double>(x).first(axes));
}

// The extent with the head count that the encoding asks for.
inline Extent extent_for(const Encoding& encoding, Extent extent = kExtent) {
  if (encoding.heads() > 0) extent.heads = encoding.heads();
  return extent;
}

inline Vector random_vector(Index n, std::uint64_t stream) {
  const Rng rng(7, stream);
  Vector result;
  for (Index i = 0; i < n; ++i) result.push_back(rng.normal(static_cast<std::uint64_t>(i)));
  return result;
}

// A name that GoogleTest accepts.
inline std::string test_name(const std::string& spec) {
  std::string result;
  for (const char c : spec) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      result += c;
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  return result;
}

}  // namespace sextant
