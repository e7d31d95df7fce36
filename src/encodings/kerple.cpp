// SPDX-License-Identifier: Apache-2.0
// KERPLE: penalties that grow like a logarithm or a power of the distance.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/rounding.h"
#include "encoding/per_head.h"
#include "math/double_double.h"
#include "math/elementary.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    word_param("kind", "log", "log|power", "log: -r1 ln(1 + r2 |lag|); power: -r1 |lag|^r2"),
    list_param("r1", "1", 1e-9, 1e6, "strength, one for all heads or one per head"),
    list_param("r2", "1", 1e-9, 1e6, "rate (log) or exponent up to 2 (power)"),
    file_param("per_head", "trained r1, then r2, instead, [2, heads] or [2, 1] for all"),
};

constexpr std::string_view kExamples[] = {"kerple(r2=0.1)", "kerple(kind=power,r1=0.1,r2=0.5)"};

constexpr EncodingInfo kInfo = {
    .name = "kerple",
    .title = "Kernelised relative bias (KERPLE)",
    .formula = R"(b(s,t) = -r_1 \ln(1 + r_2 |s-t|)\ \text{or}\ -r_1 |s-t|^{r_2})",
    .reference = "Chi et al., KERPLE, 2022, arXiv:2205.09921",
    .notes = "r1 and r2 are learned per head in the paper; 1 is where training may start.",
    .sites = {.logit = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kNo},
    .examples = kExamples,
};

class Kerple final : public Encoding {
 public:
  explicit Kerple(const Params& params)
      : log_(params.word("kind") == "log"),
        r1_(params.list("r1"), "r1", kInfo.name),
        r2_(params.list("r2"), "r2", kInfo.name) {
    if (params.has("per_head")) read(params);
    for (const double r2 : r2_.values())
      require(log_ || r2 <= 2.0, kInfo.name, "r2 must be at most 2 for kind=power but got {}", r2);
  }

  const EncodingInfo& info() const override { return kInfo; }
  Index heads() const override { return std::max(r1_.heads(), r2_.heads()); }

  Effects make_effects(const Extent& extent) const override {
    r1_.check(extent.heads);
    r2_.check(extent.heads);
    return {.logit = LogitBias{
                .at = [log_kind = log_, r1 = r1_, r2 = r2_](Index head, double s, double t) {
                  return 0.0 - to_double(r1[head] * penalty(log_kind, r2[head], std::abs(s - t)));
                }}};
  }

 private:
  void read(const Params& params) {
    const auto rows = per_head_rows(params, 2, {"r1", "r2"}, kInfo.name);
    for (const double value : {std::ranges::min(rows[0]), std::ranges::min(rows[1])})
      if (value <= 0.0)
        fail(ErrorCode::kMalformed, params.source("per_head"),
             "r1 and r2 must be positive but one is {}", value);
    r1_ = PerHead(rows[0], "per_head", kInfo.name);
    r2_ = PerHead(rows[1], "per_head", kInfo.name);
  }

  static DoubleDouble penalty(bool log_kind, double r2, double distance) {
    if (distance == 0.0) return 0.0;
    return log_kind ? log(DoubleDouble(r2) * distance + 1.0) : power(distance, r2);
  }

  bool log_;
  PerHead r1_, r2_;
};

}  // namespace

void register_kerple(EncodingRegistry& registry) { registry.add<Kerple>(kInfo); }

}  // namespace sextant
