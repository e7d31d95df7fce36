// SPDX-License-Identifier: Apache-2.0
// What the laws run on: every encoding of the catalogue with its defaults, every example that its
// info gives, and a few composites. A new encoding is here without a new line.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "sextant/registry.h"

namespace sextant {

inline constexpr Extent kExtent{.positions = 24, .dim = 24, .heads = 2};

// Values for encodings that need a file: square, so that they serve as rows, as a generator and
// as whatever a new encoding makes of them.
inline TensorMap test_tensors(Index dim) {
  Tensor square{.shape = {dim, dim}, .values = {}};
  const Rng rng(20240607, 0);
  const double deviation = std::pow(static_cast<double>(dim), -1.5);  // spectral radius near 1/dim
  for (Index i = 0; i < dim * dim; ++i)
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
       {"rope+alibi", "sinusoidal+rope", "sinusoidal+alibi+kerple", "learned+shaw", "spiral+t5"})
    specs.emplace_back(composite);
  return specs;
}

// Only a required file is given; an optional one would hide the initial draw.
inline std::unique_ptr<Encoding> make_subject(const std::string& spec, Index dim = kExtent.dim) {
  const std::string name = spec.substr(0, spec.find_first_of("(:+"));
  const bool needs_file = !encodings().info(name).required_file.empty();
  return encodings().make(spec, needs_file ? test_tensors(dim) : TensorMap{});
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
