// SPDX-License-Identifier: Apache-2.0
// What an encoding does to the logits of one transformer, computed once for many inputs.
//
// The logit of query s and key t in a head is scale (q^T A k + u^T q + v^T k + c) + b with
// scale = 1 / sqrt(head width): what multiplies content, or is added to it (Shaw, Transformer-XL),
// is scaled with it as those papers do; a bias (ALiBi, T5) is not.
#pragma once

#include <vector>

#include "math/eigen_map.h"
#include "sextant/transformer.h"

namespace sextant {

class PositionTerms {
 public:
  // For positions 0..n-1. Throws kUsage where the sites do not fit the shape. Pairs that the
  // causal mask hides are never asked for.
  PositionTerms(const Effects& effects, const TransformerShape& shape, Index n);

  Index positions() const { return n_; }
  const TransformerShape& shape() const { return shape_; }
  Index width() const { return shape_.dim / shape_.heads; }

  // Rows of the input table, [n, dim]; empty without one.
  const Matrix& rows() const { return rows_; }

  // Of queries and keys of one head, [n, width] each: [n, n], -infinity where masked.
  EigenMatrix logits(Index head, const EigenMatrix& q, const EigenMatrix& k) const;

  // Their change for changes dq and dk; whatever where masked, but finite.
  EigenMatrix logits_change(Index head, const EigenMatrix& q, const EigenMatrix& k,
                            const EigenMatrix& dq, const EigenMatrix& dk) const;

  // The gradient of sum g * logits. REQUIRES: g is 0 where masked.
  struct Gradient {
    EigenMatrix query, key;
  };
  Gradient logits_gradient(Index head, const EigenMatrix& q, const EigenMatrix& k,
                           const EigenMatrix& g) const;

 private:
  struct Head {
    EigenMatrix constant;  // scale c + b, -infinity where masked
    EigenMatrix u, v;      // [n n, width]; empty without linear terms
  };

  void fill_head(const Effects& effects, Index head);
  EigenMatrix mapped_queries(const EigenMatrix& q, Index from, Index origin) const;
  EigenMatrix mapped_keys(const EigenMatrix& k, Index first, Index count) const;
  EigenMatrix content(const EigenMatrix& q, const EigenMatrix& k) const;
  void add_content_gradient(const EigenMatrix& q, const EigenMatrix& k, const EigenMatrix& g,
                            Gradient& sum) const;
  void add_linear(Index head, const EigenMatrix& q, const EigenMatrix& k, EigenMatrix& sum) const;
  // Rows below it are masked for every key from `first` on.
  Index first_query(Index first) const { return shape_.causal ? first : 0; }

  TransformerShape shape_;
  Index n_;
  double scale_;
  Matrix rows_;
  std::vector<Head> heads_;
  std::optional<QueryKeyMap> map_;
  // A(lag) for the lags -(n-1)..n-1, where the map does not split; those that no pair has are
  // empty.
  std::vector<Matrix> by_lag_;
};

// exp of the logits over their row sums; a row of -infinity becomes zero.
EigenMatrix softmax_rows(EigenMatrix logits);

// x W^T.
inline EigenMatrix linear(const EigenMatrix& x, const Matrix& weights) {
  return x * as_eigen(weights).transpose();
}
// x W^T + b, where an empty b is none.
inline EigenMatrix linear(const EigenMatrix& x, const Matrix& weights, const Vector& bias) {
  EigenMatrix result = linear(x, weights);
  if (!bias.empty()) result.rowwise() += as_eigen(std::span(bias)).transpose();
  return result;
}

}  // namespace sextant
