// SPDX-License-Identifier: Apache-2.0
// Options of Python functions, by name, read strictly.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "sextant/matrix.h"

namespace sextant::python {

template <typename Value>
struct OptionWords;
template <>
struct OptionWords<std::string> {
  static constexpr std::string_view kWords = "a text";
};
template <>
struct OptionWords<bool> {
  static constexpr std::string_view kWords = "True or False";
};
template <>
struct OptionWords<double> {
  static constexpr std::string_view kWords = "a number";
};
template <>
struct OptionWords<Index> {
  static constexpr std::string_view kWords = "a whole number";
};
template <>
struct OptionWords<std::uint64_t> {
  static constexpr std::string_view kWords = "a whole number of at least 0";
};
template <>
struct OptionWords<std::vector<std::string>> {
  static constexpr std::string_view kWords = "a list of texts";
};

// `value` as Python shows it; numbers with thousands of digits it does not.
inline std::string shown(const pybind11::object& value) {
  try {
    return pybind11::repr(value).cast<std::string>();
  } catch (const pybind11::error_already_set&) {
    return pybind11::str(pybind11::type::of(value).attr("__name__")).cast<std::string>();
  }
}

// True is neither a number nor a text, and a number is neither True nor False.
template <typename Value>
bool may_be(const pybind11::object& value) {
  const bool truth = pybind11::detail::make_caster<bool>().load(value, /*convert=*/false);
  return truth == std::is_same_v<Value, bool>;
}

// options[name] into `target`; None and a missing name leave it as it is. Throws kUsage, naming the
// option, for a value of another kind.
template <typename Value>
void read_option(const pybind11::dict& options, const char* name, Value& target) {
  if (!options.contains(name) || options[name].is_none()) return;
  const pybind11::object value = options[name];
  pybind11::detail::make_caster<Value> caster;
  if (!may_be<Value>(value) || !caster.load(value, /*convert=*/true))
    fail(ErrorCode::kUsage, name, "must be {} but got {}", OptionWords<Value>::kWords,
         shown(value));
  target = pybind11::detail::cast_op<Value>(std::move(caster));
}
template <typename Value>
void read_option(const pybind11::dict& options, const char* name, std::optional<Value>& target) {
  Value value = {};
  if (!options.contains(name) || options[name].is_none()) return;
  read_option(options, name, value);
  target = std::move(value);
}

}  // namespace sextant::python
