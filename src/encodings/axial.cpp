// SPDX-License-Identifier: Apache-2.0
// Several coordinates, an equal share of the head for each: rows and columns of an image.
#include "base/check.h"
#include "encoding/rotary.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("axes", "2", 1, kMaxAxes, "coordinates of a position"),
    kBaseParam,
    kPairingParam,
};

constexpr std::string_view kExamples[] = {"axial(axes=1)", "axial(axes=4,base=100)"};

constexpr EncodingInfo kInfo = {
    .name = "axial",
    .title = "Axial rotary embedding",
    .formula = R"(A(p) = \bigoplus_a \bigoplus_j R(p_a\,b^{-2jm/d}),\quad a < m)",
    .reference =
        "Heo et al., Rotary Position Embedding for Vision Transformer, 2024, "
        "arXiv:2403.13298",
    .notes =
        "Each axis turns its own d/axes coordinates with a whole ladder. The same as mrope "
        "with kind=vision and equal sections. Several dense generators: generator.",
    .sites = {.query_key = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .group = Claim::kYes,
               .norm_preserving = Claim::kYes,
               .orthogonal = Claim::kYes,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .examples = kExamples,
};

class Axial final : public Encoding {
 public:
  explicit Axial(const Params& params)
      : axes_(params.integer("axes")),
        base_(params.number("base")),
        pairing_(params.word("pairing")) {}

  const EncodingInfo& info() const override { return kInfo; }

  Effects make_effects(const Extent& extent) const override {
    require(extent.dim > 0 && extent.dim % (2 * axes_) == 0, kInfo.name,
            "dim must be a multiple of {} for {} axes but got {}", 2 * axes_, axes_, extent.dim);
    const std::vector<DoubleDouble> own = geometric_ladder(base_, extent.dim / axes_);
    std::vector<DoubleDouble> ladder;
    std::vector<Index> axis;
    for (Index a = 0; a < axes_; ++a) {
      ladder.insert(ladder.end(), own.begin(), own.end());
      axis.insert(axis.end(), own.size(), a);
    }
    return {.query_key =
                QueryKeyMap{.groups = axis_groups(ladder, axis, axes_, pairing_, extent.dim)}};
  }

 private:
  Index axes_;
  double base_;
  std::string pairing_;
};

}  // namespace

void register_axial(EncodingRegistry& registry) { registry.add<Axial>(kInfo); }

}  // namespace sextant
