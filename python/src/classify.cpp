// SPDX-License-Identifier: Apache-2.0
// Which one-parameter group something is.
#include "sextant/classify.h"

#include "interruptible.h"
#include "module.h"
#include "numpy_values.h"
#include "options.h"
#include "run/classify_document.h"
#include "run/limits.h"
#include "run/map_arrays.h"

namespace sextant::python {
namespace {

namespace py = pybind11;

using Doubles = py::array_t<double, py::array::c_style>;

ClassifyOptions classify_options(double noise) {
  require(noise > 0.0 && noise < 1.0, "noise", "must be above 0 and below 1 but got {}", noise);
  ClassifyOptions options;
  options.noise = noise;
  return options;
}

std::string generators(const Doubles& x, const std::string& nearest, double noise) {
  const ClassifyOptions options = classify_options(noise);
  const std::vector<Matrix> found = generators_of(npy_array(x), "X");
  require(found.size() == 1 || nearest.empty(), "nearest", "takes one generator but got {}",
          found.size());
  return interruptible([&](const std::atomic<bool>&) {
    Json document = generators_document(study_generators(found, options));
    if (!nearest.empty()) document["nearest"] = nearest_json(study_nearest(found.front(), nearest));
    return to_text(document);
  });
}

std::string encoding(const std::string& spec, std::optional<Index> dim, std::optional<Index> heads,
                     double noise) {
  const ClassifyOptions options = classify_options(noise);
  require_range("dim", dim, 1, kMostDim);
  require_range("heads", heads, 1, kMostHeads);
  const std::string reason = content_dependent(spec);
  if (!reason.empty()) return to_text(content_document(spec, reason));
  return interruptible([&](const std::atomic<bool>&) {
    return to_text(encoding_document(study_encoding(spec, dim, heads, options).row));
  });
}

std::string maps(const Doubles& f, const Doubles& g, const std::optional<Doubles>& at,
                 double noise) {
  const ClassifyOptions options = classify_options(noise);
  std::optional<Positions> positions;
  if (at) positions = positions_of(npy_array(*at), "at");
  const MapSamples samples = maps_of(npy_array(f), "maps[0]", npy_array(g), "maps[1]", positions);
  return interruptible([&](const std::atomic<bool>&) {
    return to_text(maps_document(test_maps(samples, options)));
  });
}

std::string kernel(const Doubles& values, bool two_sided, const std::string& nearest,
                   double noise) {
  const ClassifyOptions options = classify_options(noise);
  require(nearest.empty() || !two_sided, "nearest", "goes with a one-sided kernel");
  const KernelSamples samples = kernel_of(npy_array(values), two_sided, "kernel");
  return interruptible([&](const std::atomic<bool>&) {
    Json document = kernel_document(certify_kernel(samples.behind, samples.ahead, options));
    if (!nearest.empty())
      document["nearest"] =
          nearest_kernel_json(nearest, nearest_kernel(samples.behind, FamilyShape::parse(nearest)));
    return to_text(document);
  });
}

}  // namespace

void bind_classify(py::module_& module) {
  module.def("classify_generators", generators);
  module.def("classify_encoding", encoding);
  module.def("classify_maps", maps);
  module.def("classify_kernel", kernel);
}

}  // namespace sextant::python
