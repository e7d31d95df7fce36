// SPDX-License-Identifier: Apache-2.0
#include "groups/families.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace sextant {
namespace {

constexpr double kAxisFactor = 10.0;

// What it takes, to first order, to move the mean of a cluster to the imaginary axis.
double axis_error(ComplexSchur& schur, const Vector& conditions, const Cluster& cluster) {
  const double size = static_cast<double>(cluster.members.size());
  double projector = conditions[static_cast<std::size_t>(cluster.members.front())];
  if (cluster.members.size() > 1) {
    schur.lead(cluster.members);
    projector = schur.projector_norm(static_cast<Index>(cluster.members.size()));
  }
  return std::abs(cluster.mean.real()) * size / projector;
}

// From the mean of a cluster to that of the nearest other one.
double gap(const std::vector<Cluster>& clusters, const Cluster& cluster) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Cluster& other : clusters)
    if (&other != &cluster) nearest = std::min(nearest, std::abs(other.mean - cluster.mean));
  return nearest;
}

void add(std::vector<BlockFamily>& blocks, const BlockFamily& block) {
  const auto same = std::find_if(blocks.begin(), blocks.end(), [&](const BlockFamily& other) {
    return other.decay == block.decay && other.frequency == block.frequency &&
           other.size == block.size;
  });
  if (same == blocks.end())
    blocks.push_back(block);
  else
    same->count += block.count;
}

// Of n Jordan chains with more than k links, all but those with more than k + 1 have k + 1.
void add_chains(std::vector<BlockFamily>& blocks, const std::vector<Index>& weyr, Complex value) {
  for (std::size_t k = 0; k < weyr.size(); ++k) {
    const Index count = weyr[k] - (k + 1 < weyr.size() ? weyr[k + 1] : 0);
    const Index size = static_cast<Index>(k) + 1;
    if (count > 0)
      add(blocks, {.kind = block_kind(value.real(), value.imag(), size),
                   .decay = value.real(),
                   .frequency = value.imag(),
                   .size = size,
                   .count = count});
  }
}

}  // namespace

Families families_of(ComplexSchur& schur, const Vector& conditions,
                     const std::vector<Cluster>& clusters, double noise, double norm) {
  Families result;
  for (const Cluster& cluster : clusters) {
    Complex value = cluster.mean * norm;
    double error = cluster.error;
    // First order says nothing about steps that lead past a neighbour: the eigenvalues of a chain
    // that was not put together can each go anywhere, but not all at once.
    const double reach = gap(clusters, cluster);
    if (cluster.members.size() == 1 &&
        conditions[static_cast<std::size_t>(cluster.members.front())] * noise > reach)
      result.unresolved = true;
    if (value.real() != 0.0 && std::abs(cluster.mean.real()) <= 0.5 * reach) {
      const double shift = axis_error(schur, conditions, cluster);
      if (shift <= kAxisFactor * noise) {
        value = {0.0, value.imag()};
        error = std::hypot(error, shift);
      }
    }
    const double mirrored = cluster.real() ? 1.0 : std::sqrt(2.0);
    result.backward_error = std::hypot(result.backward_error, mirrored * error);
    add_chains(result.blocks, cluster.weyr, value);
  }
  std::sort(
      result.blocks.begin(), result.blocks.end(), [](const BlockFamily& a, const BlockFamily& b) {
        return std::tie(a.frequency, a.decay, a.size) < std::tie(b.frequency, b.decay, b.size);
      });
  return result;
}

bool same_label(const std::vector<BlockFamily>& a, const std::vector<BlockFamily>& b) {
  const auto label = [](const std::vector<BlockFamily>& blocks) {
    std::vector<std::tuple<BlockKind, Index, Index>> result;
    result.reserve(blocks.size());
    for (const BlockFamily& block : blocks)
      result.emplace_back(block.kind, block.size, block.count);
    std::sort(result.begin(), result.end());
    return result;
  };
  return label(a) == label(b);
}

}  // namespace sextant
