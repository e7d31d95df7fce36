// SPDX-License-Identifier: Apache-2.0
// Which instruction sets the kernels can use here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sextant {

struct SimdTarget {
  std::string name;        // as Highway calls it: "AVX2"
  bool compiled = false;   // the kernels have code for it
  bool supported = false;  // this processor can run it
};

// Every target that is compiled or supported, the best first. The kernels take the first that is
// both.
std::vector<SimdTarget> simd_targets();

// While it lives all kernels take this target, which must be compiled and supported (kUsage). For
// tests and benchmarks; one at a time.
class ForcedTarget {
 public:
  explicit ForcedTarget(std::string_view name);
  ~ForcedTarget();
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
};

}  // namespace sextant
