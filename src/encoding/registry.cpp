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

std::string place(std::string_view whole, Index at) {
  return fmt::format("spec '{}': character {}", escaped(whole), at);
}

[[noreturn]] void reject_key(const EncodingInfo& info, const EncodingSpec::Argument& argument,
                             std::string_view where) {
  std::vector<std::string> keys;
  for (const ParamInfo& param : info.params) keys.emplace_back(param.name);
  fail(ErrorCode::kUsage, where, "{} has no parameter '{}'{}", info.name, escaped(argument.key),
       suggestion(argument.key, keys));
}

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

// Non-default arguments in the order of declaration.
EncodingSpec::Term canonical_term(const EncodingInfo& info,
                                  const std::map<std::string, std::string, std::less<>>& values) {
  EncodingSpec::Term term{.name = std::string(info.name), .arguments = {}, .at = 0};
  for (const ParamInfo& param : info.params) {
    const auto found = values.find(param.name);
    if (found != values.end() && found->second != param.default_text)
      term.arguments.push_back({found->first, found->second, 0});
  }
  return term;
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
  const Entry& found = entry(term.name, place(whole, term.at));
  const EncodingInfo& info = *found.info;
  Params params;
  params.encoding_ = info.name;
  for (const EncodingSpec::Argument& argument : term.arguments) {
    const std::string where = place(whole, argument.at);
    const ParamInfo* param = find_param(info, argument.key);
    if (param == nullptr) reject_key(info, argument, where);
    std::string value = canonical_value(*param, argument.value, where);
    if (value != param->default_text) params.given_.insert(argument.key);
    require(params.values_.emplace(argument.key, std::move(value)).second, where,
            "'{}' must be given once", argument.key);
  }
  EncodingSpec canonical;
  canonical.terms.push_back(canonical_term(info, params.values_));
  for (const ParamInfo& param : info.params) {
    if (!param.default_text.empty())
      params.values_.emplace(param.name, std::string(param.default_text));
    const auto held = tensors.find(param.name);
    if (param.kind == ParamKind::kFile && held != tensors.end()) params.tensors_.insert(*held);
  }
  require(!lacks_file(info, term) || params.has(info.required_file), place(whole, term.at),
          "{}; write {}:FILE.npy", needed_file(info), info.name);
  std::unique_ptr<Encoding> result = found.make(params);
  result->spec_ = canonical.text();
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
