// SPDX-License-Identifier: Apache-2.0
// Seeded Gaussian rows: the control that tells geometry from noise.
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "base/rng.h"
#include "encoding/absolute.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("seed", "1", 0, 1e15, "of the draw"),
    kPositionsParam,
    kTrainParam,
};

constexpr std::string_view kExamples[] = {"random(seed=7)"};

constexpr EncodingInfo kInfo = {
    .name = "random",
    .title = "Random Gaussian rows",
    .formula = R"(p_{t,i} \sim N(0, 1/2))",
    .reference = "control",
    .notes =
        "The expected squared norm is d/2, that of the sinusoidal table. Row t is a function "
        "of the seed and t alone. Whole positions only.",
    .sites = {.input = true},
    .params = kParams,
    .claims = {.orthogonal = Claim::kNo,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .examples = kExamples,
};

class Random final : public Encoding {
 public:
  explicit Random(const Params& params)
      : seed_(static_cast<std::uint64_t>(params.integer("seed"))), rule_(params) {}

  const EncodingInfo& info() const override { return kInfo; }
  Claims claims() const override { return rule_.adjusted(kInfo.claims); }

  Effects make_effects(const Extent& extent) const override {
    return {.input = input_table(
                rule_, extent, 1, [seed = seed_](const Position& t, std::span<double> row) {
                  require(t[0] == std::floor(t[0]) && std::abs(t[0]) < 0x1p53, kInfo.name,
                          "position must be a whole number below 2^53 but got {}", t[0]);
                  fill(seed, t[0], row);
                })};
  }

 private:
  static void fill(std::uint64_t seed, double t, std::span<double> row) {
    const Rng rng(seed, static_cast<std::uint64_t>(static_cast<std::int64_t>(t)));
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = rng.normal(i) / std::numbers::sqrt2;
  }

  std::uint64_t seed_;
  PositionRule rule_;
};

}  // namespace

void register_random(EncodingRegistry& registry) { registry.add<Random>(kInfo); }

}  // namespace sextant
