// SPDX-License-Identifier: Apache-2.0
// Bugs of context extension that were reported in public against other programs: S8 to S17, S21,
// S22, S25, S28 and S29 of docs/bugs.md, as tests of this one. What a rule does to cos and sin
// as a whole is in magnitude_test.cpp, LongRoPE in longrope_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/expect_error.h"
#include "support/ladder.h"
#include "support/table_values.h"

namespace sextant {
namespace {

double number(std::size_t i) { return static_cast<double>(i); }

// llama.cpp#17945, #18006: a model without the key must get what the default says.
TEST(ScalingBugs, S8AnAbsentKeyIsItsDefault) {
  const std::string bare = "rope(scaling=yarn,factor=32,original=4096";
  const auto same = [&](const std::string& keys) {
    EXPECT_EQ(inv_freq(bare + keys, 64), inv_freq(bare + ")", 64)) << keys;
    EXPECT_EQ(magnitude(bare + keys, 64), magnitude(bare + ")", 64)) << keys;
  };
  same(",beta_fast=32,beta_slow=1,truncate=true)");
  same(",mscale=1,mscale_all_dim=0)");  // m(f, 1) / m(f, 0), and m(f, 0) = 1
  EXPECT_NEAR(magnitude(bare + ")", 64), 1.3465735902799727, 1e-15);  // 1 + ln(32)/10
}

// llama.cpp#18006: keys in a cache that are moved on must end where fresh ones are, with the
// factor on cos and sin counted once.
TEST(ScalingBugs, S8AShiftedKeyIsAFreshOne) {
  const QueryKeyMap map = *encodings()
                               .make("rope(scaling=yarn,factor=32,original=4096)")
                               ->effects({.dim = 16})
                               .query_key;
  Vector shifted(16), fresh(16);
  for (std::size_t i = 0; i < 16; ++i) shifted[i] = fresh[i] = std::sin(1.0 + number(i));
  map.apply_to_key(100.0, shifted);
  map.groups[0].apply_to_key(-37.0, shifted);
  map.apply_to_key(63.0, fresh);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(shifted[i], fresh[i], 1e-14) << i;
}

// llama.cpp#2268: a model without YaRN must not get a trace of it.
TEST(ScalingBugs, S10NoScalingIsTheIdentity) {
  const Vector plain = inv_freq("rope(scaling=none)", 64);
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_NEAR(plain[i], std::pow(10000.0, -number(i) / 32.0), 1e-16) << i;
  for (const char* spec :
       {"rope", "rope(scaling=linear,factor=4)", "rope(scaling=ntk,factor=4)",
        "rope(scaling=dynamic,factor=4,original=64,length=256)",
        "rope(scaling=llama3,factor=4,original=64)", "rope(scaling=proportional,factor=4)"})
    EXPECT_EQ(magnitude(spec, 64), 1.0) << spec;
  expect_error(ErrorCode::kUsage, "beta_fast", [] { encodings().make("rope(beta_fast=16)"); });
}

// transformers#38224, #40320: max/original replaced the factor that the config states. Here the
// longest pair, past the ramp, is divided by the stated factor at every length of the sequence.
TEST(ScalingBugs, S11TheStatedFactorHoldsAtEveryLength) {
  const double slowest = inv_freq("rope", 128).back();
  for (const char* spec :
       {"rope(scaling=yarn,factor=4,original=4096)", "rope(original=4096,factor=4,scaling=yarn)",
        "rope(scaling=llama3,factor=4,original=4096)"}) {
    for (const Index length : {1, 4096, 131072}) {
      const auto effects = encodings().make(spec)->effects({.positions = length, .dim = 128});
      EXPECT_NEAR(rotary_ladder(effects)->inv_freq.back().high, slowest / 4.0, 1e-19) << spec;
    }
  }
}

// How far pair i is on the way from w to w/factor.
double ramp(const std::string& keys, double factor, Index dim, std::size_t i) {
  const std::string spec = "rope(scaling=yarn,factor=" + std::to_string(factor) + keys + ")";
  return (1.0 - inv_freq(spec, dim)[i] / inv_freq("rope", dim)[i]) / (1.0 - 1.0 / factor);
}

// transformers@0044e3b. With dim(r) = d ln(M / (2 pi r)) / (2 ln 10000), d = 64 and M = 131072:
// dim(32) = 22.51 and dim(1) = 34.55, so that the ramp goes from 22 to 35, beyond the last pair 31.
TEST(ScalingBugs, S12TheRampEndsWherePublishedAndNotAtTheLastPair) {
  for (std::size_t i = 22; i < 32; ++i)
    EXPECT_NEAR(ramp(",original=131072", 4.0, 64, i), (number(i) - 22.0) / 13.0, 1e-13) << i;
}

// The same commit: lengths count in units of the trained length. d = 128, M = 4096: dim(32) = 20.9,
// dim(1) = 45.0 up to rounding outwards, whatever the factor.
TEST(ScalingBugs, S12TheRampIsThatOfTheTrainedLength) {
  for (const double factor : {2.0, 32.0})
    for (std::size_t i = 18; i < 48; ++i)
      EXPECT_NEAR(ramp(",original=4096", factor, 128, i),
                  std::min(std::max((number(i) - 20.0) / 26.0, 0.0), 1.0), 1e-13)
          << factor << ", " << i;
}

// The same commit: `beta_fast or 32` makes 32 of 0. No turns at all are refused here.
TEST(ScalingBugs, S12ZeroTurnsAreNotTheDefault) {
  for (const char* key : {"beta_fast=0", "beta_slow=0"})
    expect_error(ErrorCode::kUsage, "beta_", [&] {
      encodings().make(std::string("rope(scaling=yarn,factor=4,original=4096,") + key + ")");
    });
  // dim(1/2) - dim(1) = 64 ln 2 / ln 10000 = 4.8: small numbers of turns count.
  EXPECT_LT(ramp(",original=4096,beta_slow=0.5", 4.0, 128, 46), 1.0);
}

// vllm#5093, #41236: the slowest pair is stretched by f L/M - (f - 1), with f = 4 and M = 2048.
TEST(ScalingBugs, S13DynamicNtkFollowsTheLength) {
  const double slowest = inv_freq("rope", 128).back();
  for (const auto& [length, stretch] :
       {std::pair{2048, 1.0}, std::pair{3072, 3.0}, std::pair{4096, 5.0}, std::pair{8192, 13.0},
        std::pair{16384, 29.0}}) {
    const std::string spec =
        "rope(scaling=dynamic,factor=4,original=2048,length=" + std::to_string(length) + ")";
    EXPECT_NEAR(slowest / inv_freq(spec, 128).back(), stretch, 1e-13 * stretch) << length;
    EXPECT_EQ(inv_freq(spec, 128).front(), 1.0) << "the fastest pair stays";
  }
}

// transformers#25104, #27033: after a long sequence a short one kept the long one's base.
TEST(ScalingBugs, S14ALongSequenceLeavesNoTrace) {
  const auto at = [](Index length) {
    return inv_freq(
        "rope(scaling=dynamic,factor=2,original=64,length=" + std::to_string(length) + ")", 16);
  };
  const Vector fresh_short = at(128), fresh_long = at(4096);
  EXPECT_EQ(at(128), fresh_short);
  EXPECT_EQ(at(4096), fresh_long);
  EXPECT_NEAR(fresh_short.back(), std::pow(10000.0, -14.0 / 16.0) / 3.0, 1e-18);  // 2*128/64 - 1
  // One object, asked at several lengths.
  const auto alibi = encodings().make("alibi(slope=0.5,length=64,schedule=inverse)");
  for (const auto& [length, bias] :
       {std::pair{64, -0.5}, std::pair{256, -0.125}, std::pair{64, -0.5}, std::pair{128, -0.25}})
    EXPECT_EQ(alibi->effects({.positions = length}).logit->at(0, 1.0, 0.0), bias) << length;
}

// mlx-lm#1545, #1553, #1554: positions were halved unless the config said otherwise, and the factor
// was never read. Pair 0 turns by t / factor.
TEST(ScalingBugs, S15PositionsAreScaledByTheFactorAndByNothingElse) {
  EXPECT_EQ(inv_freq("rope", 8)[0], 1.0);
  EXPECT_EQ(inv_freq("rope(scaling=linear)", 8)[0], 1.0);
  EXPECT_EQ(inv_freq("rope(scaling=linear,factor=8)", 8)[0], 0.125);
  EXPECT_EQ(inv_freq("rope(scaling=ntk)", 8), inv_freq("rope", 8));
}

// vllm#52665: f L/M - (f - 1) is 0 at L = 3/4 M with f = 4, and negative below.
TEST(ScalingBugs, S16ShorterThanTrainedIsUnscaled) {
  for (const char* length : {"1", "1024", "1536", "2048"})
    EXPECT_EQ(
        inv_freq(std::string("rope(scaling=dynamic,factor=4,original=2048,length=") + length + ")",
                 64),
        inv_freq("rope", 64))
        << length;
}

// The exponent d/(d-2) of the stretched base has no value at d = 2.
TEST(ScalingBugs, S17OnePairCannotBeStretched) {
  for (const char* spec :
       {"rope(scaling=ntk,factor=4)", "rope(scaling=dynamic,factor=4,original=64,length=128)",
        "rope(scaling=ntk,factor=4,partial=0.25)"}) {
    const Index dim = std::string(spec).find("partial") == std::string::npos ? 2 : 8;
    expect_error(ErrorCode::kUsage, "dim must be above 2",
                 [&] { encodings().make(spec)->effects({.dim = dim}); });
  }
}

// mlx-vlm#1710: ten models read the scaling and never used it. Each key of each rule, changed on
// its own, changes the table; and a key that a rule does not read is refused, not dropped.
TEST(ScalingBugs, S21EveryKeyOfAScalingIsUsed) {
  struct Rule {
    Index dim;
    std::string start;
    std::vector<std::string> changes;
  };
  const Rule rules[] = {
      {64, "linear,factor=3", {"factor=5"}},
      {64, "ntk,factor=3", {"factor=5"}},
      {64, "dynamic,factor=3,original=32,length=64", {"factor=5", "original=16", "length=99"}},
      {64,
       "yarn,factor=3,original=512",
       {"factor=5", "original=1024", "beta_fast=9", "beta_slow=3", "truncate=false",
        "attention_factor=2", "mscale=2,mscale_all_dim=1", "mscale=1,mscale_all_dim=3"}},
      {64, "llama3,factor=3,original=512", {"factor=5", "original=99", "low=2", "high=9"}},
      {8,
       "longrope,original=64,length=65,short_factor=2:2:2:2,long_factor=3:3:3:3",
       {"length=64", "long_factor=3:3:3:4", "factor=4", "attention_factor=2"}},
      {64, "proportional,factor=3", {"factor=5", "partial=0.5"}},
  };
  const auto table = [](const std::string& keys, Index dim) {
    // The last word of a key wins: a change takes the place of what `start` says.
    std::map<std::string, std::string> by_key;
    std::string word = "scaling=";
    for (const char c : keys + ",") {
      if (c != ',') {
        word += c;
        continue;
      }
      by_key[word.substr(0, word.find('='))] = word;
      word.clear();
    }
    std::string spec;
    for (const auto& [key, text] : by_key) spec += (spec.empty() ? "rope(" : ",") + text;
    Vector result = inv_freq(spec + ")", dim);
    result.push_back(magnitude(spec + ")", dim));
    return result;
  };
  for (const Rule& rule : rules)
    for (const std::string& change : rule.changes)
      EXPECT_NE(table(rule.start + "," + change, rule.dim), table(rule.start, rule.dim))
          << rule.start << ", " << change;
  expect_error(ErrorCode::kUsage, "original", [] { encodings().make("rope(original=64)"); });
  expect_error(ErrorCode::kUsage, "short_factor",
               [] { encodings().make("rope(scaling=linear,factor=2,short_factor=1:2)"); });
}

// Megatron-LM#6305: the factor was parsed, checked and dropped for 8. Pairs that turn less than
// once in the trained length are divided by it, and the canonical text keeps it.
TEST(ScalingBugs, S22TheFactorOfLlama3ArrivesInTheTable) {
  const double slowest = inv_freq("rope(base=500000)", 64).back();
  for (const double factor : {2.0, 8.0, 32.0}) {
    const std::string spec =
        "rope(base=500000,scaling=llama3,factor=" + std::to_string(static_cast<int>(factor)) +
        ",original=8192)";
    EXPECT_NEAR(slowest / inv_freq(spec, 64).back(), factor, 1e-13) << spec;
    EXPECT_EQ(inv_freq(encodings().make(spec)->spec(), 64), inv_freq(spec, 64));
  }
}

// transformers#33401: on its way through a file the kind became another one.
TEST(ScalingBugs, S25TheCanonicalTextKeepsTheKind) {
  for (const std::string spec :
       {"mrope(sections=2:3:3)", "mrope(sections=4:2:2,kind=interleaved)",
        "rope(scaling=yarn,factor=4,original=64)", "rope(partial=0.5,pairing=interleaved)"}) {
    const auto first = encodings().make(spec), second = encodings().make(first->spec());
    EXPECT_EQ(first->spec(), second->spec());
    const auto a = rotary_ladder(first->effects({.dim = 16}));
    const auto b = rotary_ladder(second->effects({.dim = 16}));
    EXPECT_EQ(a->axis, b->axis) << spec;
    EXPECT_EQ(a->inv_freq, b->inv_freq) << spec;
    EXPECT_EQ(a->magnitude, b->magnitude) << spec;
    EXPECT_EQ(second->info().name, first->info().name);
  }
}

// SpecForge#651: with a scaling the base fell back to 10000. Pair 1 of 128 is 500000^(-1/64), kept
// by yarn and llama3, divided by the others' factors (longrope's list has 2 throughout; ntk and
// dynamic stretch it by 4^(1/63) and 7^(1/63): f L/M - (f - 1) = 7 for f = 4, L = 5/2 M).
TEST(ScalingBugs, S28EveryScalingStartsFromTheBaseGiven) {
  std::string twos = "2";
  for (int i = 1; i < 64; ++i) twos += ":2";
  const double pair = std::pow(500000.0, -1.0 / 64.0);
  const std::pair<std::string, double> rules[] = {
      {"none", pair},
      {"linear,factor=4", pair / 4.0},
      {"ntk,factor=4", pair * std::pow(4.0, -1.0 / 63.0)},
      {"dynamic,factor=4,original=2048,length=5120", pair * std::pow(7.0, -1.0 / 63.0)},
      {"yarn,factor=4,original=8192", pair},
      {"llama3,factor=4,original=8192", pair},
      {"longrope,original=64,short_factor=" + twos + ",long_factor=" + twos, pair / 2.0},
      {"proportional,factor=4", pair / 4.0},
  };
  for (const auto& [rule, expected] : rules)
    EXPECT_NEAR(inv_freq("rope(base=500000,scaling=" + rule + ")", 128)[1], expected, 1e-15)
        << rule;
}

// tiny-vllm#1, with Llama-3.2-1B: d = 64, base 500000, factor 32, M = 8192. Pair i turns
// r = M w / (2 pi) times: 4.19 at 14, 2.7785 at 15, 1.8438 at 16, 1.2236 at 17, 0.81 at 18. Between
// 4 turns and 1 the divisor is 1 / (k + (1-k)/32) with k = (r - 1)/3.
TEST(ScalingBugs, S29Llama3HasABandBetweenKeptAndDivided) {
  const Vector plain = inv_freq("rope(base=500000)", 64);
  const Vector scaled =
      inv_freq("rope(base=500000,scaling=llama3,factor=32,low=1,high=4,original=8192)", 64);
  const Vector between = {1.6513292457638984, 3.2922621029408840, 9.6667289787532905};
  for (std::size_t i = 0; i < 32; ++i) {
    const double divisor = i < 15 ? 1.0 : i < 18 ? between[i - 15] : 32.0;
    EXPECT_NEAR(plain[i] / scaled[i], divisor, 1e-13 * divisor) << i;
  }
}

}  // namespace
}  // namespace sextant
