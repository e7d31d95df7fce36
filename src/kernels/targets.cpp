// SPDX-License-Identifier: Apache-2.0
// Highway's masks as a list.
#include "kernels/targets.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>

#include "base/check.h"

namespace sextant {

std::vector<SimdTarget> simd_targets() {
  constexpr std::int64_t kCompiled = HWY_TARGETS;
  const std::int64_t supported = hwy::SupportedTargets();
  std::vector<SimdTarget> result;
  // A lower bit is a better target.
  for (std::int64_t rest = kCompiled | supported; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    result.push_back(
        {hwy::TargetName(target), (kCompiled & target) != 0, (supported & target) != 0});
  }
  return result;
}

ForcedTarget::ForcedTarget(std::string_view name) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (hwy::TargetName(target) != name) continue;
    hwy::SetSupportedTargetsForTest(target);
    return;
  }
  fail(ErrorCode::kUsage, "target", "{} must be compiled and supported here", name);
}

ForcedTarget::~ForcedTarget() { hwy::SetSupportedTargetsForTest(0); }

}  // namespace sextant
