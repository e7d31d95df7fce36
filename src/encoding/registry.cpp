// SPDX-License-Identifier: Apache-2.0
#include "sextant/registry.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "encoding/compose.h"
#include "encoding/params.h"

namespace sextant {
namespace {

// What read_npy guarantees of a file.
void check_tensor(std::string_view name, const Tensor& tensor) {
  std::size_t count = 1;
  for (const Index size : tensor.shape) {
    require(size >= 0 && (size == 0 || count <= tensor.values.size()), name,
            "shape must fit the tensor's {} values", tensor.values.size());
    count *= static_cast<std::size_t>(size);
  }
  require(count == tensor.values.size(), name,
          "shape must hold the tensor's {} values but holds {}", tensor.values.size(), count);
  for (const double value : tensor.values)
    if (!std::isfinite(value))
      fail(ErrorCode::kNumeric, name, "values must be finite but one is {}", value);
}

}  // namespace

std::vector<std::string> EncodingRegistry::names() const {
  std::vector<std::string> result;
  for (const auto& [name, entry] : entries_) result.push_back(name);
  return result;
}

const EncodingRegistry::Entry& EncodingRegistry::entry(std::string_view name,
                                                       std::string_view where) const {
  const auto found = entries_.find(name);
  if (found != entries_.end()) return found->second;
  fail(ErrorCode::kUsage, where, "there is no encoding '{}'{}", escaped(name),
       suggestion(name, names()));
}

const EncodingInfo& EncodingRegistry::info(std::string_view name) const {
  return *entry(name, "encodings").info;
}

std::unique_ptr<Encoding> EncodingRegistry::make(std::string_view spec,
                                                 const TensorMap& tensors) const {
  for (const auto& [name, tensor] : tensors) check_tensor(name, tensor);
  const EncodingSpec parsed = EncodingSpec::parse(spec);
  std::vector<std::unique_ptr<Encoding>> parts;
  std::string canonical;
  for (const EncodingSpec::Term& term : parsed.terms) {
    parts.push_back(make_term(term, spec, tensors));
    if (!canonical.empty()) canonical += '+';
    canonical += parts.back()->spec();
  }
  std::unique_ptr<Encoding> result = compose(std::move(parts));
  result->spec_ = std::move(canonical);
  return result;
}

std::unique_ptr<Encoding> EncodingRegistry::make_term(const EncodingSpec::Term& term,
                                                      std::string_view whole,
                                                      const TensorMap& tensors) const {
  const Entry& found = entry(term.name, spec_place(whole, term.at));
  const EncodingInfo& info = *found.info;
  const Params params(info.name, info.params, term, whole, tensors);
  require(!lacks_file(info, term) || params.has(info.required_file), spec_place(whole, term.at),
          "{}; write {}:FILE.npy", needed_file(info), info.name);
  std::unique_ptr<Encoding> result = found.make(params);
  result->spec_ = EncodingSpec{.terms = {params.canonical()}}.text();
  return result;
}

#define X(name) void register_##name(EncodingRegistry&);
#include "catalogue_encodings.inc"
#undef X

const EncodingRegistry& encodings() {
  static const EncodingRegistry registry = [] {
    EncodingRegistry r;
#define X(name) register_##name(r);
#include "catalogue_encodings.inc"
#undef X
    return r;
  }();
  return registry;
}

}  // namespace sextant
