// SPDX-License-Identifier: Apache-2.0
// What `classify` finds, from its inputs to one JSON document each: docs/groups.md.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/json.h"
#include "run/group_map.h"
#include "sextant/classify.h"

namespace sextant {

inline const std::vector<std::string> kFamilyWords = {"none", "decay", "growth", "rotation",
                                                      "spiral"};
inline constexpr Index kClassifyDim = 64;
inline constexpr Index kClassifyHeads = 8;
inline constexpr Index kClassifyPositions = 64;

// Generators of the axes of one position.
struct GeneratorStudy {
  double commutator = 0.0;  // the largest |XY-YX|/(|X||Y|)
  bool commute = true;
  std::vector<GeneratorClass> axes;
};
GeneratorStudy study_generators(std::span<const Matrix> generators, const ClassifyOptions& options);
Json generators_document(const GeneratorStudy& study);

// The closest member of a family of kFamilyWords, in this basis.
struct NearestStudy {
  BlockKind kind = BlockKind::kNone;
  NearestGenerator nearest;
};
NearestStudy study_nearest(const Matrix& x, std::string_view family);
Json nearest_json(const NearestStudy& study);

// An encoding at the width and the heads asked for. Throws kUsage where its spec fixes others.
struct EncodingStudy {
  GroupRow row;
  Extent extent;
};
EncodingStudy study_encoding(const std::string& spec, std::optional<Index> dim,
                             std::optional<Index> heads, const ClassifyOptions& options);
Json encoding_document(const GroupRow& row);
// Of a scheme that content_dependent() knows.
Json content_document(const std::string& name, const std::string& reason);

Json maps_document(const MapTest& test);
Json kernel_document(const KernelCertificate& certificate);
Json nearest_kernel_json(const std::string& shape, const NearestKernel& nearest);
Json catalogue_document(std::span<const GroupRow> rows);

}  // namespace sextant
