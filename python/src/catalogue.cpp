// SPDX-License-Identifier: Apache-2.0
#include "module.h"
#include "run/encoding_document.h"

namespace sextant::python {

void bind_catalogue(pybind11::module_& module) {
  module.def(
      "encodings", [] { return to_text(catalogue_json()); },
      pybind11::call_guard<pybind11::gil_scoped_release>());
}

}  // namespace sextant::python
