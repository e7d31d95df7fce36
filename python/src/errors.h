// SPDX-License-Identifier: Apache-2.0
// Errors of the library as exceptions of Python (sextant/_errors.py).
#pragma once

namespace sextant::python {

// From now on an Error becomes the class of its code. Once per module.
void translate_errors();

}  // namespace sextant::python
