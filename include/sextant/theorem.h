// SPDX-License-Identifier: Apache-2.0
// Theorems as computations: each claim of the literature with its conditions, what was observed,
// the bound and a verdict. Nothing counts as true because it was published.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

enum class ClaimVerdict {
  kHolds,                 // as published
  kHoldsUnderConditions,  // with conditions that the published version lacks or leaves open
  kViolated,              // a counterexample is among the findings
  kVacuous,               // true, but the bound exceeds what is trivially so
  kNotTestable,           // no computation decides it; the reason says why
};
// "holds", "holds under listed conditions", "violated: counterexample", "vacuous here",
// "not testable".
std::string_view name(ClaimVerdict verdict);

// What is known of a claim before anything is computed.
struct TheoremInfo {
  std::string_view id = {};         // "T7", as the literature of this project numbers them
  std::string_view name = {};       // "alibi_extrapolation": its file, and its note in docs/math/
  std::string_view title = {};      // "ALiBi extrapolation"
  std::string_view source = {};     // whose claim it is, with an identifier
  std::string_view claim = {};      // as published, in our words
  std::string_view statement = {};  // as it is checked: restated where the published one cannot be
  std::span<const std::string_view> conditions = {};  // all of them, one phrase each
};

// One number with what it is held against.
struct Finding {
  std::string part;      // what distinguishes it: "causal mask", "wavelet(taps=8)", "n=50"
  std::string quantity;  // "max |f(PX) - P f(X)|"
  double observed = 0.0;
  std::optional<std::array<double, 2>> interval = {};  // 95 %, where observed is an estimate
  std::optional<double> lower = {};                    // where the claim has two sides
  std::optional<double> bound = {};
  ClaimVerdict verdict = ClaimVerdict::kHolds;
  std::string remark = {};  // the hypothesis class; why it is not applicable; what to look at
};

// A picture of a claim.
struct Figure {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  struct Curve {
    std::string name;
    Vector x, y;
  };
  std::vector<Curve> curves = {};
};

struct TheoremCheck {
  ClaimVerdict verdict = ClaimVerdict::kNotTestable;
  // One sentence with the numbers that decided. Where it contradicts the source, one that the
  // source's author could accept as fair.
  std::string reason;
  std::size_t decisive = 0;  // the finding that decided
  std::vector<Finding> findings = {};
  std::vector<Figure> figures = {};
};

struct TheoremOptions {
  Index train = 50;  // positions of training, N
  Index to = 200;    // positions beyond it that are looked at
  Index dim = 64;
  Index heads = 4;
  double alpha = 0.1;                       // ALiBi's slope
  std::vector<std::string> encodings = {};  // specs; empty: the catalogue
  std::uint64_t seed = 1;
};
// Throws kUsage unless 2 <= train < to, dim and heads are positive and 0 < alpha <=
// kMostTheoremAlpha; kRefused beyond kMostTheoremPositions and kMostTheoremDim.
inline constexpr Index kMostTheoremPositions = 65536;
inline constexpr Index kMostTheoremDim = 1024;
inline constexpr double kMostTheoremAlpha = 1e6;  // the largest slope that alibi takes
void validate(const TheoremOptions& options);

class TheoremRegistry {
 public:
  using Check = TheoremCheck (*)(const TheoremOptions&);
  struct Entry {
    const TheoremInfo* info = nullptr;
    Check check = nullptr;  // deterministic; options are validated before it is called
  };

  void add(const TheoremInfo& info, Check check) { entries_.push_back({&info, check}); }

  // In the order of the catalogue, which is that of the ids.
  std::span<const Entry> entries() const { return entries_; }

  // By id or by name, in any case. Throws kUsage with the nearest one when there is none.
  const Entry& find(std::string_view id) const;

 private:
  std::vector<Entry> entries_;
};

// All theorems of the library.
const TheoremRegistry& theorems();

}  // namespace sextant
