// SPDX-License-Identifier: Apache-2.0
// FIRE: a small learned network of the distance relative to the query's own position.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/rounding.h"
#include "encoding/learned_values.h"
#include "math/double_double.h"
#include "math/elementary.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    file_param("file",
               "trained network, [heads, 3 hidden + 1]: w1, b1, w2, b2; else an initial draw"),
    number_param("c", "0.1", 1e-9, 1e6, "psi(x) = ln(c x + 1)"),
    number_param("threshold", "512", 1, 1e12, "L: queries before it are normalised by psi(L)"),
    integer_param("hidden", "32", 1, 4096, "width of the network"),
    integer_param("seed", "1", 0, 1e15, "of the initial draw"),
};

constexpr std::string_view kExamples[] = {"fire(threshold=64,hidden=8)"};

constexpr EncodingInfo kInfo = {
    .name = "fire",
    .title = "Functional interpolation (FIRE)",
    .formula =
        R"(b(s,t) = f_\theta\Big(\frac{\psi(|s-t|)}{\psi(\max(L,s))}\Big),\quad \psi(x) = \ln(cx+1))",
    .reference =
        "Li et al., Functional Interpolation for Relative Positions, 2023, "
        "arXiv:2310.04418",
    .notes =
        "Past L the bias depends on the query's own position: not translation invariant. Keys "
        "ahead "
        "of the query leave the trained range of the network. The "
        "network has one hidden layer with ReLU per head; a trained one that shares it repeats it.",
    .sites = {.logit = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kNo,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes,
               .needs_causal_mask = Claim::kYes},
    .examples = kExamples,
    .needs_values = true,
};

class Fire final : public Encoding {
 public:
  explicit Fire(const Params& params)
      : values_(params, kInfo.name),
        c_(params.number("c")),
        threshold_(params.number("threshold")),
        hidden_(params.integer("hidden")) {}

  const EncodingInfo& info() const override { return kInfo; }
  Index heads() const override { return values_.trained_rows(); }

  Effects make_effects(const Extent& extent) const override {
    return {.logit = LogitBias{.at =
                                   [network = values_.matrix(extent.heads, 3 * hidden_ + 1), c = c_,
                                    threshold = threshold_](Index head, double s, double t) {
                                     const double reach = std::max(threshold, std::abs(s));
                                     const DoubleDouble x = psi(c, std::abs(s - t)) / psi(c, reach);
                                     return evaluate(network.row(head), to_double(x));
                                   },
                               .depends_on_lag_only = false}};
  }

 private:
  static DoubleDouble psi(double c, double x) { return log(DoubleDouble(c) * x + 1.0); }

  static double evaluate(std::span<const double> network, double x) {
    const std::size_t hidden = network.size() / 3;
    double sum = network[3 * hidden];
    for (std::size_t i = 0; i < hidden; ++i)
      sum += network[2 * hidden + i] * std::max(network[i] * x + network[hidden + i], 0.0);
    return sum;
  }

  LearnedValues values_;
  double c_, threshold_;
  Index hidden_;
};

}  // namespace

void register_fire(EncodingRegistry& registry) { registry.add<Fire>(kInfo); }

}  // namespace sextant
