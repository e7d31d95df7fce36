// SPDX-License-Identifier: Apache-2.0
// Coordinates that were fitted to the geometry of a corpus, used as rows of a table: at rank r,
// times a map to the width of the model.
#pragma once

#include "encoding/absolute.h"

namespace sextant {

inline constexpr ParamInfo kFittedParams[] = {
    file_param("file", "coordinates, [positions, rank], as `sextant fit` writes them"),
    file_param("map", "[rank, dim]; without it the coordinates come first and zeros follow"),
    integer_param("rank", "", 1, 1e6, "columns to use; all of the file without it"),
    word_param("target", "plain", "plain|corrected",
               "which distances of a corpus to fit when there is no file"),
    word_param("beyond", "error", "error|clamp|interpolate",
               "past the last row: refuse, repeat it, or stretch the table over the sequence"),
    kPositionsParam,
    kTrainParam,
};

inline constexpr Claims kFittedClaims = {.orthogonal = Claim::kNo,
                                         .any_length = Claim::kNo,
                                         .separates = Claim::kYes,
                                         .bounded = Claim::kYes};
inline constexpr std::string_view kFittedNotes =
    "sextant fit writes the file; sextant score and report fit it to the corpus at hand when there "
    "is "
    "none.";

class FittedRows : public Encoding {
 public:
  FittedRows(const EncodingInfo& info, const Params& params);

  const EncodingInfo& info() const override { return info_; }
  Index dim() const override { return map_.cols(); }
  Claims claims() const override { return rule_.adjusted(adjusted(info_.claims, beyond_)); }

 private:
  Effects make_effects(const Extent& extent) const override;

  const EncodingInfo& info_;
  PositionRule rule_;
  RowTable::Beyond beyond_;
  Matrix points_;  // [positions, rank]
  Matrix map_;     // [rank, dim], or empty
};

}  // namespace sextant
