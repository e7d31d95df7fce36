// SPDX-License-Identifier: Apache-2.0
// Families in words and in formulas.
#include <fmt/format.h>

#include <cmath>

#include "groups/families.h"
#include "sextant/classify.h"

namespace sextant {
namespace {

constexpr std::size_t kMostShown = 8;  // families in one closed form

std::string times(Index count) { return count == 1 ? std::string() : fmt::format(" (x{})", count); }

// The eigenvalue a + iw as its block names it: only what the kind leaves open.
std::string numbers(const BlockFamily& family) {
  std::string decay = fmt::format("{:.6g}", family.decay);
  if (!family.complex()) return decay;
  return fmt::format("{} + {:.6g}i", decay, family.frequency);
}

std::string in_words(const BlockFamily& family) {
  switch (family.kind) {
    case BlockKind::kNone:
      return std::string(name(family.kind));
    case BlockKind::kRotation:
      return fmt::format("{} {:.6g}", name(family.kind), family.frequency);
    case BlockKind::kDecay:
    case BlockKind::kGrowth:
    case BlockKind::kSpiral:
      return fmt::format("{} {}", name(family.kind), numbers(family));
    case BlockKind::kRealJordan:
    case BlockKind::kComplexJordan:
      break;
  }
  return fmt::format("{} of order {} at {}", name(family.kind), family.size, numbers(family));
}

// exp of a nilpotent chain.
std::string chain(Index size) {
  if (size == 2) return "[1, lag; 0, 1]";
  if (size == 3) return "[1, lag, lag^2/2; 0, 1, lag; 0, 0, 1]";
  return fmt::format("sum_(r<{}) (lag N)^r/r!", size);
}

std::string formula(const BlockFamily& family) {
  std::string result;
  const auto append = [&](std::string_view factor) {
    if (!result.empty()) result += ' ';
    result += factor;
  };
  if (family.decay != 0.0) append(fmt::format("e^({:.6g} lag)", family.decay));
  if (family.complex()) append(fmt::format("R({:.6g} lag)", family.frequency));
  if (family.size > 1) append(chain(family.size));
  if (result.empty()) result = "1";
  return result + times(family.count);
}

}  // namespace

std::string_view name(BlockKind kind) {
  switch (kind) {
    case BlockKind::kNone:
      return "none";
    case BlockKind::kDecay:
      return "decay";
    case BlockKind::kGrowth:
      return "growth";
    case BlockKind::kRotation:
      return "rotation";
    case BlockKind::kSpiral:
      return "spiral";
    case BlockKind::kRealJordan:
      return "real Jordan";
    case BlockKind::kComplexJordan:
      break;
  }
  return "complex Jordan";
}

std::string_view name(Stability stability) {
  switch (stability) {
    case Stability::kDecays:
      return "decays";
    case Stability::kBounded:
      return "bounded";
    case Stability::kGrowsPolynomially:
      return "grows polynomially";
    case Stability::kGrowsExponentially:
      break;
  }
  return "grows exponentially";
}

BlockKind block_kind(double decay, double frequency, Index size) {
  if (size > 1) return frequency == 0.0 ? BlockKind::kRealJordan : BlockKind::kComplexJordan;
  if (frequency != 0.0) return decay == 0.0 ? BlockKind::kRotation : BlockKind::kSpiral;
  if (decay == 0.0) return BlockKind::kNone;
  return decay < 0.0 ? BlockKind::kDecay : BlockKind::kGrowth;
}

std::string describe(std::span<const BlockFamily> families) {
  std::string result;
  for (const BlockFamily& family : families) {
    if (!result.empty()) result += ", ";
    result += in_words(family) + times(family.count);
  }
  return result;
}

std::string closed_form(std::span<const BlockFamily> families) {
  std::string result;
  const bool all = families.size() <= kMostShown;
  for (const BlockFamily& family : families.first(all ? families.size() : kMostShown - 2)) {
    if (!result.empty()) result += " (+) ";
    result += formula(family);
  }
  if (!all) result += fmt::format(" (+) ... {} more", families.size() - (kMostShown - 2));
  return result;
}

}  // namespace sextant
