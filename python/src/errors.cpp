// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <pybind11/pybind11.h>

#include "sextant/error.h"

namespace sextant::python {
namespace {

namespace py = pybind11;

void raise(const Error& error) {
  try {
    // It may name a file whose name is not UTF-8.
    const py::object words = py::bytes(error.what()).attr("decode")("utf-8", "backslashreplace");
    const py::object made =
        py::module_::import("sextant._errors").attr("made")(exit_status(error.code()), words);
    PyErr_SetObject(py::type::of(made).ptr(), made.ptr());
  } catch (py::error_already_set& failure) {
    failure.restore();
  }
}

}  // namespace

void translate_errors() {
  py::register_local_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace sextant::python
