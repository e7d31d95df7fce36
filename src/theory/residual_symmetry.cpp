// SPDX-License-Identifier: Apache-2.0
#include "theory/residual_symmetry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sextant {
namespace {

constexpr double kRounding = 1e-12;

double real(Index t) { return static_cast<double>(t); }

// NaN once one of them is: std::max would drop it.
double larger(double worst, double value) {
  return std::isnan(worst) || value <= worst ? worst : value;
}

}  // namespace

double odd_part(const Effects& effects, const TransformerShape& shape, Index n) {
  double worst = 0.0;
  Effects relative = effects;
  relative.input.reset();
  if (effects.input) {
    const Matrix rows =
        input_rows(*effects.input, {.positions = n, .dim = shape.dim, .heads = shape.heads},
                   Positions::range(n));
    for (Index s = 0; s < n; ++s)
      for (Index i = 0; i < shape.dim; ++i)
        worst = larger(worst, std::abs(rows(s, i) - rows(n - 1 - s, i)));
  }
  const Extent extent{.positions = n, .dim = shape.dim / shape.heads, .heads = shape.heads};
  for (Index head = 0; head < shape.heads; ++head)
    for (Index s = 0; s < n; ++s)
      for (Index t = 0; t <= s; ++t)
        worst = larger(
            worst, distance(pair_form(relative, extent, head, real(s), real(t)),
                            pair_form(relative, extent, head, real(n - 1 - s), real(n - 1 - t))));
  return worst;
}

bool acts_nowhere(const Effects& effects) {
  return !effects.input && !effects.query_key && !effects.logit && !effects.key_offset;
}

ResidualSymmetry ResidualSymmetry::of(const Effects& effects, const TransformerShape& shape,
                                      Index n) {
  return {.permutations = acts_nowhere(effects) && !shape.causal,
          .constants = !effects.input,
          .reversal = !shape.causal && odd_part(effects, shape, n) <= kRounding,
          .prefixes = shape.causal};
}

std::string ResidualSymmetry::orbit(const std::string& x, std::size_t t) const {
  std::string seen = prefixes ? x.substr(0, t + 1) : x;
  const bool constant = seen.find_first_not_of(seen[0]) == std::string::npos;
  if (constants && constant) return seen.substr(0, 1);
  if (permutations) {
    std::ranges::sort(seen);
    return fmt::format("{}{}", seen, x[t]);
  }
  std::string forth = fmt::format("{} {}", seen, t);
  if (!reversal) return forth;
  std::ranges::reverse(seen);
  return std::min(forth, fmt::format("{} {}", seen, x.size() - 1 - t));
}

}  // namespace sextant
