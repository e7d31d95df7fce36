// SPDX-License-Identifier: Apache-2.0
// Causal attention of a few tokens with RoPE on queries and keys and ALiBi on the logits.
// attention.c is the same in C and prints the same.
#include <sextant/bias.h>
#include <sextant/rotary.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr sextant::Index kTokens = 6, kHeads = 2, kDim = 8, kFirst = 100;

// [tokens, heads, dim]: any numbers do.
std::vector<float> numbers(int step) {
  std::vector<float> values(kTokens * kHeads * kDim);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(static_cast<int>(i) * step % 17) / 8.0f - 1.0f;
  return values;
}

const float* at(const std::vector<float>& values, sextant::Index token, sextant::Index head) {
  return values.data() + (token * kHeads + head) * kDim;
}

// Turns logits into weights.
void softmax(float* logits, sextant::Index count) {
  const float largest = *std::max_element(logits, logits + count);
  float sum = 0.0f;
  for (float* x = logits; x < logits + count; ++x) sum += * x = std::exp(*x - largest);
  for (float* x = logits; x < logits + count; ++x) *x /= sum;
}

}  // namespace

int main() {
  std::vector<float> q = numbers(5), k = numbers(7);
  const std::vector<float> v = numbers(11);

  const sextant::Rotary rotary("rope", kDim);
  const sextant::Turns turns = rotary.range(kFirst, kTokens);
  const auto q_view = sextant::token_major(q.data(), kTokens, kHeads, kDim);
  const auto k_view = sextant::token_major(k.data(), kTokens, kHeads, kDim);
  sextant::apply_to_queries(turns, q_view, q_view);
  sextant::apply_to_keys(turns, k_view, k_view);

  const sextant::BiasRows bias("alibi", kHeads, kFirst + kTokens);
  for (sextant::Index head = 0; head < kHeads; ++head) {
    double checksum = 0.0;  // token n and coordinate i weigh (n + 1) (i + 1)
    for (sextant::Index n = 0; n < kTokens; ++n) {
      std::vector<float> logits;
      for (sextant::Index m = 0; m <= n; ++m) {
        float product = 0.0f;
        for (sextant::Index i = 0; i < kDim; ++i) product += at(q, n, head)[i] * at(k, m, head)[i];
        logits.push_back(product / std::sqrt(static_cast<float>(kDim)));
      }
      bias.add_to({.data = logits.data(),
                   .rows = 1,
                   .cols = n + 1,
                   .stride = n + 1,
                   .head = head,
                   .first_query = kFirst + n,
                   .first_key = kFirst});
      softmax(logits.data(), n + 1);
      for (sextant::Index m = 0; m <= n; ++m)
        for (sextant::Index i = 0; i < kDim; ++i)
          checksum += static_cast<double>((n + 1) * (i + 1)) * logits[static_cast<std::size_t>(m)] *
                      at(v, m, head)[i];
    }
    std::printf("head %td: %.3f\n", head, checksum);
  }
}
