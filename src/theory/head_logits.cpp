// SPDX-License-Identifier: Apache-2.0
#include "theory/head_logits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/double_double.h"
#include "math/eigen_map.h"
#include "theory/actions.h"

namespace sextant {

// Functions of the lag alone give the same bits wherever the pair stands.
bool depends_on_lag_only(const KeyOffset& offset, Index positions) {
  const auto last = static_cast<double>(positions - 1);
  for (const double lag : {0.0, 1.0, std::floor(last / 3.0)}) {
    if (lag > last) continue;
    const LinearTerms near = offset.at(0, lag, 0.0), far = offset.at(0, last, last - lag);
    if (near.u != far.u || near.v != far.v || near.c != far.c) return false;
  }
  return true;
}

HeadLogits::HeadLogits(const Effects& effects, const Extent& extent, Matrix rows, Index positions,
                       double content)
    : effects_(effects),
      dim_(extent.dim),
      positions_(positions),
      content_(content),
      scale_(1.0 / std::sqrt(static_cast<double>(extent.dim))),
      x_(effects.input ? std::move(rows) : Matrix(1, extent.dim)) {
  as_eigen(x_).array() += content;
  if (effects.query_key) map_ = along_the_diagonal(*effects.query_key);
  if (effects.logit) bias_by_lag_ = effects.logit->depends_on_lag_only;
  if (effects.key_offset && positions > 0)
    offset_by_lag_ = depends_on_lag_only(*effects.key_offset, positions);
}

void HeadLogits::diagonal(Index lag, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  add_content(lag, out);
  if (effects_.key_offset) add_offset(lag, out);
  as_eigen(out) *= scale_;
  if (effects_.logit) add_bias(lag, out);
}

void HeadLogits::add_content(Index lag, std::span<double> out) const {
  const auto tau = static_cast<double>(lag);
  const auto n = static_cast<Index>(out.size());
  const auto x = as_eigen(x_);
  auto sum = as_eigen(out);
  if (effects_.input && map_) {
    const Matrix a = map_->at(tau);
    const EigenMatrix keys = x.topRows(n) * as_eigen(a).transpose();
    sum += x.middleRows(lag, n).cwiseProduct(keys).rowwise().sum();
  } else if (effects_.input) {
    for (Index i = 0; i < n; ++i) sum(i) += x.row(lag + i).dot(x.row(i));
  } else if (map_ && map_->splits()) {
    Vector query(static_cast<std::size_t>(dim_), content_);
    map_->apply_to_query(tau, query);
    if (map_->magnitude.high != 1.0) map_->apply_to_key(0.0, query);  // the key's magnitude
    sum.array() += x.row(0).dot(as_eigen(std::span(query)));
  } else if (map_) {
    const Matrix a = map_->at(tau);
    sum.array() += (as_eigen(a) * x.row(0).transpose()).dot(x.row(0));
  } else {
    sum.array() += x.row(0).squaredNorm();
  }
}

double HeadLogits::linear(const LinearTerms& terms, Index s, Index t) const {
  const auto x = as_eigen(x_);
  return x.row(effects_.input ? s : 0).dot(as_eigen(std::span(terms.u))) +
         x.row(effects_.input ? t : 0).dot(as_eigen(std::span(terms.v))) + terms.c;
}

void HeadLogits::add_offset(Index lag, std::span<double> out) const {
  const auto at = [&](Index s) {
    return effects_.key_offset->at(0, static_cast<double>(s), static_cast<double>(s - lag));
  };
  std::optional<LinearTerms> shared;
  if (offset_by_lag_) shared = at(positions_ - 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Index t = static_cast<Index>(i), s = t + lag;
    out[i] += shared ? linear(*shared, s, t) : linear(at(s), s, t);
  }
}

void HeadLogits::add_bias(Index lag, std::span<double> out) const {
  const auto at = [&](Index s) {
    return effects_.logit->at(0, static_cast<double>(s), static_cast<double>(s - lag));
  };
  if (bias_by_lag_) {
    const double bias = at(positions_ - 1);
    for (double& logit : out) logit += bias;
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += at(static_cast<Index>(i) + lag);
}

}  // namespace sextant
