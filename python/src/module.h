// SPDX-License-Identifier: Apache-2.0
// What each file of this folder adds to the module `_core`. Signatures, defaults and documentation
// are in the package beside it: `_core` is private. Documents are JSON text.
#pragma once

#include <pybind11/pybind11.h>

namespace sextant::python {

void bind_bias(pybind11::module_& module);
void bind_catalogue(pybind11::module_& module);
void bind_classify(pybind11::module_& module);
void bind_model(pybind11::module_& module);
void bind_rotary(pybind11::module_& module);
void bind_study(pybind11::module_& module);
void bind_table(pybind11::module_& module);

}  // namespace sextant::python
