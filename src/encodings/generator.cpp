// SPDX-License-Identifier: Apache-2.0
// Any real generator X: Jordan blocks from the spec, or a matrix from a file, or several of them,
// one per coordinate of the position.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "math/commutator.h"
#include "math/eigen_map.h"
#include "math/growth.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    file_param("file", "X, [dim, dim], or a stack [axes, dim, dim], one per coordinate"),
    word_param("commuting", "required", "required|any",
               "of a stack: any takes generators that do not commute; approximately relative"),
    list_param("decay", "", -1e6, 1e6, "real part of each Jordan block, one for all or a:b:c"),
    list_param("frequency", "", -1e6, 1e6, "its imaginary part; 0 makes a real block"),
    list_param("size", "", 1, 4096, "links of its chain: as many dimensions, or twice as many"),
    list_param("coupling", "", -1e6, 1e6, "of neighbouring links; 1 where nothing is given"),
};

constexpr std::string_view kExamples[] = {
    "generator(frequency=1:0.8:0.6:0.5:0.4:0.3:0.2:0.1:0.08:0.05:0.02:0.01)",
    "generator(decay=-0.05,frequency=1:0.5:0.25,size=4,coupling=0.05)",
    "generator(decay=0:-0.1:-0.2,frequency=0:0.5:1,size=2:5:6,coupling=0.1)",
};

constexpr EncodingInfo kInfo = {
    .name = "generator",
    .title = "One-parameter group of a given generator",
    .formula = R"(A(p) = \exp\Big(\sum_a p_a X_a\Big))",
    .reference =
        "Schenck et al., Learning the RoPEs (STRING), 2025, arXiv:2502.02562; Ostmeier et al., "
        "LieRE, 2024, arXiv:2406.10322",
    .notes =
        "The blocks of a spec fix the dimension. Generators that do not commute are refused: "
        "their logits are no function of the lag. With commuting=any the query gets A(s)^T and the "
        "key A(-t) all the same, which is approximately relative, as LieRE is: the less, the "
        "larger "
        "|XY-YX| against |X||Y|.",
    .sites = {.query_key = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .group = Claim::kYes,
               .norm_preserving = Claim::kNo,
               .orthogonal = Claim::kNo,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kNo,
               .needs_causal_mask = Claim::kYes},
    .examples = kExamples,
    .required_file = "file",
    .instead_of_file = "decay|frequency|size|coupling",
};

std::vector<JordanBlock> blocks_of(const Params& params) {
  const std::vector<double> decay = params.list("decay"), frequency = params.list("frequency"),
                            size = params.list("size"), coupling = params.list("coupling");
  const std::size_t count =
      std::max({decay.size(), frequency.size(), size.size(), coupling.size()});
  const auto value = [&](const std::vector<double>& list, std::string_view name, std::size_t i,
                         double missing) {
    require(list.size() <= 1 || list.size() == count, kInfo.name,
            "{} must have one value or {}, as the longest list, but has {}", name, count,
            list.size());
    return list.empty() ? missing : list[list.size() == 1 ? 0 : i];
  };
  std::vector<JordanBlock> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    const double links = value(size, "size", i, 1.0);
    require(links == std::floor(links), kInfo.name, "size must be a whole number but got {}",
            links);
    blocks.push_back({.decay = value(decay, "decay", i, 0.0),
                      .frequency = value(frequency, "frequency", i, 0.0),
                      .size = static_cast<Index>(links),
                      .coupling = value(coupling, "coupling", i, 1.0)});
  }
  return blocks;
}

std::vector<Matrix> matrices_of(const Params& params) {
  const Tensor stack = params.tensor("file");
  const std::string where = params.source("file");
  const bool single = stack.shape.size() == 2;
  if (!single && stack.shape.size() != 3)
    fail(ErrorCode::kMalformed, where, "array must be [d, d] or [axes, d, d] but has {} axes",
         stack.shape.size());
  const Index axes = single ? 1 : stack.shape[0];
  const Index d = stack.shape.back();
  if (axes < 1 || axes > kMaxAxes || d < 1 || stack.shape[stack.shape.size() - 2] != d)
    fail(ErrorCode::kMalformed, where, "array must hold 1 to {} square matrices", kMaxAxes);
  std::vector<Matrix> matrices;
  for (Index a = 0; a < axes; ++a) {
    Matrix x(d, d);
    std::copy_n(stack.values.begin() + a * d * d, d * d, x.values().begin());
    matrices.push_back(std::move(x));
  }
  return matrices;
}

// What decides the claims, of one generator.
struct Traits {
  bool still = true;
  bool skew = true;
  bool bounded = true;       // as t goes to infinity
  bool bounded_back = true;  // to -infinity

  void add(const Traits& other) {
    still = still && other.still;
    skew = skew && other.skew;
    bounded = bounded && other.bounded;
    bounded_back = bounded_back && other.bounded_back;
  }
};

Traits traits(const JordanBlock& block) {
  const bool chained = block.size > 1 && block.coupling != 0.0;
  return {.still = block.decay == 0.0 && block.frequency.high == 0.0 && !chained,
          .skew = block.decay == 0.0 && !chained,
          .bounded = block.decay < 0.0 || (block.decay == 0.0 && !chained),
          .bounded_back = block.decay > 0.0 || (block.decay == 0.0 && !chained)};
}

Traits traits(const Matrix& x) {
  const auto m = as_eigen(x);
  return {.still = m.isZero(0.0),
          .skew = (m + m.transpose()).norm() <= 1e-14 * m.norm(),
          .bounded = !grows(x, 1.0),
          .bounded_back = !grows(x, -1.0)};
}

class Generator final : public Encoding {
 public:
  explicit Generator(const Params& params) {
    const bool from_file = params.has("file");
    for (const std::string_view key : {"decay", "frequency", "size", "coupling"})
      require(!from_file || !params.has(key), kInfo.name,
              "{} must not go with a file: the blocks are X already", key);
    require(from_file || !params.given("commuting"), kInfo.name,
            "commuting must go with a file of several generators");
    if (!from_file) {
      blocks_ = blocks_of(params);
      for (const JordanBlock& block : blocks_) dim_ += block.dim();
      return;
    }
    matrices_ = matrices_of(params);
    dim_ = matrices_.front().rows();
    const double commutator = commutator_norm(matrices_);
    commute_ = commutator <= kCommutatorTolerance;
    if (!commute_ && params.word("commuting") == "required")
      fail(ErrorCode::kMalformed, params.source("file"),
           "generators must commute but |XY-YX| is {:.3g} of |X||Y|; commuting=any takes them as "
           "approximately relative",
           commutator);
  }

  const EncodingInfo& info() const override { return kInfo; }
  Index dim() const override { return dim_; }

  Claims claims() const override {
    Traits all;
    for (const JordanBlock& block : blocks_) all.add(traits(block));
    for (const Matrix& x : matrices_) all.add(traits(x));
    // Weighted sums of generators that stay bounded may grow; those of skew ones are skew.
    if (!commute_) all.bounded = all.bounded_back = all.skew;
    Claims claims = kInfo.claims;
    if (!commute_) claims.translation_invariant = claims.group = Claim::kNo;
    if (all.still) claims.separates = Claim::kNo;
    if (all.skew) claims.norm_preserving = claims.orthogonal = Claim::kYes;
    if (all.bounded) claims.bounded = Claim::kYes;
    if (all.bounded_back) claims.needs_causal_mask = Claim::kNo;
    return claims;
  }

  Effects make_effects(const Extent& extent) const override {
    require(extent.dim == dim_, kInfo.name, "dim must be {}, that of X, but got {}", dim_,
            extent.dim);
    QueryKeyMap map;
    map.commute = commute_;
    if (!blocks_.empty()) map.groups.emplace_back(blocks_);
    for (const Matrix& x : matrices_) map.groups.push_back(OneParameterGroup::from_generator(x));
    return {.query_key = std::move(map)};
  }

 private:
  std::vector<JordanBlock> blocks_;  // of one generator, or
  std::vector<Matrix> matrices_;     // one per axis
  Index dim_ = 0;
  bool commute_ = true;
};

}  // namespace

void register_generator(EncodingRegistry& registry) { registry.add<Generator>(kInfo); }

}  // namespace sextant
