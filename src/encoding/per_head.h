// SPDX-License-Identifier: Apache-2.0
// A parameter with one value for all heads, or one for each.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "sextant/registry.h"

namespace sextant {

class PerHead {
 public:
  PerHead(std::vector<double> values, std::string_view name, std::string_view encoding)
      : values_(std::move(values)), name_(name), encoding_(encoding) {}

  double operator[](Index head) const {
    return values_.size() == 1 ? values_[0] : values_[static_cast<std::size_t>(head)];
  }
  const std::vector<double>& values() const { return values_; }

  // The head count that the values fix, or 0.
  Index heads() const { return values_.size() == 1 ? 0 : static_cast<Index>(values_.size()); }

  // Throws kUsage unless there is one value, or one for each of `heads`.
  void check(Index heads) const {
    require(values_.size() == 1 || static_cast<Index>(values_.size()) == heads, encoding_,
            "{} must have one entry or one for each of {} heads but has {}", name_, heads,
            values_.size());
  }

 private:
  std::vector<double> values_;
  std::string_view name_, encoding_;
};

}  // namespace sextant
