// SPDX-License-Identifier: Apache-2.0
// No result depends on the seed: hashes decide where a word lies, never what it is.
#include "corpus/tokenizers/token_hash.h"

#include <random>

namespace sextant {

std::uint64_t hash_seed() {
  static const std::uint64_t seed = [] {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }();
  return seed;
}

}  // namespace sextant
