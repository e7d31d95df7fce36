// SPDX-License-Identifier: Apache-2.0
// What bench/rotary_instructions.py runs under callgrind: rotary_instructions half|interleaved N
// turns 32 heads of 128 floats at 64 tokens in place, N times.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sextant/rotary.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: rotary_instructions half|interleaved TIMES\n", stderr);
    return 2;
  }
  constexpr sextant::Index kTokens = 64, kHeads = 32, kDim = 128;
  const sextant::Rotary rotary("rope(pairing=" + std::string(argv[1]) + ")", kDim);
  const sextant::Turns turns = rotary.range(131072, kTokens);
  std::vector<float> values(kTokens * kHeads * kDim, 1.0f);
  const sextant::HeadsView heads = sextant::token_major(values.data(), kTokens, kHeads, kDim);
  for (long left = std::strtol(argv[2], nullptr, 10); left > 0; --left)
    apply_to_queries(turns, heads, heads);
}
