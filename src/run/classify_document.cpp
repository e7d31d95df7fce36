// SPDX-License-Identifier: Apache-2.0
#include "run/classify_document.h"

#include <algorithm>

#include "base/check.h"
#include "math/commutator.h"
#include "run/group_document.h"
#include "run/provenance.h"
#include "run/word_choice.h"

namespace sextant {
namespace {

constexpr BlockKind kFamilyKinds[] = {BlockKind::kNone, BlockKind::kDecay, BlockKind::kGrowth,
                                      BlockKind::kRotation, BlockKind::kSpiral};

}  // namespace

GeneratorStudy study_generators(std::span<const Matrix> generators,
                                const ClassifyOptions& options) {
  GeneratorStudy study;
  study.commutator = commutator_norm(generators);
  study.commute = study.commutator <= std::max(kCommutatorTolerance, kNoiseFactor * options.noise);
  for (const Matrix& x : generators) study.axes.push_back(classify_generator(x, options));
  return study;
}

Json generators_document(const GeneratorStudy& study) {
  Json document = new_document("classify");
  const bool several = study.axes.size() > 1;
  document["verdict"] = study.commute ? "group" : "not relative";
  if (several) document["commutator"] = study.commutator;
  for (const GeneratorClass& found : study.axes) {
    Json own;
    add_generator(own, found);
    if (several) document["axes"].push_back(own);
    if (!several) document.update(own);
  }
  return document;
}

NearestStudy study_nearest(const Matrix& x, std::string_view family) {
  const BlockKind kind = kFamilyKinds[choice("--nearest", family, kFamilyWords)];
  return {kind, nearest_generator(x, kind)};
}

Json nearest_json(const NearestStudy& study) {
  return {{"kind", name(study.kind)},
          {"residual", study.nearest.residual},
          {"families", families_json(study.nearest.families)}};
}

EncodingStudy study_encoding(const std::string& spec, std::optional<Index> dim,
                             std::optional<Index> heads, const ClassifyOptions& options) {
  const std::unique_ptr<Encoding> encoding = encodings().make(spec);
  const Index fixed_dim = encoding->dim(), fixed_heads = encoding->heads();
  require(fixed_dim == 0 || !dim || *dim == fixed_dim, "--dim",
          "must be {}, as {} fixes it, but got {}", fixed_dim, spec, dim.value_or(0));
  require(fixed_heads == 0 || !heads || *heads == fixed_heads, "--heads",
          "must be {}, as {} fixes them, but got {}", fixed_heads, spec, heads.value_or(0));
  const Extent extent = encoding->fitted({.positions = kClassifyPositions,
                                          .dim = dim.value_or(kClassifyDim),
                                          .heads = heads.value_or(kClassifyHeads)});
  return {group_row(*encoding, extent, options), extent};
}

Json encoding_document(const GroupRow& row) {
  Json document = new_document("classify");
  document["encoding"] = row.encoding;
  document["place"] = row.place;
  add_maps(document, row.test);
  document["kernel_of"] = row.bias_alone ? "bias" : "trace";
  document["hankel"] = row.certificate ? certificate_json(*row.certificate) : Json();
  return document;
}

Json content_document(const std::string& scheme, const std::string& reason) {
  Json document = new_document("classify");
  document["encoding"] = scheme;
  document["verdict"] = name(MapVerdict::kContentDependent);
  document["reason"] = reason;
  document["families"] = Json::array();
  return document;
}

Json maps_document(const MapTest& test) {
  Json document = new_document("classify");
  add_maps(document, test);
  add_matrices(document, test);
  return document;
}

Json kernel_document(const KernelCertificate& certificate) {
  Json document = new_document("classify");
  document["verdict"] =
      certificate.finite ? "finite-dimensional group" : "not a finite-dimensional group";
  document["reason"] = certificate.reason;
  document["families"] = families_json(certificate.exponents);
  document["hankel"] = certificate_json(certificate);
  return document;
}

Json nearest_kernel_json(const std::string& shape, const NearestKernel& nearest) {
  return {{"shape", shape},
          {"residual", nearest.residual},
          {"families", families_json(nearest.blocks)},
          {"coefficients", nearest.coefficients},
          {"fitted", nearest.fitted}};
}

Json catalogue_document(std::span<const GroupRow> rows) {
  Json document = new_document("classify");
  document.update(group_map_json(rows));
  return document;
}

}  // namespace sextant
