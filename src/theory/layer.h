// SPDX-License-Identifier: Apache-2.0
// One layer of a transformer with what its derivatives need: activations are kept, so that products
// with the Jacobian and its transpose cost about as much as the layer itself.
#pragma once

#include <optional>
#include <vector>

#include "theory/attention.h"

namespace sextant {

// x times the share of a standard normal variable below x.
double gelu(double x);

// A function of one number, with its derivative.
struct ScalarFunction {
  double (*value)(double);
  double (*slope)(double);
};
// ReLU's slope at its kink is 0.
ScalarFunction activation_function(Activation activation);

// y = gain (x - mean) / sqrt(variance + epsilon) + shift, by rows.
class RowNorm {
 public:
  // Gain and shift must outlive this.
  RowNorm(const EigenMatrix& x, const Vector& gain, const Vector& shift, double epsilon);

  EigenMatrix value() const;
  EigenMatrix push(const EigenMatrix& dx) const;
  EigenMatrix pull(const EigenMatrix& u) const;

 private:
  EigenMatrix standardised_change(const EigenMatrix& x) const;

  const Vector* gain_;
  const Vector* shift_;
  EigenMatrix standard_;     // (x - mean) / deviation
  Eigen::VectorXd inverse_;  // 1 / deviation
};

// attention(z) of all heads, output projection included.
class Attention {
 public:
  // Layer and terms must outlive this.
  Attention(const TransformerLayer& layer, const PositionTerms& terms, const EigenMatrix& z);

  EigenMatrix value() const;
  EigenMatrix push(const EigenMatrix& dz) const;
  EigenMatrix pull(const EigenMatrix& u) const;
  const EigenMatrix& weights(Index head) const { return weights_[static_cast<std::size_t>(head)]; }

 private:
  auto columns(const EigenMatrix& x, std::size_t head) const {
    return x.middleCols(static_cast<Index>(head) * terms_->width(), terms_->width());
  }

  const TransformerLayer* layer_;
  const PositionTerms* terms_;
  EigenMatrix query_, key_, value_;  // [n, dim], heads side by side
  std::vector<EigenMatrix> weights_;
};

class FeedForward {
 public:
  // The layer must outlive this. Positions do not matter, the shape of the terms does.
  FeedForward(const TransformerLayer& layer, const PositionTerms& terms, const EigenMatrix& z);

  EigenMatrix value() const;
  EigenMatrix push(const EigenMatrix& dz) const;
  EigenMatrix pull(const EigenMatrix& u) const;

 private:
  const TransformerLayer* layer_;
  ScalarFunction activation_;
  EigenMatrix before_;  // the hidden units before their activation
};

// A part added to its input, with a norm where the shape has it.
template <typename Part>
class Residual {
 public:
  // Everything but x must outlive this.
  Residual(const TransformerLayer& layer, const PositionTerms& terms, const EigenMatrix& x,
           const Vector& gain, const Vector& shift);

  const EigenMatrix& value() const { return value_; }
  EigenMatrix push(const EigenMatrix& dx) const;
  EigenMatrix pull(const EigenMatrix& u) const;

 private:
  std::optional<RowNorm> before_;
  Part part_;
  EigenMatrix value_;
  std::optional<RowNorm> after_;
};

class LayerPass {
 public:
  // Layer and terms must outlive this. Rows of an input table are not added here.
  LayerPass(const TransformerLayer& layer, const PositionTerms& terms, const EigenMatrix& x);

  const EigenMatrix& value() const {
    return feed_forward_ ? feed_forward_->value() : attention_.value();
  }
  EigenMatrix push(const EigenMatrix& dx) const;
  EigenMatrix pull(const EigenMatrix& u) const;

 private:
  Residual<Attention> attention_;
  std::optional<Residual<FeedForward>> feed_forward_;  // none without hidden units
};

// What forward() computes, for an input and terms that fit the model.
EigenMatrix residual_stream(const Transformer& model, const PositionTerms& terms, EigenMatrix x);

}  // namespace sextant
