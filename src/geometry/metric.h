// SPDX-License-Identifier: Apache-2.0
// Other distances between the laws of positions, to see whether the choice matters.
#pragma once

#include <span>
#include <string_view>

#include "math/gram.h"
#include "sextant/geometry.h"

namespace sextant {

enum class Metric {
  kHellinger,       // |sqrt P - sqrt Q|
  kFisherRao,       // 2 arccos of sum sqrt(P Q); B may be indefinite
  kJensenShannon,   // root of the divergence, natural logarithm
  kTotalVariation,  // sum |P - Q| / 2
};
inline constexpr Metric kMetrics[] = {Metric::kHellinger, Metric::kFisherRao,
                                      Metric::kJensenShannon, Metric::kTotalVariation};
std::string_view name(Metric metric);

// `roots` holds sqrt(c_iv), `sequences` N_i.
DistanceMatrix metric_distances(Metric metric, const SparseColumns& roots,
                                std::span<const double> sequences, Index threads);

// The square of the arc that belongs to a squared Hellinger distance.
double squared_arc(double squared_hellinger);

}  // namespace sextant
