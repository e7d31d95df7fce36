// SPDX-License-Identifier: Apache-2.0
// What the trainable encodings share: the arguments that they start from, the way of their numbers
// back into the catalogue, and the way from a list by lag to the sites.
#pragma once

#include "lab/learned.h"

namespace sextant {

// The arguments of the term.
Params params_of(const LearnedStart& start);

// The term as the catalogue makes it with other arrays in place of its own.
std::unique_ptr<Encoding> with_values(const LearnedStart& start, const TensorMap& values);

// Of a head: that of queries, of keys and of the terms that meet them.
Index head_width(const LearnedStart& start);

// As a TensorMap takes it, in double.
Tensor stored(const torch::Tensor& tensor);

// first, ..., last in double, on the CPU.
torch::Tensor lag_range(Index first, Index last);

// [..., n, n] from a list by lag, [..., 2n-1], whose first entry is that of lag 1-n.
torch::Tensor by_pair(const torch::Tensor& by_lag, Index n);

// The lowest lag at which split_maps() asks for A. A causal mask hides queries before their key:
// there a group that decays may overflow.
Index lowest_lag(Index n, bool causal);

// Query and key maps of n positions from A(lag), [lags, w, w], at lowest_lag(), ..., n-1.
SiteTensors split_maps(const torch::Tensor& a, Index n);

}  // namespace sextant
