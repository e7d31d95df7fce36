// SPDX-License-Identifier: Apache-2.0
#include "module.h"

#include "errors.h"
#include "run/provenance.h"

PYBIND11_MODULE(_core, module) {
  using namespace sextant::python;
  module.doc() = "The library behind the package sextant. Private: use the package.";
  module.attr("version") = sextant::version();
  translate_errors();
  bind_bias(module);
  bind_catalogue(module);
  bind_classify(module);
  bind_model(module);
  bind_rotary(module);
  bind_study(module);
  bind_table(module);
}
