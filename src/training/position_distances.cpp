// SPDX-License-Identifier: Apache-2.0
#include "training/position_distances.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "geometry/hellinger.h"

namespace sextant {

DistanceMatrix squared_position_distances(const TokenCorpus& corpus, Index n) {
  const auto positions = static_cast<std::size_t>(n);
  std::vector<std::pair<std::int32_t, std::uint32_t>> places;  // (token, position), one a token
  double texts = 0.0;
  for (std::size_t s = 0; s < corpus.size(); ++s) {
    if (corpus.starts[s + 1] - corpus.starts[s] < positions) continue;
    texts += 1.0;
    for (std::size_t t = 0; t < positions; ++t)
      places.emplace_back(corpus.tokens[corpus.starts[s] + t], static_cast<std::uint32_t>(t));
  }
  if (texts == 0.0) fail(ErrorCode::kMalformed, corpus.source, "no text has {} tokens or more", n);
  std::ranges::sort(places);
  SparseColumns roots;
  roots.rows = n;
  for (std::size_t first = 0, last = 0; first < places.size(); first = last) {
    while (last < places.size() && places[last] == places[first]) ++last;
    if (first > 0 && places[first].first != places[first - 1].first)
      roots.starts.push_back(roots.row.size());
    roots.row.push_back(places[first].second);
    roots.value.push_back(std::sqrt(static_cast<double>(last - first)));
  }
  roots.starts.push_back(roots.row.size());
  return squared_hellinger(roots, Vector(positions, texts), 1);
}

}  // namespace sextant
