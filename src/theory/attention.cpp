// SPDX-License-Identifier: Apache-2.0
#include "theory/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace sextant {
namespace {

constexpr double kMasked = -std::numeric_limits<double>::infinity();

// Positions count from the chunk of their key: with decay, the factors of far ones overflow.
constexpr Index kChunk = 64;

double real(Index t) { return static_cast<double>(t); }

std::span<double> row_of(EigenMatrix& m, Index i) {
  return {m.row(i).data(), static_cast<std::size_t>(m.cols())};
}

}  // namespace

PositionTerms::PositionTerms(const Effects& effects, const TransformerShape& shape, Index n)
    : shape_(shape),
      n_(n),
      scale_(std::sqrt(static_cast<double>(shape.heads) / static_cast<double>(shape.dim))),
      heads_(static_cast<std::size_t>(shape.heads)),
      map_(effects.query_key) {
  if (effects.input)
    rows_ = input_rows(*effects.input, {.positions = n, .dim = shape.dim, .heads = shape.heads},
                       Positions::range(n));
  for (Index head = 0; head < shape.heads; ++head) fill_head(effects, head);
  if (!map_) return;
  require(map_->dim() == width(), "transformer", "a query must have width {} but its map has {}",
          width(), map_->dim());
  if (map_->splits()) return;
  for (Index lag = 1 - n; lag < n; ++lag)
    by_lag_.push_back(shape.causal && lag < 0 ? Matrix() : map_->between(real(lag), 0.0));
}

void PositionTerms::fill_head(const Effects& effects, Index head) {
  Head& terms = heads_[static_cast<std::size_t>(head)];
  terms.constant = EigenMatrix::Zero(n_, n_);
  if (effects.key_offset) terms.u = terms.v = EigenMatrix::Zero(n_ * n_, width());
  for (Index s = 0; s < n_; ++s) {
    for (Index t = 0; t < n_; ++t) {
      double& constant = terms.constant(s, t);
      if (shape_.causal && t > s) {
        constant = kMasked;
        continue;
      }
      if (effects.logit) constant += effects.logit->at(head, real(s), real(t));
      if (!effects.key_offset) continue;
      const LinearTerms offset = effects.key_offset->at(head, real(s), real(t));
      require(static_cast<Index>(offset.u.size()) == width() && offset.v.size() == offset.u.size(),
              "transformer", "offsets must have width {} but have {}", width(), offset.u.size());
      terms.u.row(s * n_ + t) = as_eigen(std::span(offset.u)).transpose();
      terms.v.row(s * n_ + t) = as_eigen(std::span(offset.v)).transpose();
      constant += scale_ * offset.c;
    }
  }
}

EigenMatrix PositionTerms::mapped_queries(const EigenMatrix& q, Index from, Index origin) const {
  EigenMatrix result = q.bottomRows(n_ - from);
  for (Index s = from; s < n_; ++s)
    map_->apply_to_query(real(s - origin), row_of(result, s - from));
  return result;
}

EigenMatrix PositionTerms::mapped_keys(const EigenMatrix& k, Index first, Index count) const {
  EigenMatrix result = k.middleRows(first, count);
  for (Index i = 0; i < count; ++i) map_->apply_to_key(real(i), row_of(result, i));
  return result;
}

EigenMatrix PositionTerms::content(const EigenMatrix& q, const EigenMatrix& k) const {
  if (!map_) return scale_ * (q * k.transpose());
  EigenMatrix result = EigenMatrix::Zero(n_, n_);
  if (map_->splits()) {
    for (Index first = 0; first < n_; first += kChunk) {
      const Index count = std::min(kChunk, n_ - first), from = first_query(first);
      result.block(from, first, n_ - from, count).noalias() =
          scale_ * (mapped_queries(q, from, first) * mapped_keys(k, first, count).transpose());
    }
    return result;
  }
  for (Index lag = shape_.causal ? 0 : 1 - n_; lag < n_; ++lag) {
    const Index pairs = n_ - std::abs(lag), s = std::max<Index>(lag, 0), t = s - lag;
    const EigenMatrix seen =
        q.middleRows(s, pairs) * as_eigen(by_lag_[static_cast<std::size_t>(lag + n_ - 1)]);
    for (Index i = 0; i < pairs; ++i) result(s + i, t + i) = scale_ * seen.row(i).dot(k.row(t + i));
  }
  return result;
}

// Maps and their adjoints: (A(s)^T)^T = A(-(-s)), so that a key's map undoes a query's transpose.
void PositionTerms::add_content_gradient(const EigenMatrix& q, const EigenMatrix& k,
                                         const EigenMatrix& g, Gradient& sum) const {
  if (!map_) {
    sum.query.noalias() += scale_ * (g * k);
    sum.key.noalias() += scale_ * (g.transpose() * q);
    return;
  }
  if (map_->splits()) {
    for (Index first = 0; first < n_; first += kChunk) {
      const Index count = std::min(kChunk, n_ - first), from = first_query(first);
      const auto block = g.block(from, first, n_ - from, count);
      EigenMatrix query = scale_ * (block * mapped_keys(k, first, count));
      for (Index s = from; s < n_; ++s)
        map_->apply_to_key(real(first - s), row_of(query, s - from));
      sum.query.bottomRows(n_ - from) += query;
      EigenMatrix key = scale_ * (block.transpose() * mapped_queries(q, from, first));
      for (Index i = 0; i < count; ++i) map_->apply_to_query(real(-i), row_of(key, i));
      sum.key.middleRows(first, count) += key;
    }
    return;
  }
  for (Index lag = shape_.causal ? 0 : 1 - n_; lag < n_; ++lag) {
    const Index pairs = n_ - std::abs(lag), s = std::max<Index>(lag, 0), t = s - lag;
    const auto a = as_eigen(by_lag_[static_cast<std::size_t>(lag + n_ - 1)]);
    const EigenMatrix query = scale_ * (k.middleRows(t, pairs) * a.transpose());
    const EigenMatrix key = scale_ * (q.middleRows(s, pairs) * a);
    for (Index i = 0; i < pairs; ++i) {
      sum.query.row(s + i) += g(s + i, t + i) * query.row(i);
      sum.key.row(t + i) += g(s + i, t + i) * key.row(i);
    }
  }
}

void PositionTerms::add_linear(Index head, const EigenMatrix& q, const EigenMatrix& k,
                               EigenMatrix& sum) const {
  const Head& terms = heads_[static_cast<std::size_t>(head)];
  if (terms.u.size() == 0) return;
  for (Index s = 0; s < n_; ++s) {
    const auto u = terms.u.middleRows(s * n_, n_), v = terms.v.middleRows(s * n_, n_);
    sum.row(s) +=
        scale_ * (u * q.row(s).transpose() + v.cwiseProduct(k).rowwise().sum()).transpose();
  }
}

EigenMatrix PositionTerms::logits(Index head, const EigenMatrix& q, const EigenMatrix& k) const {
  EigenMatrix result = content(q, k);
  add_linear(head, q, k, result);
  const EigenMatrix& constant = heads_[static_cast<std::size_t>(head)].constant;
  return (constant.array() == kMasked).select(kMasked, result + constant);
}

EigenMatrix PositionTerms::logits_change(Index head, const EigenMatrix& q, const EigenMatrix& k,
                                         const EigenMatrix& dq, const EigenMatrix& dk) const {
  EigenMatrix result = content(dq, k) + content(q, dk);
  add_linear(head, dq, dk, result);
  return result;
}

PositionTerms::Gradient PositionTerms::logits_gradient(Index head, const EigenMatrix& q,
                                                       const EigenMatrix& k,
                                                       const EigenMatrix& g) const {
  Gradient sum{.query = EigenMatrix::Zero(n_, width()), .key = EigenMatrix::Zero(n_, width())};
  add_content_gradient(q, k, g, sum);
  const Head& terms = heads_[static_cast<std::size_t>(head)];
  for (Index s = 0; s < n_ && terms.u.size() > 0; ++s) {
    sum.query.row(s) += scale_ * (g.row(s) * terms.u.middleRows(s * n_, n_));
    sum.key += scale_ * (g.row(s).transpose().asDiagonal() * terms.v.middleRows(s * n_, n_));
  }
  return sum;
}

EigenMatrix softmax_rows(EigenMatrix logits) {
  for (Index s = 0; s < logits.rows(); ++s) {
    auto row = logits.row(s).array();
    const double top = row.maxCoeff();
    if (top == kMasked) {
      row = 0.0;
      continue;
    }
    // Eigen's vectorised exp of -infinity is 2.8e-309, not 0.
    row = (row == kMasked).select(0.0, (row - top).exp()).eval();
    row /= row.sum();
  }
  return logits;
}

}  // namespace sextant
