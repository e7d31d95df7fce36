// SPDX-License-Identifier: Apache-2.0
// fmt's default format of a float or a double is the shortest one that round-trips.
#include "io/csv.h"

#include <fmt/format.h>

#include <cassert>
#include <iterator>

namespace sextant {
namespace {

template <typename Real>
std::string rows(std::span<const Real> values, Index columns) {
  assert(columns > 0 && std::ssize(values) % columns == 0);
  std::string text;
  Index column = 0;
  for (const Real value : values) {
    fmt::format_to(std::back_inserter(text), "{}", value);
    column = (column + 1) % columns;
    text += column == 0 ? '\n' : ',';
  }
  return text;
}

}  // namespace

std::string csv_rows(std::span<const double> values, Index columns) {
  return rows(values, columns);
}
std::string csv_rows(std::span<const float> values, Index columns) { return rows(values, columns); }

}  // namespace sextant
