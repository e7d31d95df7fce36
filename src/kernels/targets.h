// SPDX-License-Identifier: Apache-2.0
// Which instruction sets the kernels can use here.
#pragma once

#include <string>
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

}  // namespace sextant
