// SPDX-License-Identifier: Apache-2.0
#include "math/lapack.h"

namespace sextant {

BlasCall::BlasCall() {
  static std::mutex library;
  static const bool takes_several = [] {
    openblas_set_num_threads(1);
    return openblas_get_parallel() != OPENBLAS_SEQUENTIAL;
  }();
  if (!takes_several) lock_ = std::unique_lock(library);
}

}  // namespace sextant
