// SPDX-License-Identifier: Apache-2.0
// ALiBi's slopes, also for head counts that are no power of two, where others were wrong for years.
#include <fmt/format.h>

#include "sextant/registry.h"
#include "training/reproduction.h"

namespace sextant {
namespace {

constexpr ReproductionInfo kInfo = {
    .name = "alibi-slopes",
    .source = "Press, Smith and Lewis, ICLR 2022, arXiv:2108.12409, section 3 and their code",
    .method = "the slope of head h is the bias of lag 0 minus that of lag 1"};

struct Heads {
  Index count;
  std::vector<std::string_view> slopes;
};

std::vector<Heads> published() {
  return {{3, {"0.0625", "0.00390625", "0.25"}},
          {6, {"0.25", "0.0625", "0.015625", "0.00390625", "0.5", "0.125"}},
          {8, {"1/2", "1/4", "1/8", "1/16", "1/32", "1/64", "1/128", "1/256"}},
          {12,
           {"1/2", "1/4", "1/8", "1/16", "1/32", "1/64", "1/128", "1/256", "0.70710678",
            "0.35355339", "0.1767767", "0.088388348"}}};
}

std::vector<PublishedCell> cells() {
  std::vector<PublishedCell> result;
  for (const Heads& heads : published()) {
    Index h = 0;
    for (const std::string_view slope : heads.slopes)
      result.push_back(computed_cell(
          fmt::format("{} heads / slope of head {}", heads.count, ++h),
          heads.count == 8 ? "section 3" : "code: head counts that are no power of two", slope,
          fmt::format("alibi(heads={})", heads.count)));
  }
  return result;
}

void compute(std::span<PublishedCell> cells, const ReproductionContext&) {
  std::size_t at = 0;
  for (const Heads& heads : published()) {
    const Effects effects =
        encodings().make("alibi")->effects({.positions = 2, .dim = 64, .heads = heads.count});
    for (Index h = 0; h < heads.count; ++h)
      cells[at++].readings.front().ours =
          effects.logit->at(h, 1.0, 1.0) - effects.logit->at(h, 1.0, 0.0);
  }
}

}  // namespace

void register_alibi_slopes(ReproductionRegistry& registry) { registry.add(kInfo, cells, compute); }

}  // namespace sextant
