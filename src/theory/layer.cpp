// SPDX-License-Identifier: Apache-2.0
#include "theory/layer.h"

#include <cmath>
#include <numbers>

namespace sextant {
namespace {

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double gelu_slope(double x) {
  return normal_cdf(x) + x * std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
}

// Row sums as values: Eigen would sum again while the rows change.
Eigen::VectorXd row_sums(const EigenMatrix& weighted) { return weighted.rowwise().sum(); }

auto row_vector(const Vector& x) { return as_eigen(std::span(x)).transpose(); }

}  // namespace

double gelu(double x) { return x * normal_cdf(x); }

RowNorm::RowNorm(const EigenMatrix& x, const Vector& gain, const Vector& shift, bool active)
    : gain_(&gain), shift_(&shift), active_(active), standard_(x) {
  if (!active) return;
  standard_.colwise() -= x.rowwise().mean();
  const Eigen::VectorXd variance =
      standard_.rowwise().squaredNorm() / static_cast<double>(x.cols());
  inverse_ = (variance.array() + kNormEpsilon).rsqrt();
  standard_ = inverse_.asDiagonal() * standard_;
}

EigenMatrix RowNorm::value() const {
  if (!active_) return standard_;
  EigenMatrix result = standard_ * as_eigen(std::span(*gain_)).asDiagonal();
  result.rowwise() += row_vector(*shift_);
  return result;
}

// The Jacobian of standardising a row z: (I - 1 1^T / d - z z^T / d) / deviation, symmetric.
EigenMatrix RowNorm::standardised_change(const EigenMatrix& x) const {
  EigenMatrix result = x;
  result.colwise() -= x.rowwise().mean();
  const Eigen::VectorXd along = standard_.cwiseProduct(x).rowwise().mean();
  result -= along.asDiagonal() * standard_;
  return inverse_.asDiagonal() * result;
}

EigenMatrix RowNorm::push(const EigenMatrix& dx) const {
  if (!active_) return dx;
  return standardised_change(dx) * as_eigen(std::span(*gain_)).asDiagonal();
}

EigenMatrix RowNorm::pull(const EigenMatrix& u) const {
  if (!active_) return u;
  return standardised_change(u * as_eigen(std::span(*gain_)).asDiagonal());
}

Attention::Attention(const TransformerLayer& layer, const PositionTerms& terms,
                     const EigenMatrix& z)
    : layer_(&layer),
      terms_(&terms),
      query_(linear(z, layer.query)),
      key_(linear(z, layer.key)),
      value_(linear(z, layer.value)) {
  for (std::size_t head = 0; head < static_cast<std::size_t>(terms.shape().heads); ++head)
    weights_.push_back(softmax_rows(
        terms.logits(static_cast<Index>(head), columns(query_, head), columns(key_, head))));
}

EigenMatrix Attention::value() const {
  EigenMatrix heads(value_.rows(), value_.cols());
  for (std::size_t head = 0; head < weights_.size(); ++head)
    heads.middleCols(static_cast<Index>(head) * terms_->width(), terms_->width()).noalias() =
        weights_[head] * columns(value_, head);
  return linear(heads, layer_->output);
}

EigenMatrix Attention::push(const EigenMatrix& dz) const {
  const EigenMatrix dq = linear(dz, layer_->query), dk = linear(dz, layer_->key),
                    dv = linear(dz, layer_->value);
  EigenMatrix heads(value_.rows(), value_.cols());
  for (std::size_t head = 0; head < weights_.size(); ++head) {
    const EigenMatrix& w = weights_[head];
    const EigenMatrix change =
        terms_->logits_change(static_cast<Index>(head), columns(query_, head), columns(key_, head),
                              columns(dq, head), columns(dk, head));
    EigenMatrix dw = w.cwiseProduct(change);
    dw -= row_sums(dw).asDiagonal() * w;
    heads.middleCols(static_cast<Index>(head) * terms_->width(), terms_->width()).noalias() =
        dw * columns(value_, head) + w * columns(dv, head);
  }
  return linear(heads, layer_->output);
}

EigenMatrix Attention::pull(const EigenMatrix& u) const {
  const EigenMatrix heads = u * as_eigen(layer_->output);
  EigenMatrix gq(u.rows(), u.cols()), gk(u.rows(), u.cols()), gv(u.rows(), u.cols());
  for (std::size_t head = 0; head < weights_.size(); ++head) {
    const EigenMatrix& w = weights_[head];
    const Index first = static_cast<Index>(head) * terms_->width();
    gv.middleCols(first, terms_->width()).noalias() = w.transpose() * columns(heads, head);
    EigenMatrix g = w.cwiseProduct(columns(heads, head) * columns(value_, head).transpose());
    g -= row_sums(g).asDiagonal() * w;
    const PositionTerms::Gradient gradient = terms_->logits_gradient(
        static_cast<Index>(head), columns(query_, head), columns(key_, head), g);
    gq.middleCols(first, terms_->width()) = gradient.query;
    gk.middleCols(first, terms_->width()) = gradient.key;
  }
  return gq * as_eigen(layer_->query) + gk * as_eigen(layer_->key) + gv * as_eigen(layer_->value);
}

FeedForward::FeedForward(const TransformerLayer& layer, const EigenMatrix& z)
    : layer_(&layer), before_(linear(z, layer.up)) {
  before_.rowwise() += row_vector(layer.up_bias);
}

EigenMatrix FeedForward::value() const {
  EigenMatrix result = linear(before_.unaryExpr(&gelu), layer_->down);
  result.rowwise() += row_vector(layer_->down_bias);
  return result;
}

EigenMatrix FeedForward::push(const EigenMatrix& dz) const {
  return linear(linear(dz, layer_->up).cwiseProduct(before_.unaryExpr(&gelu_slope)), layer_->down);
}

EigenMatrix FeedForward::pull(const EigenMatrix& u) const {
  const EigenMatrix hidden = u * as_eigen(layer_->down);
  return hidden.cwiseProduct(before_.unaryExpr(&gelu_slope)) * as_eigen(layer_->up);
}

LayerPass::LayerPass(const TransformerLayer& layer, const PositionTerms& terms,
                     const EigenMatrix& x)
    : attention_norm_(x, layer.attention_gain, layer.attention_shift, terms.shape().layer_norm),
      attention_(layer, terms, attention_norm_.value()),
      between_(x + attention_.value()),
      feed_forward_norm_(between_, layer.feed_forward_gain, layer.feed_forward_shift,
                         terms.shape().layer_norm),
      value_(between_) {
  if (terms.shape().hidden == 0) return;
  feed_forward_.emplace(layer, feed_forward_norm_.value());
  value_ += feed_forward_->value();
}

EigenMatrix LayerPass::push(const EigenMatrix& dx) const {
  EigenMatrix dy = dx + attention_.push(attention_norm_.push(dx));
  if (feed_forward_) dy += feed_forward_->push(feed_forward_norm_.push(dy));
  return dy;
}

EigenMatrix LayerPass::pull(const EigenMatrix& u) const {
  EigenMatrix g = u;
  if (feed_forward_) g += feed_forward_norm_.pull(feed_forward_->pull(u));
  return g + attention_norm_.pull(attention_.pull(g));
}

EigenMatrix residual_stream(const Transformer& model, const PositionTerms& terms, EigenMatrix x) {
  if (terms.rows().rows() > 0) x += as_eigen(terms.rows());
  for (const TransformerLayer& layer : model.layers) x = LayerPass(layer, terms, x).value();
  return x;
}

}  // namespace sextant
