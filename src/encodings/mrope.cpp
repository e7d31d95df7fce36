// SPDX-License-Identifier: Apache-2.0
// Multi-section rotary: a token has a time, a line and a column, and each turns some of the pairs.
#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "encoding/rotary.h"
#include "math/elementary.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    list_param("sections", "", 1, 1e6,
               "pairs per axis; if not given 1/4, 3/8, 3/8 of them, interleaved 1/3 each"),
    word_param("kind", "contiguous", "contiguous|interleaved|vision",
               "contiguous: sections one after another; interleaved: pair mod axes picks the axis; "
               "vision: the ladder restarts in each section"),
    kBaseParam,
    kPairingParam,
};

constexpr std::string_view kExamples[] = {
    "mrope(kind=interleaved)",
    "mrope(kind=vision)",
};

constexpr EncodingInfo kInfo = {
    .name = "mrope",
    .title = "Multi-section rotary embedding",
    .formula = R"(A(p) = \bigoplus_j R(p_{a(j)}\,w_j))",
    .reference = "Wang et al., Qwen2-VL, 2024, arXiv:2409.12191",
    .notes =
        "A scalar position counts on every axis: text is turned as by rope. Interleaved: pair "
        "j belongs to axis j mod axes while j < axes * sections[axis], to the first axis "
        "otherwise (Qwen3-VL).",
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

class Mrope final : public Encoding {
 public:
  explicit Mrope(const Params& params)
      : kind_(params.word("kind")), base_(params.number("base")), pairing_(params.word("pairing")) {
    for (const double section : params.list("sections")) {
      require(section == static_cast<double>(static_cast<Index>(section)), kInfo.name,
              "sections must be whole numbers but got {}", section);
      sections_.push_back(static_cast<Index>(section));
    }
    require(static_cast<Index>(sections_.size()) <= kMaxAxes, kInfo.name,
            "sections must be at most {} but got {}", kMaxAxes, sections_.size());
  }

  const EncodingInfo& info() const override { return kInfo; }

  Effects make_effects(const Extent& extent) const override {
    require_even(extent.dim, kInfo.name);
    const std::vector<Index> sections = sections_of(extent.dim / 2);
    std::vector<DoubleDouble> ladder = geometric_ladder(base_, extent.dim);
    std::vector<Index> axis;
    for (std::size_t a = 0; a < sections.size(); ++a)
      axis.insert(axis.end(), static_cast<std::size_t>(sections[a]), static_cast<Index>(a));
    if (kind_ == "interleaved") interleave(sections, axis);
    if (kind_ == "vision") {
      ladder.clear();
      for (const Index pairs : sections)
        for (Index i = 0; i < pairs; ++i) ladder.push_back(rational_power(base_, -i, pairs));
    }
    return {.query_key =
                QueryKeyMap{.groups = axis_groups(ladder, axis, static_cast<Index>(sections.size()),
                                                  pairing_, extent.dim)}};
  }

 private:
  std::vector<Index> sections_of(Index pairs) const {
    if (sections_.empty() && kind_ == "interleaved")
      return {(pairs + 2) / 3, (pairs + 1) / 3, pairs / 3};
    if (sections_.empty()) {
      const Index time = std::max<Index>(pairs / 4, 1);
      const Index lines = (pairs - time) / 2;
      return {time, lines, pairs - time - lines};
    }
    const Index sum = std::accumulate(sections_.begin(), sections_.end(), Index{0});
    require(sum == pairs, kInfo.name, "sections must sum to dim/2 = {} but sum to {}", pairs, sum);
    return sections_;
  }

  static void interleave(const std::vector<Index>& sections, std::vector<Index>& axis) {
    const auto axes = static_cast<Index>(sections.size());
    for (Index j = 0; j < static_cast<Index>(axis.size()); ++j) {
      const Index wanted = j % axes;
      const bool inside = j < axes * sections[static_cast<std::size_t>(wanted)];
      axis[static_cast<std::size_t>(j)] = inside ? wanted : 0;
    }
    for (Index a = 0; a < axes; ++a) {
      const Index share = std::count(axis.begin(), axis.end(), a);
      require(share == sections[static_cast<std::size_t>(a)], kInfo.name,
              "sections cannot be interleaved: axis {} must get {} pairs but gets {}", a,
              sections[static_cast<std::size_t>(a)], share);
    }
  }

  std::vector<Index> sections_;
  std::string kind_;
  double base_;
  std::string pairing_;
};

}  // namespace

void register_mrope(EncodingRegistry& registry) { registry.add<Mrope>(kInfo); }

}  // namespace sextant
