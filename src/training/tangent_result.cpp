// SPDX-License-Identifier: Apache-2.0
#include "training/tangent_result.h"

#include <cassert>
#include <cmath>

#include "base/text.h"
#include "io/json_input.h"

namespace sextant {
namespace {

constexpr std::uint64_t kMostTangentBytes = std::uint64_t{1} << 16;

}  // namespace

TangentResult tangent_result(const Matrix& start, const Matrix& end) {
  assert(start.rows() == end.rows() && start.cols() == end.cols());
  double dd = 0.0, aa = 0.0, bb = 0.0, ab = 0.0;
  for (std::size_t i = 0; i < start.values().size(); ++i) {
    const double a = start.values()[i], b = end.values()[i];
    aa += a * a;
    bb += b * b;
    ab += a * b;
    dd += (b - a) * (b - a);
  }
  const double both = std::sqrt(aa) * std::sqrt(bb);
  return {.outputs = start.rows(),
          .start_norm = std::sqrt(aa),
          .end_norm = std::sqrt(bb),
          .drift = dd == 0.0 ? 0.0 : std::sqrt(dd / aa),
          .alignment = both > 0.0 ? ab / both : 0.0};
}

Json tangent_result_json(const TangentResult& result) {
  return {{"outputs", result.outputs},
          {"start_norm", result.start_norm},
          {"end_norm", result.end_norm},
          {"drift", result.drift},
          {"alignment", result.alignment}};
}

TangentResult read_tangent_result(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kTangentName;
  const JsonInput json = read_json(path, kMostTangentBytes);
  const std::string where = path_text(path);
  const JsonNode node(json, where);
  return {.outputs = node.at("outputs").integer(),
          .start_norm = node.at("start_norm").number(),
          .end_norm = node.at("end_norm").number(),
          .drift = node.at("drift").number(),
          .alignment = node.at("alignment").number()};
}

}  // namespace sextant
