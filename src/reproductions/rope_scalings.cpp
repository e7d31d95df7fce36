// SPDX-License-Identifier: Apache-2.0
// Frequencies and magnitudes of the rotary family under the rules that extend a context, as the
// public implementations of these rules give them.
#include <fmt/format.h>

#include <cmath>

#include "sextant/registry.h"
#include "training/reproduction.h"

namespace sextant {
namespace {

constexpr ReproductionInfo kInfo = {
    .name = "rope-scalings",
    .source =
        "RoFormer (arXiv:2104.09864), YaRN (arXiv:2309.00071), LongRoPE (arXiv:2402.13753), "
        "xPos (arXiv:2212.10554), Llama 3.1, and their public code",
    .method = "frequencies of the pairs of a head and the common factor on cos and sin"};

enum class Quantity {
  kFrequency,  // of pair `pair`
  kBase,       // that the frequency of pair 1 belongs to
  kDivisor,    // of the unscaled frequency
  kRampStart,  // pair where YaRN's ramp is 0
  kRampEnd,    // pair where it is 1
  kMagnitude,
  kShrinkage,  // xPos: zeta of the pair
};

struct Published {
  std::string_view place, label;
  Quantity quantity;
  std::string_view spec, plain;  // `plain`: what the scaled one is compared with
  Index dim;
  std::size_t pair;
  std::string_view number;
};

constexpr std::string_view kYarn2048 = "rope(scaling=yarn,factor=8,original=2048)";
constexpr std::string_view kYarnLlama2 = "rope(scaling=yarn,factor=32,original=4096)";
constexpr std::string_view kYarnQwen = "rope(base=1000000,scaling=yarn,factor=4,original=32768)";
constexpr std::string_view kYarnGptOss =
    "rope(base=150000,scaling=yarn,factor=32,original=4096,truncate=false)";
constexpr std::string_view kDynamic = "rope(scaling=dynamic,factor=10,original=2048,length=16384)";
constexpr std::string_view kLlama3 =
    "rope(base=500000,scaling=llama3,factor=8,low=1,high=4,original=8192)";
constexpr std::string_view kLongrope =
    "rope(scaling=longrope,original=4096,short_factor=1:1:1:1,long_factor=2:2:2:2,factor=32)";
constexpr double kXposScale = 512.0;

constexpr Published kPublished[] = {
    {"RoFormer", "frequency 1", Quantity::kFrequency, "rope", "", 128, 1, "0.865964323"},
    {"RoFormer", "frequency 2", Quantity::kFrequency, "rope", "", 128, 2, "0.749894209"},
    {"RoFormer", "frequency 16", Quantity::kFrequency, "rope", "", 128, 16, "1/10"},
    {"RoFormer", "frequency 63", Quantity::kFrequency, "rope", "", 128, 63, "1.15478198e-4"},
    {"NTK-aware code", "base for s=4", Quantity::kBase, "rope(scaling=ntk,factor=4)", "", 128, 1,
     "40889.942"},
    {"dynamic NTK code", "frequency 1", Quantity::kFrequency, kDynamic, "", 128, 1, "0.809310075"},
    {"dynamic NTK code", "frequency 63", Quantity::kFrequency, kDynamic, "", 128, 63,
     "1.6264535e-6"},
    {"YaRN code", "ramp starts, M=2048", Quantity::kRampStart, kYarn2048, "rope", 128, 0, "16"},
    {"YaRN code", "ramp ends, M=2048", Quantity::kRampEnd, kYarn2048, "rope", 128, 0, "41"},
    {"YaRN code", "ramp starts, Llama-2", Quantity::kRampStart, kYarnLlama2, "rope", 128, 0, "20"},
    {"YaRN code", "ramp ends, Llama-2", Quantity::kRampEnd, kYarnLlama2, "rope", 128, 0, "46"},
    {"YaRN code", "ramp starts, Qwen2.5", Quantity::kRampStart, kYarnQwen, "rope(base=1000000)",
     128, 0, "23"},
    {"YaRN code", "ramp ends, Qwen2.5", Quantity::kRampEnd, kYarnQwen, "rope(base=1000000)", 128, 0,
     "40"},
    {"YaRN code", "ramp starts, gpt-oss", Quantity::kRampStart, kYarnGptOss, "rope(base=150000)",
     64, 0, "8.0928"},
    {"YaRN code", "ramp ends, gpt-oss", Quantity::kRampEnd, kYarnGptOss, "rope(base=150000)", 64, 0,
     "17.3980"},
    {"YaRN, section 3.4", "magnitude, factor 4", Quantity::kMagnitude,
     "rope(scaling=yarn,original=4096,factor=4)", "", 128, 0, "1.1386294"},
    {"YaRN, section 3.4", "magnitude, factor 16", Quantity::kMagnitude,
     "rope(scaling=yarn,original=4096,factor=16)", "", 128, 0, "1.2772589"},
    {"YaRN, section 3.4", "magnitude, factor 64", Quantity::kMagnitude,
     "rope(scaling=yarn,original=4096,factor=64)", "", 128, 0, "1.4158883"},
    {"Llama 3.1 code", "divisor 28", Quantity::kDivisor, kLlama3, "rope(base=500000)", 128, 28,
     "1"},
    {"Llama 3.1 code", "divisor 29", Quantity::kDivisor, kLlama3, "rope(base=500000)", 128, 29,
     "1.207484"},
    {"Llama 3.1 code", "divisor 30", Quantity::kDivisor, kLlama3, "rope(base=500000)", 128, 30,
     "1.553415"},
    {"Llama 3.1 code", "divisor 31", Quantity::kDivisor, kLlama3, "rope(base=500000)", 128, 31,
     "2.026313"},
    {"Llama 3.1 code", "divisor 32", Quantity::kDivisor, kLlama3, "rope(base=500000)", 128, 32,
     "2.694530"},
    {"Llama 3.1 code", "divisor 33", Quantity::kDivisor, kLlama3, "rope(base=500000)", 128, 33,
     "3.684253"},
    {"Llama 3.1 code", "divisor 34", Quantity::kDivisor, kLlama3, "rope(base=500000)", 128, 34,
     "5.257327"},
    {"Llama 3.1 code", "divisor 35", Quantity::kDivisor, kLlama3, "rope(base=500000)", 128, 35,
     "8"},
    {"LongRoPE, section 3", "magnitude, factor 32", Quantity::kMagnitude, kLongrope, "", 8, 0,
     "1.1902380714"},
    {"xPos, section 3", "zeta 0", Quantity::kShrinkage, "xpos", "", 64, 0, "0.2857143"},
    {"xPos, section 3", "zeta 1", Quantity::kShrinkage, "xpos", "", 64, 1, "0.3080357"},
    {"xPos, section 3", "zeta 31", Quantity::kShrinkage, "xpos", "", 64, 31, "0.9776786"},
};

QueryKeyMap map_of(std::string_view spec, Index dim) {
  return encodings().make(spec)->effects({.positions = 1, .dim = dim}).query_key.value();
}

double frequency(const QueryKeyMap& map, std::size_t pair) {
  return map.groups.front().blocks()[pair].frequency.high;
}

// YaRN's ramp is (i - start) / (end - start) where it is strictly between 0 and 1; two such pairs
// give the line.
struct Ramp {
  double start, end;
};
Ramp ramp_of(const QueryKeyMap& scaled, const QueryKeyMap& plain) {
  const std::size_t last = plain.groups.front().blocks().size() - 1;
  const double whole = 1.0 - frequency(scaled, last) / frequency(plain, last);
  const auto share = [&](std::size_t i) {
    return (1.0 - frequency(scaled, i) / frequency(plain, i)) / whole;
  };
  constexpr double kInside = 1e-6;
  std::size_t first = 0, second = last;
  while (share(first) < kInside) ++first;
  while (share(second) > 1.0 - kInside) --second;
  const double slope = (share(second) - share(first)) / static_cast<double>(second - first);
  const double start = static_cast<double>(first) - share(first) / slope;
  return {start, start + 1.0 / slope};
}

double value_of(const Published& cell) {
  const QueryKeyMap map = map_of(cell.spec, cell.dim);
  switch (cell.quantity) {
    case Quantity::kFrequency:
      return frequency(map, cell.pair);
    case Quantity::kBase:
      return std::pow(frequency(map, 1), -0.5 * static_cast<double>(cell.dim));
    case Quantity::kDivisor:
      return frequency(map_of(cell.plain, cell.dim), cell.pair) / frequency(map, cell.pair);
    case Quantity::kRampStart:
      return ramp_of(map, map_of(cell.plain, cell.dim)).start;
    case Quantity::kRampEnd:
      return ramp_of(map, map_of(cell.plain, cell.dim)).end;
    case Quantity::kMagnitude:
      return map.magnitude.high;
    case Quantity::kShrinkage:
      return std::exp(kXposScale * map.groups.front().blocks()[cell.pair].decay);
  }
  return 0.0;
}

std::vector<PublishedCell> cells() {
  std::vector<PublishedCell> result;
  result.reserve(std::size(kPublished));
  for (const Published& each : kPublished)
    result.push_back(computed_cell(fmt::format("{} / {}", each.place, each.label),
                                   std::string(each.place), each.number,
                                   fmt::format("{}, d={}", each.spec, each.dim)));
  return result;
}

void compute(std::span<PublishedCell> cells, const ReproductionContext&) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i].readings.front().ours = value_of(kPublished[i]);
}

}  // namespace

void register_rope_scalings(ReproductionRegistry& registry) { registry.add(kInfo, cells, compute); }

}  // namespace sextant
