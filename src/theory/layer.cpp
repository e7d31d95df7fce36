// SPDX-License-Identifier: Apache-2.0
#include "theory/layer.h"

#include <algorithm>
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

double relu(double x) { return std::max(x, 0.0); }
double relu_slope(double x) { return x > 0.0 ? 1.0 : 0.0; }

}  // namespace

double gelu(double x) { return x * normal_cdf(x); }

ScalarFunction activation_function(Activation activation) {
  if (activation == Activation::kRelu) return {.value = &relu, .slope = &relu_slope};
  return {.value = &gelu, .slope = &gelu_slope};
}

RowNorm::RowNorm(const EigenMatrix& x, const Vector& gain, const Vector& shift, double epsilon)
    : gain_(&gain), shift_(&shift), standard_(x) {
  standard_.colwise() -= x.rowwise().mean();
  const Eigen::VectorXd variance =
      standard_.rowwise().squaredNorm() / static_cast<double>(x.cols());
  inverse_ = (variance.array() + epsilon).rsqrt();
  standard_ = inverse_.asDiagonal() * standard_;
}

EigenMatrix RowNorm::value() const {
  EigenMatrix result = standard_ * as_eigen(std::span(*gain_)).asDiagonal();
  result.rowwise() += as_eigen(std::span(*shift_)).transpose();
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
  return standardised_change(dx) * as_eigen(std::span(*gain_)).asDiagonal();
}

EigenMatrix RowNorm::pull(const EigenMatrix& u) const {
  return standardised_change(u * as_eigen(std::span(*gain_)).asDiagonal());
}

Attention::Attention(const TransformerLayer& layer, const PositionTerms& terms,
                     const EigenMatrix& z)
    : layer_(&layer),
      terms_(&terms),
      query_(linear(z, layer.query, layer.query_bias)),
      key_(linear(z, layer.key, layer.key_bias)),
      value_(linear(z, layer.value, layer.value_bias)) {
  for (std::size_t head = 0; head < static_cast<std::size_t>(terms.shape().heads); ++head)
    weights_.push_back(softmax_rows(
        terms.logits(static_cast<Index>(head), columns(query_, head), columns(key_, head))));
}

EigenMatrix Attention::value() const {
  EigenMatrix heads(value_.rows(), value_.cols());
  for (std::size_t head = 0; head < weights_.size(); ++head)
    heads.middleCols(static_cast<Index>(head) * terms_->width(), terms_->width()).noalias() =
        weights_[head] * columns(value_, head);
  return linear(heads, layer_->output, layer_->output_bias);
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

FeedForward::FeedForward(const TransformerLayer& layer, const PositionTerms& terms,
                         const EigenMatrix& z)
    : layer_(&layer),
      activation_(activation_function(terms.shape().activation)),
      before_(linear(z, layer.up, layer.up_bias)) {}

EigenMatrix FeedForward::value() const {
  return linear(before_.unaryExpr(activation_.value), layer_->down, layer_->down_bias);
}

EigenMatrix FeedForward::push(const EigenMatrix& dz) const {
  return linear(linear(dz, layer_->up).cwiseProduct(before_.unaryExpr(activation_.slope)),
                layer_->down);
}

EigenMatrix FeedForward::pull(const EigenMatrix& u) const {
  const EigenMatrix hidden = u * as_eigen(layer_->down);
  return hidden.cwiseProduct(before_.unaryExpr(activation_.slope)) * as_eigen(layer_->up);
}

template <typename Part>
Residual<Part>::Residual(const TransformerLayer& layer, const PositionTerms& terms,
                         const EigenMatrix& x, const Vector& gain, const Vector& shift)
    : before_(
          terms.shape().norm == NormPlace::kBefore
              ? std::optional<RowNorm>(std::in_place, x, gain, shift, terms.shape().norm_epsilon)
              : std::nullopt),
      part_(layer, terms, before_ ? before_->value() : x),
      value_(x + part_.value()) {
  if (terms.shape().norm != NormPlace::kAfter) return;
  after_.emplace(value_, gain, shift, terms.shape().norm_epsilon);
  value_ = after_->value();
}

template <typename Part>
EigenMatrix Residual<Part>::push(const EigenMatrix& dx) const {
  EigenMatrix dy = dx + part_.push(before_ ? before_->push(dx) : dx);
  if (after_) dy = after_->push(dy);
  return dy;
}

template <typename Part>
EigenMatrix Residual<Part>::pull(const EigenMatrix& u) const {
  const EigenMatrix g = after_ ? after_->pull(u) : u;
  const EigenMatrix through = part_.pull(g);
  return g + (before_ ? before_->pull(through) : through);
}

LayerPass::LayerPass(const TransformerLayer& layer, const PositionTerms& terms,
                     const EigenMatrix& x)
    : attention_(layer, terms, x, layer.attention_gain, layer.attention_shift) {
  if (terms.shape().hidden > 0)
    feed_forward_.emplace(layer, terms, attention_.value(), layer.feed_forward_gain,
                          layer.feed_forward_shift);
}

EigenMatrix LayerPass::push(const EigenMatrix& dx) const {
  EigenMatrix dy = attention_.push(dx);
  if (feed_forward_) dy = feed_forward_->push(dy);
  return dy;
}

EigenMatrix LayerPass::pull(const EigenMatrix& u) const {
  return attention_.pull(feed_forward_ ? feed_forward_->pull(u) : u);
}

EigenMatrix residual_stream(const Transformer& model, const PositionTerms& terms, EigenMatrix x) {
  if (terms.rows().rows() > 0) x += as_eigen(terms.rows());
  for (const TransformerLayer& layer : model.layers) x = LayerPass(layer, terms, x).value();
  return x;
}

}  // namespace sextant
