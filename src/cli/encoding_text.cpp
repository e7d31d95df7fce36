// SPDX-License-Identifier: Apache-2.0
#include "cli/encoding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "encoding/params.h"

namespace sextant::cli {
namespace {

// 1e12 as people type it, not 1e+12.
std::string limit_text(double limit) {
  if (std::isinf(limit)) return limit > 0 ? "infinity" : "-infinity";
  std::string text = fmt::format("{:.6g}", limit);
  for (const auto& [written, typed] : {std::pair("e+0", "e"), {"e+", "e"}, {"e-0", "e-"}}) {
    const auto at = text.find(written);
    if (at != text.npos) text.replace(at, std::string_view(written).size(), typed);
  }
  return parse_number(text) == limit ? text : shortest(limit);
}

}  // namespace

std::string range_text(const ParamInfo& param) {
  if (param.kind == ParamKind::kWord) {
    return fmt::format("one of {}", fmt::join(split(param.choices, '|'), ", "));
  }
  if (param.kind == ParamKind::kFile) return "file";
  const std::string_view kind = param.kind == ParamKind::kList ? "list a:b:c" : name(param.kind);
  const bool above = std::isfinite(param.min), below = std::isfinite(param.max);
  if (above && below) {
    return fmt::format("{}, {} to {}", kind, limit_text(param.min), limit_text(param.max));
  }
  if (above) return fmt::format("{}, at least {}", kind, limit_text(param.min));
  if (below) return fmt::format("{}, at most {}", kind, limit_text(param.max));
  return std::string(kind);
}

std::string sites_text(const Sites& sites) {
  const std::vector<std::string_view> all = names(sites);
  return all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", "));
}

std::string spaced(std::string_view text) {
  std::string result(text);
  std::ranges::replace(result, '_', ' ');
  return result;
}

std::string seeded(std::string_view spec, const Globals& globals) {
  if (!globals.seed) return std::string(spec);
  EncodingSpec parsed = EncodingSpec::parse(spec);
  bool random = false;
  for (EncodingSpec::Term& term : parsed.terms) {
    if (find_param(encodings().info(term.name), "seed") == nullptr) continue;
    random = true;
    if (!sets(term, "seed")) term.arguments.push_back({"seed", std::to_string(*globals.seed), 0});
  }
  require(random, "--seed", "'{}' draws nothing at random", escaped(spec));
  return parsed.text();
}

std::string missing_file(const EncodingSpec& spec) {
  for (const EncodingSpec::Term& term : spec.terms) {
    const EncodingInfo& info = encodings().info(term.name);
    if (lacks_file(info, term)) return needed_file(info);
  }
  return "";
}

}  // namespace sextant::cli
