// SPDX-License-Identifier: Apache-2.0
// Daubechies wavelets of the position, coarse to fine.
#include "math/wavelet.h"

#include <cmath>

#include "encoding/absolute.h"
#include "math/eigen_map.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    word_param("taps", "4", "4|8", "4: D4; 8: db4; both are called Daubechies-4"),
    integer_param("train", "512", 2, 1e9, "training length N"),
    word_param("norm", "none", "none|unit|sqrt", "rows as they are, of norm 1, or of sqrt(d/2)"),
    kPositionsParam,
};

constexpr std::string_view kExamples[] = {
    "wavelet(train=50)",
    "wavelet(taps=8,train=50)",
    "wavelet(train=50,norm=unit)",
    "wavelet(train=50,norm=sqrt)",
};

constexpr EncodingInfo kInfo = {
    .name = "wavelet",
    .title = "Daubechies wavelets",
    .formula = R"(p_{t,(j,k)} = 2^{-j/2}\,\psi(2^{-j}t - k))",
    .reference =
        "Li, Theoretical Analysis of Positional Encodings in Transformer Models, 2025, "
        "arXiv:2506.06398; Daubechies, Ten Lectures on Wavelets, 1992",
    .notes =
        "Scales j from floor(log2 N) down to 1, every shift whose support meets [0, N], until "
        "d columns are full; the rest is zero. The support is compact: far positions all get "
        "the zero row.",
    .sites = {.input = true},
    .params = kParams,
    .claims = {.orthogonal = Claim::kNo,
               .any_length = Claim::kYes,
               .separates = Claim::kNo,
               .bounded = Claim::kYes},
    .examples = kExamples,
};

struct Atom {
  int scale;
  double shift;
};

std::vector<Atom> atoms(Index train, Index taps, Index dim) {
  std::vector<Atom> result;
  const int coarsest = std::ilogb(static_cast<double>(train));
  for (int j = coarsest; j >= 1; --j) {
    const Index last = train >> j;
    for (Index k = 2 - taps; k <= last && static_cast<Index>(result.size()) < dim; ++k)
      result.push_back({j, static_cast<double>(k)});
  }
  return result;
}

class Wavelet final : public Encoding {
 public:
  explicit Wavelet(const Params& params)
      : wavelet_(params.integer("taps")),
        train_(params.integer("train")),
        norm_(params.word("norm")),
        rule_(params) {}

  const EncodingInfo& info() const override { return kInfo; }

  Claims claims() const override { return rule_.adjusted(kInfo.claims); }

  Effects make_effects(const Extent& extent) const override {
    const double target = norm_ == "unit" ? 1.0 : std::sqrt(static_cast<double>(extent.dim) / 2.0);
    return {.input = input_table(
                rule_, extent, 1,
                [wavelet = wavelet_, atoms = atoms(train_, wavelet_.taps(), extent.dim),
                 normalised = norm_ != "none", target](const Position& t, std::span<double> row) {
                  std::fill(row.begin(), row.end(), 0.0);
                  for (std::size_t i = 0; i < atoms.size(); ++i) {
                    const double x = std::ldexp(t[0], -atoms[i].scale) - atoms[i].shift;
                    row[i] = wavelet.psi(x) / std::sqrt(std::ldexp(1.0, atoms[i].scale));
                  }
                  const double norm = as_eigen(row).norm();
                  if (normalised && norm > 0.0) as_eigen(row) *= target / norm;
                })};
  }

 private:
  DaubechiesWavelet wavelet_;
  Index train_;
  std::string norm_;
  PositionRule rule_;
};

}  // namespace

void register_wavelet(EncodingRegistry& registry) { registry.add<Wavelet>(kInfo); }

}  // namespace sextant
