// SPDX-License-Identifier: Apache-2.0
// Tables as arrays of numpy.
#include "sextant/table.h"

#include "module.h"
#include "numpy_values.h"
#include "options.h"
#include "run/map_arrays.h"
#include "run/table_plan.h"

namespace sextant::python {
namespace {

namespace py = pybind11;

using Doubles = py::array_t<double, py::array::c_style>;

py::dtype numpy_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return py::dtype("float64");
    case Dtype::kF32:
      return py::dtype("float32");
    case Dtype::kF16:
      return py::dtype("float16");
    case Dtype::kBF16:
      break;
  }
  return py::dtype("uint16");  // bit patterns
}

py::array table(const py::dict& options, const std::optional<Doubles>& at) {
  TableWish wish;
  read_option(options, "spec", wish.spec);
  read_option(options, "positions", wish.positions);
  read_option(options, "offset", wish.offset);
  read_option(options, "dim", wish.dim);
  read_option(options, "heads", wish.heads);
  read_option(options, "length", wish.length);
  read_option(options, "what", wish.what);
  read_option(options, "dtype", wish.dtype);
  read_option(options, "threads", wish.threads);
  if (at) wish.at = positions_of(npy_array(*at), "positions");
  Table made;
  {
    const py::gil_scoped_release released;
    const TablePlan plan = plan_table(wish);
    made = make_table(*plan.encoding, plan.request);
  }
  return owned_array(std::move(made.bytes), numpy_type(made.dtype), made.shape);
}

}  // namespace

void bind_table(py::module_& module) { module.def("table", table); }

}  // namespace sextant::python
