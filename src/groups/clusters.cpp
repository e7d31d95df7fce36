// SPDX-License-Identifier: Apache-2.0
// Candidates are the nearest clusters around each cluster. A candidate is tried only when its
// eigenvalues can move to their mean at all, so that separate eigenvalues cost nothing.
#include "groups/clusters.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "groups/staircase.h"

namespace sextant {
namespace {

constexpr std::size_t kMostJoined = 12;  // clusters at once: a chain of 24 links in conjugate pairs

// To first order an eigenvalue moves by condition * perturbation; one of m points on a circle moves
// m times as far until they meet. The rest is slack.
constexpr double kReach = 3.0;

// Work is counted in entries of T turned while eigenvalues are moved.
constexpr double kSecondsPerEntry = 1e-8;
constexpr double kMostClusterWork = 3e10;
constexpr double kEntriesPerDeflation = 0.3;  // times n^3, by the time it takes

// Eigenvectors of such a condition are orthogonal to all others, as those of a normal matrix.
constexpr double kNormal = 1.0 + 1e-6;

struct Candidate {
  std::vector<std::size_t> parts;  // clusters, rising
  std::vector<Index> members;      // rising
  Complex mean;
  double spread = 0.0;

  bool operator<(const Candidate& other) const {
    return spread != other.spread ? spread < other.spread : members < other.members;
  }
};

class Joining {
 public:
  Joining(ComplexSchur& schur, const Vector& conditions, double tolerance)
      : schur_(schur), conditions_(conditions), tolerance_(tolerance) {
    for (Index k = 0; k < schur.dim(); ++k) {
      const Complex value = schur.eigenvalue(k);
      if (value.imag() >= 0.0) clusters_.push_back({{k}, {1}, value, 0.0});
    }
  }

  // Sets whose members are closer to each other than the tolerance, at once: many equal
  // eigenvalues would else be joined one by one.
  void join_coincident();

  // Joins sets of `count` clusters; whether any was.
  bool join(std::size_t count);

  std::vector<Cluster> take() { return std::move(clusters_); }

 private:
  std::vector<Index> members(const std::vector<std::size_t>& parts, bool real) const;
  std::vector<std::size_t> nearest(Complex centre, bool real, std::size_t count) const;
  void propose(Complex centre, bool real, std::size_t count, std::set<Candidate>& found) const;
  std::optional<Candidate> candidate(std::vector<std::size_t> parts, bool real) const;
  double reach(Index number, double size) const;
  Vector reaches(std::size_t count) const;
  bool within_reach(const Candidate& candidate) const;
  void charge(double next, double ahead);
  std::optional<Staircase> staircase(const Candidate& candidate);
  bool try_all(const std::set<Candidate>& candidates);

  ComplexSchur& schur_;
  const Vector& conditions_;
  double tolerance_;
  double work_ = 0.0;
  std::vector<Cluster> clusters_;
  std::set<std::vector<Index>> failed_;
};

// Of the joint cluster: a complex part brings its conjugates into a real one.
std::vector<Index> Joining::members(const std::vector<std::size_t>& parts, bool real) const {
  std::vector<Index> result;
  for (const std::size_t part : parts) {
    const Cluster& cluster = clusters_[part];
    for (const Index k : cluster.members) {
      result.push_back(k);
      if (real && !cluster.real()) result.push_back(k + 1);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::size_t> Joining::nearest(Complex centre, bool real, std::size_t count) const {
  std::vector<std::pair<double, std::size_t>> distances;
  for (std::size_t c = 0; c < clusters_.size(); ++c)
    if (real || !clusters_[c].real())
      distances.emplace_back(std::abs(clusters_[c].mean - centre), c);
  if (distances.size() < count) return {};
  const auto end = distances.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(distances.begin(), end, distances.end());
  std::vector<std::size_t> result;
  for (auto it = distances.begin(); it != end; ++it) result.push_back(it->second);
  std::sort(result.begin(), result.end());
  return result;
}

std::optional<Candidate> Joining::candidate(std::vector<std::size_t> parts, bool real) const {
  if (parts.empty() || (parts.size() == 1 && (!real || clusters_[parts[0]].real()))) return {};
  Candidate result{std::move(parts), {}, {}, 0.0};
  result.members = members(result.parts, real);
  for (const Index k : result.members) result.mean += schur_.eigenvalue(k);
  result.mean /= static_cast<double>(result.members.size());
  if (real) result.mean = result.mean.real();
  for (const Index k : result.members)
    result.spread = std::max(result.spread, std::abs(schur_.eigenvalue(k) - result.mean));
  return result;
}

// How far an eigenvalue can move to become one of `size` equal ones.
double Joining::reach(Index number, double size) const {
  return kReach * size * tolerance_ * conditions_[static_cast<std::size_t>(number)];
}

// Of each cluster: the farthest that one of its members can move in a set of `count` clusters.
Vector Joining::reaches(std::size_t count) const {
  std::size_t largest = 1;
  for (const Cluster& cluster : clusters_)
    largest = std::max(largest, (cluster.real() ? 1 : 2) * cluster.members.size());
  Vector result;
  for (const Cluster& cluster : clusters_) {
    double farthest = 0.0;
    for (const Index k : cluster.members)
      farthest = std::max(farthest, reach(k, static_cast<double>(count * largest)));
    result.push_back(farthest);
  }
  return result;
}

bool Joining::within_reach(const Candidate& candidate) const {
  const double size = static_cast<double>(candidate.members.size());
  return std::all_of(candidate.members.begin(), candidate.members.end(), [&](Index k) {
    return std::abs(schur_.eigenvalue(k) - candidate.mean) <= reach(k, size);
  });
}

// The `count` clusters around a centre, and around the mean of those.
void Joining::propose(Complex centre, bool real, std::size_t count,
                      std::set<Candidate>& found) const {
  for (int round = 0; round < 2; ++round) {
    const auto next = candidate(nearest(centre, real, count), real);
    if (!next) return;
    if (within_reach(*next) && !failed_.contains(next->members)) found.insert(*next);
    if (next->mean == centre) return;
    centre = next->mean;
  }
}

// Refuses as soon as what is ahead at least is too much.
void Joining::charge(double next, double ahead) {
  work_ += next;
  if (work_ + ahead > kMostClusterWork)
    fail(ErrorCode::kRefused, "generator",
         "noise must leave most of {} eigenvalues apart but at {:.3g} so many may be equal that "
         "trying them takes {:.0f} minutes or more",
         schur_.dim(), tolerance_ / kNoiseFactor, (work_ + ahead) * kSecondsPerEntry / 60.0);
}

// Of one eigenvalue in place of the candidate's. Normal ones need no triangular block: theirs is
// diagonal.
std::optional<Staircase> Joining::staircase(const Candidate& candidate) {
  const auto& numbers = candidate.members;
  const Index size = static_cast<Index>(numbers.size());
  const bool normal = std::all_of(numbers.begin(), numbers.end(), [&](Index k) {
    return conditions_[static_cast<std::size_t>(k)] <= kNormal;
  });
  if (normal) {
    double error = 0.0;
    for (const Index k : numbers)
      error = std::hypot(error, std::abs(schur_.eigenvalue(k) - candidate.mean));
    if (error > tolerance_) return std::nullopt;
    return Staircase{{size}, error};
  }
  const double dim = static_cast<double>(schur_.dim());
  charge(static_cast<double>(size) * dim * dim, 0.0);
  schur_.lead(numbers);
  Eigen::MatrixXcd block = schur_.leading(size);
  block.diagonal().array() -= candidate.mean;
  return nilpotent_staircase(block, tolerance_, [this](double step, double ahead) {
    charge(kEntriesPerDeflation * step, kEntriesPerDeflation * ahead);
  });
}

// Nearest first. A cluster that was joined is out of reach for the others of the same round.
bool Joining::try_all(const std::set<Candidate>& candidates) {
  std::vector<bool> gone(clusters_.size(), false);
  std::vector<Cluster> joined;
  for (const Candidate& next : candidates) {
    const auto& parts = next.parts;
    if (std::any_of(parts.begin(), parts.end(), [&](std::size_t p) { return gone[p]; })) continue;
    if (auto stairs = staircase(next)) {
      for (const std::size_t p : parts) gone[p] = true;
      joined.push_back({next.members, std::move(stairs->weyr), next.mean, stairs->error});
    } else {
      failed_.insert(next.members);
    }
  }
  for (std::size_t c = 0; c < clusters_.size(); ++c)
    if (!gone[c]) joined.push_back(std::move(clusters_[c]));
  const bool any = std::find(gone.begin(), gone.end(), true) != gone.end();
  clusters_ = std::move(joined);
  return any;
}

bool Joining::join(std::size_t count) {
  const Vector reach = reaches(count);
  std::set<Candidate> candidates;
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const Complex seed = clusters_[c].mean;
    const auto meets = [&](std::size_t other) {
      return other != c && std::abs(seed - clusters_[other].mean) <= reach[c] + reach[other];
    };
    std::size_t other = 0;
    while (other < clusters_.size() && !meets(other)) ++other;
    if (count > 1 && other == clusters_.size()) continue;
    if (!clusters_[c].real()) propose(seed, false, count, candidates);
    if (seed.imag() <= reach[c]) propose(seed.real(), true, count, candidates);
  }
  return try_all(candidates);
}

void Joining::join_coincident() {
  std::vector<std::size_t> by_real(clusters_.size()), group(clusters_.size());
  std::iota(by_real.begin(), by_real.end(), std::size_t{0});
  group = by_real;
  const auto mean = [&](std::size_t c) { return clusters_[c].mean; };
  std::sort(by_real.begin(), by_real.end(),
            [&](std::size_t a, std::size_t b) { return mean(a).real() < mean(b).real(); });
  const auto root = [&](std::size_t c) {
    while (group[c] != c) c = group[c] = group[group[c]];
    return c;
  };
  for (std::size_t i = 0; i < by_real.size(); ++i)
    for (std::size_t j = i; j-- > 0;) {
      if (mean(by_real[i]).real() - mean(by_real[j]).real() > tolerance_) break;
      if (std::abs(mean(by_real[i]) - mean(by_real[j])) <= tolerance_)
        group[root(by_real[i])] = root(by_real[j]);
    }
  std::vector<std::vector<std::size_t>> sets(clusters_.size());
  for (std::size_t c = 0; c < clusters_.size(); ++c) sets[root(c)].push_back(c);
  std::set<Candidate> candidates;
  for (const auto& set : sets) {
    const bool real = std::any_of(
        set.begin(), set.end(), [&](std::size_t c) { return 2.0 * mean(c).imag() <= tolerance_; });
    if (const auto next = candidate(set, real)) candidates.insert(*next);
  }
  try_all(candidates);
}

}  // namespace

std::vector<Cluster> find_clusters(ComplexSchur& schur, const Vector& conditions, double noise,
                                   const std::function<void(double)>& progress) {
  Joining joining(schur, conditions, kNoiseFactor * noise);
  joining.join_coincident();
  std::size_t count = 1, farthest = 0;
  while (count <= kMostJoined) {
    const bool any = joining.join(count);
    farthest = std::max(farthest, any ? count - 1 : count);
    count = any ? 1 : count + 1;
    if (progress) progress(static_cast<double>(farthest) / static_cast<double>(kMostJoined));
  }
  return joining.take();
}

}  // namespace sextant
