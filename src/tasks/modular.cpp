// SPDX-License-Identifier: Apache-2.0
// The value of an expression without brackets, modulo a number; products before sums.
//
// Read from the left, an expression is a sum of finished terms and a last term. The law of this
// pair follows step by step, and with it that of the value. Of the best equivariant predictor no
// such formula is known to us; it is left out.
#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("modulus", "5", 2, 64, "values are 0 to modulus - 1"),
};
constexpr std::string_view kExamples[] = {"modular(modulus=2)"};
constexpr TaskInfo kInfo = {
    .name = "modular",
    .title = "Modular arithmetic",
    .reference = "Deletang et al., arXiv:2207.02098, modular arithmetic (simple)",
    .notes =
        "A regular language. Tokens below the modulus are numbers, then +, -, *. Of an even "
        "length, which the source does not have, the expression begins with a sign. Read at "
        "the last position.",
    .params = kParams,
    .examples = kExamples,
};

constexpr std::int32_t kMinus = 1, kTimes = 2;  // 0 is plus

class Modular final : public ClassTask {
 public:
  Modular(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : modulus_(static_cast<std::int32_t>(params.integer("modulus"))) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override { return class_shape(modulus_ + 3, modulus_, Readout::kLast); }

 protected:
  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    std::int32_t finished = 0, term = 0, sign = 0;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      if ((tokens.size() - t) % 2 == 0) {
        sign = draws.token(t == 0 ? 2 : 3);
        tokens[t] = modulus_ + sign;
        continue;
      }
      const std::int32_t x = draws.token(modulus_);
      tokens[t] = x;
      if (sign == kTimes) {
        term = term * x % modulus_;
      } else {
        finished = (finished + term) % modulus_;
        term = sign == kMinus ? (modulus_ - x) % modulus_ : x;
      }
    }
    classes.front() = (finished + term) % modulus_;
  }

  std::vector<Baseline> exact_baselines(Index length) const override {
    const Guess constant = guess_of_law(value_law((length + 1) / 2));
    return class_baselines(constant, constant, std::nullopt);
  }

 private:
  // law[f m + x]: the finished terms sum to f and the last term is x. A sum (2 of 3) starts a
  // uniform term, a product (1 of 3) multiplies it by a uniform number.
  std::vector<double> value_law(Index numbers) const {
    const auto m = static_cast<std::size_t>(modulus_);
    const auto choices = 3.0 * static_cast<double>(m);
    std::vector<double> law(m * m, 0.0), value(m, 1.0 / static_cast<double>(m));
    for (std::size_t x = 0; x < m; ++x) law[x] = value[x];
    for (Index k = 1; k < numbers; ++k) {
      std::vector<double> next(m * m, 0.0);
      for (std::size_t f = 0; f < m; ++f)
        for (std::size_t x = 0; x < m; ++x)
          for (std::size_t y = 0; y < m; ++y) {
            next[f * m + x] += 2.0 * law[(f + m - y) % m * m + y] / choices;
            next[f * m + x * y % m] += law[f * m + x] / choices;
          }
      law = std::move(next);
    }
    value.assign(m, 0.0);
    for (std::size_t f = 0; f < m; ++f)
      for (std::size_t x = 0; x < m; ++x) value[(f + x) % m] += law[f * m + x];
    return value;
  }

  std::int32_t modulus_;
};

}  // namespace

void register_modular(TaskRegistry& registry) { registry.add<Modular>(kInfo); }

}  // namespace sextant
