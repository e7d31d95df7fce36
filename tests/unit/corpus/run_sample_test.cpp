// SPDX-License-Identifier: Apache-2.0
#include "corpus/run_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace sextant {
namespace {

struct Found {
  std::uint64_t run, group;
};

std::vector<Found> many_runs() {
  std::mt19937_64 rng(1);
  std::vector<Found> found;
  for (int i = 0; i < 300000; ++i)
    found.push_back({rng() % 200000 * 0x9E3779B97F4A7C15, rng() % 3});
  return found;
}

std::vector<SampledRun> sample(std::span<const Found> found) {
  RunSample result;
  for (const Found& each : found) result.add(each.run, each.group);
  return result.take();
}

TEST(RunSample, KeepsTheSmallestAndKnowsWhoHasThem) {
  const std::vector<Found> found = many_runs();
  std::map<std::uint64_t, std::set<std::uint64_t>> groups;
  for (const Found& each : found) groups[each.run].insert(each.group);
  const std::vector<SampledRun> runs = sample(found);
  ASSERT_EQ(runs.size(), RunSample::kMost);
  auto expected = groups.begin();
  for (const SampledRun& run : runs) {
    ASSERT_EQ(run.run, expected->first);
    ASSERT_EQ(run.group, *expected->second.begin());
    ASSERT_EQ(run.repeated, expected->second.size() > 1);
    ++expected;
  }
}

TEST(RunSample, MergesPartsInAnyOrder) {
  const std::vector<Found> found = many_runs();
  const std::span all(found);
  const auto a = sample(all.first(100000)), b = sample(all.subspan(100000, 50)),
             c = sample(all.subspan(100050));
  RunSample forward, backward;
  for (const auto* part : {&a, &b, &c}) forward.merge(*part);
  for (const auto* part : {&c, &b, &a}) backward.merge(*part);
  const auto whole = sample(all);
  EXPECT_EQ(forward.take(), whole);
  EXPECT_EQ(backward.take(), whole);
}

TEST(RunSample, CountsRunsOfSeveralGroups) {
  RunSample some;
  some.add(5, 1);
  some.add(5, 1);
  some.add(6, 1);
  some.add(6, 2);
  EXPECT_EQ(overlap_of(some.take()), (Overlap{.runs = 2, .repeated = 1}));
}

}  // namespace
}  // namespace sextant
