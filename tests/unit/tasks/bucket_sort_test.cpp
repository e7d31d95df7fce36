// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/enumeration.h"

namespace sextant {
namespace {

TEST(BucketSort, BaselinesAreThoseOfAllSequences) {
  const auto task = tasks().make("bucket_sort(vocabulary=3)");
  for (const std::size_t n : {1, 2, 3, 6}) {
    Answers constant, by_position, equivariant;
    for_each_word(n, 3, [&](const Word& word) {
      Word sorted = word;
      std::ranges::sort(sorted);
      for (std::size_t t = 0; t < n; ++t) {
        constant.add({}, sorted[t]);
        by_position.add({static_cast<std::int32_t>(t)}, sorted[t]);
        equivariant.add(own_and_multiset(word, t), sorted[t]);
      }
    });
    const auto length = static_cast<Index>(n);
    expect_baseline(*task, length, "best constant", constant.best());
    expect_baseline(*task, length, "position only", by_position.best());
    expect_baseline(*task, length, "best equivariant", equivariant.best());
  }
}

TEST(BucketSort, TargetsAreTheTokensInOrder) {
  const Batch batch = tasks().make("bucket_sort")->sample(1, 0, 1, 9);
  EXPECT_TRUE(std::ranges::is_sorted(batch.classes));
  EXPECT_TRUE(std::ranges::is_permutation(batch.classes, batch.tokens));
}

}  // namespace
}  // namespace sextant
