// SPDX-License-Identifier: Apache-2.0
#include "encoding/params.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

#include "base/check.h"
#include "base/text.h"
#include "io/array_input.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

// Whole numbers without an exponent: base=500000, not 5e+05.
std::string readable(double value) {
  constexpr double kLargest = 1e15;
  return value == std::floor(value) && std::abs(value) < kLargest ? fmt::format("{:.0f}", value)
                                                                  : shortest(value);
}

std::string canonical_number(const ParamInfo& param, std::string_view value,
                             std::string_view where) {
  const auto number = parse_number(value);
  require(number.has_value(), where, "{} must be a finite number but got '{}'", param.name,
          escaped(value));
  if (param.kind == ParamKind::kInteger)
    require(*number == std::floor(*number), where, "{} must be a whole number but got '{}'",
            param.name, escaped(value));
  require(*number >= param.min && *number <= param.max, where,
          "{} must be between {} and {} but got {}", param.name, readable(param.min),
          readable(param.max), escaped(value));
  return readable(*number + 0.0);  // -0 becomes 0
}

std::string canonical_list(const ParamInfo& param, std::string_view value, std::string_view where) {
  std::string result;
  for (const std::string_view item : split(value, ':')) {
    if (!result.empty()) result += ':';
    result += canonical_number(param, item, where);
  }
  return result;
}

std::string canonical_word(const ParamInfo& param, std::string_view value, std::string_view where) {
  std::vector<std::string> choices;
  for (const std::string_view choice : split(param.choices, '|')) choices.emplace_back(choice);
  for (const std::string& choice : choices)
    if (choice == value) return choice;
  fail(ErrorCode::kUsage, where, "{} must be one of {} but got '{}'{}", param.name, param.choices,
       escaped(value), suggestion(value, choices));
}

const ParamInfo* find_param(std::span<const ParamInfo> params, std::string_view key) {
  const auto found =
      std::ranges::find_if(params, [&](const ParamInfo& param) { return param.name == key; });
  return found == params.end() ? nullptr : &*found;
}

[[noreturn]] void reject_key(std::string_view owner, std::span<const ParamInfo> params,
                             std::string_view key, std::string_view where) {
  std::vector<std::string> keys;
  for (const ParamInfo& param : params) keys.emplace_back(param.name);
  fail(ErrorCode::kUsage, where, "{} has no parameter '{}'{}", owner, escaped(key),
       suggestion(key, keys));
}

}  // namespace

std::string spec_place(std::string_view whole, Index at) {
  return fmt::format("spec '{}': character {}", escaped(whole), at);
}

const ParamInfo* find_param(const EncodingInfo& info, std::string_view key) {
  return find_param(info.params, key);
}

bool sets(const EncodingSpec::Term& term, std::string_view key) {
  return std::ranges::any_of(term.arguments, [&](const auto& a) { return a.key == key; });
}

bool lacks_file(const EncodingInfo& info, const EncodingSpec::Term& term) {
  if (info.required_file.empty() || sets(term, info.required_file)) return false;
  return std::ranges::none_of(split(info.instead_of_file, '|'),
                              [&](std::string_view key) { return sets(term, key); });
}

std::string needed_file(const EncodingInfo& info) {
  std::string result = fmt::format("{} needs {}=FILE.npy", info.name, info.required_file);
  std::string_view between = " or ";
  for (const std::string_view key : split(info.instead_of_file, '|')) {
    if (key.empty()) continue;
    result += fmt::format("{}{}", between, key);
    between = ", ";
  }
  return result;
}

bool is_initial_draw(const Encoding& encoding) {
  if (!encoding.info().needs_values) return false;
  const EncodingSpec spec = EncodingSpec::parse(encoding.spec());
  return std::ranges::any_of(spec.terms, [](const EncodingSpec::Term& term) {
    return encodings().info(term.name).needs_values && !sets(term, "file");
  });
}

void add_training_length(EncodingSpec::Term& term, Index train) {
  const EncodingInfo& info = encodings().info(term.name);
  const ParamInfo* param = find_param(info, "train");
  if (param == nullptr || sets(term, "train")) return;
  const bool drawn = info.needs_values && !sets(term, "file");
  if (!param->default_text.empty() || sets(term, "positions") || drawn)
    term.arguments.push_back({"train", std::to_string(train), 0});
}

std::string canonical_value(const ParamInfo& param, std::string_view value,
                            std::string_view where) {
  switch (param.kind) {
    case ParamKind::kNumber:
    case ParamKind::kInteger:
      return canonical_number(param, value, where);
    case ParamKind::kList:
      return canonical_list(param, value, where);
    case ParamKind::kWord:
      return canonical_word(param, value, where);
    case ParamKind::kFile:
      require(value.find('"') == std::string_view::npos, where, "{} must not contain '\"'",
              param.name);
      return std::string(value);
  }
  return {};
}

Params::Params(std::string_view owner, std::span<const ParamInfo> infos,
               const EncodingSpec::Term& term, std::string_view whole, const TensorMap& tensors)
    : owner_(owner), canonical_{.name = std::string(owner), .arguments = {}, .at = 0} {
  for (const EncodingSpec::Argument& argument : term.arguments) {
    const std::string where = spec_place(whole, argument.at);
    const ParamInfo* param = find_param(infos, argument.key);
    if (param == nullptr) reject_key(owner, infos, argument.key, where);
    std::string value = canonical_value(*param, argument.value, where);
    if (value != param->default_text) given_.insert(argument.key);
    require(values_.emplace(argument.key, std::move(value)).second, where,
            "'{}' must be given once", argument.key);
  }
  for (const ParamInfo& param : infos) {
    if (given(param.name))
      canonical_.arguments.push_back({std::string(param.name), text(param.name), 0});
    if (!param.default_text.empty()) values_.emplace(param.name, std::string(param.default_text));
    const auto held = tensors.find(param.name);
    if (param.kind == ParamKind::kFile && held != tensors.end()) tensors_.insert(*held);
  }
}

const std::string& Params::text(std::string_view name) const {
  const auto found = values_.find(name);
  assert(found != values_.end());
  return found->second;
}

double Params::number(std::string_view name) const { return parse_number(text(name)).value(); }

Index Params::integer(std::string_view name) const { return static_cast<Index>(number(name)); }

const std::string& Params::word(std::string_view name) const { return text(name); }

std::vector<double> Params::list(std::string_view name) const {
  std::vector<double> result;
  if (!has(name)) return result;
  for (const std::string_view item : split(text(name), ':'))
    result.push_back(parse_number(item).value());
  return result;
}

bool Params::has(std::string_view name) const {
  return values_.find(name) != values_.end() || tensors_.find(name) != tensors_.end();
}

bool Params::given(std::string_view name) const { return given_.find(name) != given_.end(); }

Tensor Params::tensor(std::string_view name) const {
  if (const auto held = tensors_.find(name); held != tensors_.end()) return held->second;
  NpyArray array = read_array(text(name));
  return {.shape = std::move(array.shape), .values = std::move(array.values)};
}

std::string Params::source(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() ? escaped(found->second) : std::string(owner_);
}

Matrix Params::matrix(std::string_view name) const {
  const Tensor array = tensor(name);
  if (array.shape.size() != 2)
    fail(ErrorCode::kMalformed, source(name), "array must have two axes but has {}",
         array.shape.size());
  Matrix result(array.shape[0], array.shape[1]);
  std::copy(array.values.begin(), array.values.end(), result.values().begin());
  return result;
}

}  // namespace sextant
