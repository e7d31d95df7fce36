// SPDX-License-Identifier: Apache-2.0
// No positional signal at all: the baseline that every comparison needs.
#include "sextant/registry.h"

namespace sextant {
namespace {

constexpr EncodingInfo kInfo = {
    .name = "none",
    .title = "No positional encoding",
    .formula = R"(q_s^\top k_t)",
    .reference =
        "Kazemnejad et al., The Impact of Positional Encoding on Length Generalization, "
        "2023, arXiv:2305.19466 (NoPE)",
    .notes =
        "A causal mask still tells positions apart; without one the model is permutation "
        "equivariant.",
    .claims = {.translation_invariant = Claim::kYes,
               .any_length = Claim::kYes,
               .separates = Claim::kNo,
               .bounded = Claim::kYes},
};

class None final : public Encoding {
 public:
  explicit None(const Params&) {}
  const EncodingInfo& info() const override { return kInfo; }
  Effects make_effects(const Extent&) const override { return {}; }
};

}  // namespace

void register_none(EncodingRegistry& registry) { registry.add<None>(kInfo); }

}  // namespace sextant
