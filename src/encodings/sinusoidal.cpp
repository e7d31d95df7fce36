// SPDX-License-Identifier: Apache-2.0
// The sine and cosine table of the original transformer, in its two layouts and two spacings, and
// over several axes as vision models use it.
#include "base/check.h"
#include "base/rounding.h"
#include "encoding/absolute.h"
#include "encoding/rotary.h"
#include "math/elementary.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    kBaseParam,
    word_param("layout", "interleaved", "interleaved|split",
               "interleaved: sin, cos, sin, ... as in the paper; split: all sines first"),
    word_param("spacing", "paper", "paper|closed",
               "paper: base^(-2k/d); closed: base^(-k/(d/2-1)), as tensor2tensor and MLX do"),
    integer_param("axes", "1", 1, kMaxAxes, "coordinates of a position; each gets d/axes columns"),
    kPositionsParam,
    kTrainParam,
};

constexpr std::string_view kExamples[] = {
    "sinusoidal(layout=split)",
    "sinusoidal(spacing=closed)",
    "sinusoidal(axes=2)",
    "sinusoidal(positions=clamp,train=512)",
    "sinusoidal(positions=rescale,train=512)",
};

constexpr EncodingInfo kInfo = {
    .name = "sinusoidal",
    .title = "Sinusoidal table",
    .formula = R"(p_{t,2k} = \sin(t\,b^{-2k/d}),\quad p_{t,2k+1} = \cos(t\,b^{-2k/d}))",
    .reference = "Vaswani et al., Attention Is All You Need, 2017, arXiv:1706.03762",
    .notes =
        "The norm of a row is sqrt(d/2), not sqrt(d). An odd dim ends with a sine that has no "
        "cosine.",
    .sites = {.input = true},
    .params = kParams,
    .claims = {.orthogonal = Claim::kNo,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .examples = kExamples,
};

class Sinusoidal final : public Encoding {
 public:
  explicit Sinusoidal(const Params& params)
      : base_(params.number("base")),
        split_(params.word("layout") == "split"),
        closed_(params.word("spacing") == "closed"),
        axes_(params.integer("axes")),
        rule_(params) {}

  const EncodingInfo& info() const override { return kInfo; }

  Effects make_effects(const Extent& extent) const override {
    require(extent.dim % axes_ == 0, kInfo.name, "dim must be a multiple of {} axes but got {}",
            axes_, extent.dim);
    const Index width = extent.dim / axes_;
    require(!closed_ || width >= 4, kInfo.name,
            "spacing=closed needs at least 4 columns an axis but got {}", width);
    return {.input = input_table(
                rule_, extent, axes_,
                [ladder = ladder(width), split = split_, axes = axes_](const Position& t,
                                                                       std::span<double> row) {
                  const std::size_t columns = row.size() / static_cast<std::size_t>(axes);
                  for (Index axis = 0; axis < axes; ++axis)
                    fill(t[axis], ladder, split,
                         row.subspan(static_cast<std::size_t>(axis) * columns, columns));
                })};
  }

  Claims claims() const override { return rule_.adjusted(kInfo.claims); }

 private:
  std::vector<DoubleDouble> ladder(Index width) const {
    const Index pairs = (width + 1) / 2;
    std::vector<DoubleDouble> result;
    for (Index k = 0; k < pairs; ++k)
      result.push_back(closed_ ? rational_power(base_, -k, pairs - 1)
                               : rational_power(base_, -2 * k, width));
    return result;
  }

  static void fill(double t, const std::vector<DoubleDouble>& ladder, bool split,
                   std::span<double> row) {
    for (std::size_t k = 0; k < ladder.size(); ++k) {
      const CosSin value = cos_sin(t, ladder[k]);
      const std::size_t sine = split ? k : 2 * k;
      const std::size_t cosine = split ? ladder.size() + k : 2 * k + 1;
      row[sine] = to_double(value.sin);
      if (cosine < row.size()) row[cosine] = to_double(value.cos);
    }
  }

  double base_;
  bool split_, closed_;
  Index axes_;
  PositionRule rule_;
};

}  // namespace

void register_sinusoidal(EncodingRegistry& registry) { registry.add<Sinusoidal>(kInfo); }

}  // namespace sextant
