// SPDX-License-Identifier: Apache-2.0
// Rotation of queries and keys, in place or not, without copies.
#include "sextant/rotary.h"

#include <pybind11/stl.h>

#include "base/check.h"
#include "dlpack.h"
#include "heads_array.h"
#include "kernels/rotary_views.h"
#include "module.h"
#include "run/limits.h"

namespace sextant::python {
namespace {

namespace py = pybind11;

using Whole = py::array_t<std::int64_t, py::array::c_style>;

std::span<const std::int64_t> span_of(const Whole& positions) {
  return {positions.data(), static_cast<std::size_t>(positions.size())};
}

Turns turns_at(const Rotary& rotary, const Whole& positions, std::int64_t origin) {
  require(positions.ndim() == 1 || positions.ndim() == 2, "positions",
          "must have the shape [tokens] or [tokens, axes] but have {} axes", positions.ndim());
  const bool points = positions.ndim() == 2;
  require(!points || positions.shape(1) == rotary.axes(), "positions",
          "must have {} coordinates, as the rule has axes, but have {}", rotary.axes(),
          points ? positions.shape(1) : 1);
  const std::span<const std::int64_t> values = span_of(positions);
  const py::gil_scoped_release released;
  return points ? rotary.at_points(values, origin) : rotary.at(values, origin);
}

enum class Side { kQueries, kKeys };

// The kernels speak of "in" and "out"; a caller has names for them.
[[noreturn]] void fail_by_name(const Error& error, const std::string& in, const std::string& out) {
  const std::string text = error.what();
  for (const auto& [prefix, name] : {std::pair{std::string("in: "), in}, {"out: ", out}})
    if (text.starts_with(prefix)) fail(error.code(), name, "{}", text.substr(prefix.size()));
  fail(error.code(), text.substr(0, text.find(": ")), "{}", text.substr(text.find(": ") + 2));
}

struct Job {
  HeadsArray in;
  py::object out;
  HeadsArray out_memory;
};

Job job_of(const py::object& in, const py::object& out, const std::string& name,
           const std::string& out_name, const std::string& dtype, Layout layout) {
  HeadsArray source(in, name, dtype, layout, false);
  py::object target = out.is_none() ? source.empty_like() : out;
  HeadsArray memory(target, out_name, dtype, layout, true);
  return {std::move(source), std::move(target), std::move(memory)};
}

// Throws what apply() would, before anything is written.
void check(const Turns& turns, const Job& job, const ApplyOptions& options) {
  try {
    check_views(turns, job.in.view(), job.out_memory.view(), options);
  } catch (const Error& error) {
    fail_by_name(error, job.in.name(), job.out_memory.name());
  }
}

// REQUIRES: check() has passed.
void apply(const Turns& turns, const Job& job, Side side, const ApplyOptions& options) {
  const py::gil_scoped_release released;
  if (side == Side::kQueries)
    apply_to_queries(turns, job.in.view(), job.out_memory.view(), options);
  if (side == Side::kKeys) apply_to_keys(turns, job.in.view(), job.out_memory.view(), options);
}

ApplyOptions apply_options(bool backward, Index threads) {
  require_range("threads", threads, 1, kMostThreads);
  return {.backward = backward, .threads = threads};
}

py::object apply_one(const Turns& turns, const py::object& x, const py::object& out, bool keys,
                     const std::string& dtype, const std::string& layout, bool backward,
                     Index threads) {
  const ApplyOptions options = apply_options(backward, threads);
  const Job job = job_of(x, out, keys ? "k" : "q", "out", dtype, layout_of(layout));
  check(turns, job, options);
  apply(turns, job, keys ? Side::kKeys : Side::kQueries, options);
  return job.out;
}

// All is checked before the first write: a call that fails leaves every array as it was. Nothing
// that is written may be something of the other side.
py::tuple apply_both(const Turns& turns, const py::object& q, const py::object& k,
                     const py::object& q_out, const py::object& k_out, const std::string& dtype,
                     const std::string& layout, bool backward, Index threads) {
  const ApplyOptions options = apply_options(backward, threads);
  const Job queries = job_of(q, q_out, "q", "out[0]", dtype, layout_of(layout));
  const Job keys = job_of(k, k_out, "k", "out[1]", dtype, layout_of(layout));
  check(turns, queries, options);
  check(turns, keys, options);
  require(views_apart(queries.out_memory.view(), keys.in.view()), "out[0]", "must not overlap k");
  require(views_apart(keys.out_memory.view(), queries.in.view()), "out[1]", "must not overlap q");
  require(views_apart(queries.out_memory.view(), keys.out_memory.view()), "out[0]",
          "must not overlap out[1]");
  apply(turns, queries, Side::kQueries, options);
  apply(turns, keys, Side::kKeys, options);
  return py::make_tuple(queries.out, keys.out);
}

using Pair = std::pair<std::int64_t, std::int64_t>;

// The protocol of DLPack. The memory of the CPU has no streams.
py::capsule export_buffer(const HeadsBuffer& buffer, const py::object& /*stream*/,
                          const std::optional<Pair>& max_version,
                          const std::optional<Pair>& dl_device, const std::optional<bool>& copy) {
  require(!dl_device || *dl_device == Pair(kDLCPU, 0), "dl_device",
          "must be ({}, 0), the memory of the CPU, where the values are", kDLCPU);
  const bool versioned = max_version && max_version->first >= kDLPackVersion.major;
  return buffer.dlpack(versioned, copy.value_or(false));
}

}  // namespace

void bind_rotary(py::module_& module) {
  py::class_<HeadsBuffer>(module, "HeadsBuffer")
      .def_property_readonly(
          "shape", [](const HeadsBuffer& self) { return py::tuple(py::cast(self.shape())); })
      .def_property_readonly("dtype", [](const HeadsBuffer& self) { return name(self.dtype()); })
      .def("__dlpack__", export_buffer, py::kw_only(), py::arg("stream") = py::none(),
           py::arg("max_version") = py::none(), py::arg("dl_device") = py::none(),
           py::arg("copy") = py::none())
      .def("__dlpack_device__", [](const HeadsBuffer&) { return py::make_tuple(kDLCPU, 0); });
  py::class_<Turns>(module, "Turns")
      .def_property_readonly("tokens", &Turns::tokens)
      .def_property_readonly("dim", &Turns::dim)
      .def("apply", apply_both)
      .def("apply_one", apply_one);
  py::class_<Rotary>(module, "Rotary")
      .def(py::init([](const std::string& spec, Index dim) {
        require_range("dim", dim, 1, kMostDim);
        const py::gil_scoped_release released;
        return Rotary(spec, dim);
      }))
      .def_static("between", &Rotary::between, py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("dim", &Rotary::dim)
      .def_property_readonly("axes", &Rotary::axes)
      .def("at", turns_at)
      .def("range", &Rotary::range, py::call_guard<py::gil_scoped_release>());
  module.def("dim_of", [](const py::object& array, const std::string& name,
                          const std::string& dtype, const std::string& layout) {
    return HeadsArray(array, name, dtype, layout_of(layout), false).view().dim;
  });
}

}  // namespace sextant::python
