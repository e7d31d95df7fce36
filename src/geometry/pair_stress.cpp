// SPDX-License-Identifier: Apache-2.0
// Packed rows go round in a ring: a rank holds its own and those of one other. Every tile is done
// by one of the ranks that own its rows, and its sums are added in the order of the tiles.
#include "geometry/pair_stress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/rng.h"
#include "geometry/hellinger.h"
#include "geometry/sparse_rows.h"
#include "math/tiles.h"

namespace sextant {
namespace {

constexpr std::uint64_t kPairStream = 0x7061697273000000;

using Triple = std::array<double, 3>;  // of d^2, d e, e^2

// Sums over the pairs of a tile for one candidate.
struct Moments {
  Triple sum = {};
  std::array<double, 6> product = {};  // of two of the three, upper triangle row by row

  void add(double d, double e) { for_each_term({d * d, d * e, e * e}, false); }
  void add_with_products(double d, double e) { for_each_term({d * d, d * e, e * e}, true); }

 private:
  void for_each_term(const Triple& terms, bool products) {
    for (std::size_t a = 0, at = 0; a < 3; ++a) {
      sum[a] += terms[a];
      if (!products) continue;
      for (std::size_t b = a; b < 3; ++b) product[at++] += terms[a] * terms[b];
    }
  }
};

// The rows [first, last) of packed ones, which have so many entries, unpacked.
SparseRows opened_rows(const PackedRows& rows, Index first, Index last, std::uint64_t entries,
                       const CountRoots& root) {
  SparseRows result;
  result.token.reserve(entries);
  result.value.reserve(entries);
  result.starts.reserve(static_cast<std::size_t>(last - first) + 1);
  result.starts.push_back(0);
  for (Index i = first; i < last; ++i) {
    for_each_in_row(rows.row(i), root, [&](std::size_t token, double value) {
      result.token.push_back(static_cast<std::uint32_t>(token));
      result.value.push_back(value);
    });
    result.starts.push_back(result.token.size());
  }
  return result;
}

// Distances from one row to others; the row lies open, token by token.
class OpenRow {
 public:
  OpenRow(const PositionRows& rows, const Stratum& stratum, const SparseRows& a,
          const SparseRows& b)
      : rows_(rows), stratum_(stratum), a_(a), b_(b), open_(scratch()) {
    open_.resize(static_cast<std::size_t>(rows.tokens()));
  }
  ~OpenRow() { close(); }
  OpenRow(const OpenRow&) = delete;
  OpenRow& operator=(const OpenRow&) = delete;

  void open(Index i) {
    if (i == row_) return;
    close();
    row_ = i;
    for (std::size_t e = start(); e < end(); ++e) open_[a_.token[e]] = a_.value[e];
  }
  double distance_to(Index j) const {
    const auto b = static_cast<std::size_t>(j - stratum_.first_b);
    double product = 0.0;
    for (std::size_t e = b_.starts[b]; e < b_.starts[b + 1]; ++e)
      product += b_.value[e] * open_[b_.token[e]];
    const double squared = 2.0 - 2.0 * rows_.weight(row_) * rows_.weight(j) * product;
    if (squared >= kCloseSquared) return std::sqrt(squared);
    return std::sqrt(squared_difference(a_, static_cast<std::size_t>(row_ - stratum_.first_a),
                                        rows_.weight(row_), b_, b, rows_.weight(j)));
  }

 private:
  static Vector& scratch() {
    thread_local Vector values;
    return values;
  }
  std::size_t start() const { return a_.starts[static_cast<std::size_t>(row_ - stratum_.first_a)]; }
  std::size_t end() const {
    return a_.starts[static_cast<std::size_t>(row_ - stratum_.first_a) + 1];
  }
  void close() {
    if (row_ < 0) return;
    for (std::size_t e = start(); e < end(); ++e) open_[a_.token[e]] = 0.0;
    row_ = -1;
  }

  const PositionRows& rows_;
  const Stratum& stratum_;
  const SparseRows &a_, &b_;
  Vector& open_;
  Index row_ = -1;
};

class Ring {
 public:
  Ring(const PositionRows& rows, Communicator& ranks, std::span<const Distances* const> candidates,
       const PairPlan& plan, std::uint64_t seed, Index threads)
      : rows_(rows),
        ranks_(ranks),
        candidates_(candidates),
        plan_(plan),
        seed_(seed),
        threads_(threads),
        strata_(strata_of(rows)) {}

  // The moments of every stratum and candidate, on every rank.
  std::vector<Moments> run() {
    PackedRows held;
    for (Index round = 0; 2 * round <= ranks_.size(); ++round) {
      if (round > 0) held = passed_on(round == 1 ? rows_.own() : held);
      const PackedRows& other = round == 0 ? rows_.own() : held;
      std::vector<std::size_t> mine;
      for (std::size_t s = 0; s < strata_.size(); ++s)
        if (is_mine(strata_[s], round)) mine.push_back(s);
      const std::size_t before = results_.size();
      results_.resize(before + mine.size() * candidates_.size());
      for_each_item(static_cast<Index>(mine.size()), threads_, [&](Index item) {
        const std::size_t s = mine[static_cast<std::size_t>(item)];
        const std::size_t at = before + static_cast<std::size_t>(item) * candidates_.size();
        measure(s, other, std::span(results_).subspan(at, candidates_.size()));
      });
      done_.insert(done_.end(), mine.begin(), mine.end());
    }
    return gathered();
  }

  std::span<const Stratum> strata() const { return strata_; }

 private:
  Index owner(Index row) const {
    Index rank = 0;
    while (rows_.first_row(rank + 1) <= row) ++rank;
    return rank;
  }

  // In round k this rank holds the rows of the rank that is k further on.
  bool is_mine(const Stratum& stratum, Index round) const {
    if (stratum.pairs() == 0) return false;
    const Index a = owner(stratum.first_a), b = owner(stratum.first_b), size = ranks_.size();
    const bool by_a =
        2 * (b - a) < size || (2 * (b - a) == size && (stratum.a_block + stratum.b_block) % 2 == 0);
    const Index by = by_a ? a : b, ahead = by_a ? b - a : a - b;
    return by == ranks_.rank() && (ahead < 0 ? ahead + size : ahead) == round;
  }

  // What the next rank holds. Odd ranks receive before they send: no circle waits for itself.
  PackedRows passed_on(const PackedRows& mine) {
    const Index size = ranks_.size(), rank = ranks_.rank();
    const Index to = (rank + size - 1) % size, from = (rank + 1) % size;
    std::vector<std::byte> got;
    if (rank % 2 == 1) got = ranks_.receive(from);
    ranks_.send(to, bytes_of_rows(mine));
    if (rank % 2 == 0) got = ranks_.receive(from);
    return rows_of_bytes(got);
  }

  const PackedRows& holder(const PackedRows& other, Index first) const {
    const PackedRows& own = rows_.own();
    return first >= own.first && first < own.last() ? own : other;
  }

  void measure(std::size_t s, const PackedRows& other, std::span<Moments> out) const {
    const Stratum& stratum = strata_[s];
    const SparseRows a = opened_rows(holder(other, stratum.first_a), stratum.first_a,
                                     stratum.last_a, rows_.block_entries(stratum.a_block), root_);
    const SparseRows b = opened_rows(holder(other, stratum.first_b), stratum.first_b,
                                     stratum.last_b, rows_.block_entries(stratum.b_block), root_);
    OpenRow row(rows_, stratum, a, b);
    if (plan_.sampled())
      measure_sample(s, row, out);
    else
      measure_all(stratum, row, out);
  }

  void measure_all(const Stratum& stratum, OpenRow& row, std::span<Moments> out) const {
    Vector target(static_cast<std::size_t>(stratum.rows_a() * stratum.rows_b()));
    const auto for_each_pair = [&](const auto& use) {
      for (Index i = stratum.first_a; i < stratum.last_a; ++i)
        for (Index j = std::max(stratum.first_b, i + 1); j < stratum.last_b; ++j)
          use(i, j,
              static_cast<std::size_t>((i - stratum.first_a) * stratum.rows_b() + j -
                                       stratum.first_b));
    };
    for_each_pair([&](Index i, Index j, std::size_t at) {
      row.open(i);
      target[at] = row.distance_to(j);
    });
    Vector tile(target.size());
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      candidates_[c]->tile(stratum.first_a, stratum.last_a, stratum.first_b, stratum.last_b, tile);
      for_each_pair([&](Index, Index, std::size_t at) { out[c].add(target[at], tile[at]); });
    }
  }

  void measure_sample(std::size_t s, OpenRow& row, std::span<Moments> out) const {
    const Stratum& stratum = strata_[s];
    const Rng rng(seed_, kPairStream + s);
    for (const PositionPair& pair : drawn_pairs(stratum, draws_of(stratum, plan_), rng)) {
      row.open(pair.i);
      const double d = row.distance_to(pair.j);
      for (std::size_t c = 0; c < candidates_.size(); ++c) {
        double e = 0.0;
        candidates_[c]->row(pair.i, pair.j, pair.j + 1, std::span(&e, 1));
        out[c].add_with_products(d, e);
      }
    }
  }

  std::vector<Moments> gathered() const {
    static_assert(std::is_trivially_copyable_v<Moments>);
    const std::size_t each = candidates_.size() * sizeof(Moments), unit = sizeof(std::uint64_t);
    std::vector<std::byte> mine(done_.size() * (unit + each));
    for (std::size_t k = 0; k < done_.size(); ++k) {
      const std::uint64_t s = done_[k];
      std::memcpy(mine.data() + k * (unit + each), &s, unit);
      std::memcpy(mine.data() + k * (unit + each) + unit, results_.data() + k * candidates_.size(),
                  each);
    }
    std::vector<Moments> all(strata_.size() * candidates_.size());
    for (const std::vector<std::byte>& part : ranks_.gather_all(mine)) {
      for (std::size_t at = 0; at < part.size(); at += unit + each) {
        std::uint64_t s = 0;
        std::memcpy(&s, part.data() + at, unit);
        std::memcpy(static_cast<void*>(all.data() + s * candidates_.size()),
                    part.data() + at + unit, each);
      }
    }
    return all;
  }

  const PositionRows& rows_;
  Communicator& ranks_;
  std::span<const Distances* const> candidates_;
  const PairPlan& plan_;
  std::uint64_t seed_;
  Index threads_;
  std::vector<Stratum> strata_;
  CountRoots root_;
  std::vector<std::size_t> done_;
  std::vector<Moments> results_;  // of done_, candidate by candidate
};

// Totals over all pairs, and the covariances of their estimates.
struct Totals {
  Triple sum = {};
  std::array<double, 6> covariance = {};

  void add(const Moments& moments, Index pairs, Index draws, bool sampled) {
    const auto m = static_cast<double>(pairs), p = static_cast<double>(draws);
    for (std::size_t a = 0, at = 0; a < 3; ++a) {
      sum[a] += sampled ? moments.sum[a] * (m / p) : moments.sum[a];
      if (!sampled) continue;
      for (std::size_t b = a; b < 3; ++b, ++at) {
        const double inside =
            (moments.product[at] - moments.sum[a] * moments.sum[b] / p) / (p - 1.0);
        covariance[at] += m * (m / p) * inside;
      }
    }
  }
  // The standard error of a function of the sums with this gradient.
  double error(const Triple& gradient) const {
    double variance = 0.0;
    for (std::size_t a = 0, at = 0; a < 3; ++a)
      for (std::size_t b = a; b < 3; ++b, ++at)
        variance += (a == b ? 1.0 : 2.0) * gradient[a] * gradient[b] * covariance[at];
    return std::sqrt(std::max(variance, 0.0));
  }
};

PairStress stress_of(const Totals& totals) {
  const auto& [dd, de, ee] = totals.sum;
  const PairSums sums{.dd = dd, .ee = ee, .de = de};
  PairStress result{.raw = sums.raw(), .scaled = sums.scaled(), .scale = sums.scale()};
  if (dd > 0.0) result.raw_error = totals.error({(2.0 * de - ee) / (dd * dd), -2.0 / dd, 1.0 / dd});
  if (dd > 0.0 && ee > 0.0) {
    const double kept = (de / dd) * (de / ee);
    result.scaled_error = totals.error({kept / dd, -2.0 * (de / dd) / ee, kept / ee});
  }
  return result;
}

}  // namespace

double pair_stress_bytes(const PositionRows& rows, Index ranks, Index candidates,
                         const PairPlan& plan, Index threads) {
  double thread = 0.0;  // two blocks, and their tile twice or the pairs drawn from it
  const std::vector<Stratum> strata = strata_of(rows);
  for (const Stratum& s : strata) {
    const auto entries = static_cast<double>(rows.block_entries(s.a_block)) +
                         static_cast<double>(rows.block_entries(s.b_block));
    const auto tile =
        static_cast<double>(plan.sampled() ? draws_of(s, plan) : s.rows_a() * s.rows_b());
    thread = std::max(thread, 12.0 * entries + 16.0 * tile +
                                  8.0 * static_cast<double>(s.rows_a() + s.rows_b() + 2));
  }
  thread += 8.0 * static_cast<double>(rows.tokens());  // an open row
  const double moments = static_cast<double>(sizeof(Moments) + sizeof(std::uint64_t)) *
                         static_cast<double>(strata.size()) * static_cast<double>(candidates);
  // Rows that are held, that go and that come: never more than three copies at once.
  const double held = rows.most_packed_bytes() + 8.0 * static_cast<double>(rows.rows() + 1);
  return static_cast<double>(threads) * thread + 4.0 * moments + (ranks > 1 ? 3.0 * held : 0.0);
}

PairStresses pair_stress(const PositionRows& rows, Communicator& ranks,
                         std::span<const Distances* const> candidates, const PairPlan& plan,
                         std::uint64_t seed, Index threads) {
  Ring ring(rows, ranks, candidates, plan, seed, threads);
  const std::vector<Moments> moments = ring.run();
  std::vector<Totals> totals(candidates.size());
  PairStresses result;
  for (std::size_t s = 0; s < ring.strata().size(); ++s) {
    const Stratum& stratum = ring.strata()[s];
    const Index draws = draws_of(stratum, plan);
    result.used += draws;
    if (stratum.pairs() == 0) continue;
    for (std::size_t c = 0; c < candidates.size(); ++c)
      totals[c].add(moments[s * candidates.size() + c], stratum.pairs(), draws, plan.sampled());
  }
  for (const Totals& one : totals) result.rows.push_back(stress_of(one));
  return result;
}

}  // namespace sextant
