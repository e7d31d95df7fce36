// SPDX-License-Identifier: Apache-2.0
// The logits of one head whose tokens all have the same content, for every query and key behind it.
#pragma once

#include "sextant/encoding.h"

namespace sextant {

// Whether u, v and c of the first head are the same at pairs of one lag, as far as three lags
// within so many positions tell. REQUIRES: positions > 0.
bool depends_on_lag_only(const KeyOffset& offset, Index positions);

// z(s, t) = ((x_s)^T A(s-t) x_t + u^T x_s + v^T x_t + c) / sqrt d + b(s, t) of the first head, with
// x_t = content (1, ..., 1) + row t and identity projections. With content 1 this is attention as
// position alone shapes it; with content 0 it is what two positions say to each other.
class HeadLogits {
 public:
  // `rows` of an input table, [positions, dim]; ignored without one. `effects` must outlive this.
  HeadLogits(const Effects& effects, const Extent& extent, Matrix rows, Index positions,
             double content);

  Index positions() const { return positions_; }

  // Whether z depends on s - t only: then a diagonal is one number.
  bool by_lag() const { return !effects_.input && offset_by_lag_ && bias_by_lag_; }

  // Whether keys are rows of an input table: then a key is new by its position, else by its lag.
  bool has_rows() const { return effects_.input.has_value(); }

  // z(s, s - lag) of s = lag, lag+1, ... as far as `out` goes, at most to positions-1. Throws like
  // the sites.
  void diagonal(Index lag, std::span<double> out) const;

 private:
  void add_content(Index lag, std::span<double> out) const;
  void add_offset(Index lag, std::span<double> out) const;
  void add_bias(Index lag, std::span<double> out) const;
  double linear(const LinearTerms& terms, Index s, Index t) const;

  const Effects& effects_;
  Index dim_, positions_;
  double content_, scale_;
  Matrix x_;  // [positions, dim]; one row without an input table
  std::optional<QueryKeyMap> map_;
  bool offset_by_lag_ = true, bias_by_lag_ = true;
};

}  // namespace sextant
