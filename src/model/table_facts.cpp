// SPDX-License-Identifier: Apache-2.0
#include "model/table_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "math/eigen_map.h"
#include "math/memory_plan.h"
#include "model/row_geometry.h"

namespace sextant {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Rows = Eigen::Map<EigenMatrix>;
using ConstRows = Eigen::Map<const EigenMatrix>;

double median_of(Vector values) {
  const auto middle = values.begin() + static_cast<Index>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2.0;
}

// The signs that a norm gives against all others.
class NormRule {
 public:
  explicit NormRule(const Vector& norms) : median_(median_of(norms)) {
    Vector distances;
    distances.reserve(norms.size());
    for (const double norm : norms) distances.push_back(std::abs(norm - median_));
    deviation_ = kNormal * median_of(std::move(distances));
  }

  bool is_small(double norm) const {
    return norm < median_ / 2.0 && median_ - norm > kDeviations * deviation_;
  }

 private:
  static constexpr double kNormal = 1.4826;  // deviation of a normal law over its median distance
  static constexpr double kDeviations = 6.0;
  double median_;
  double deviation_ = 0.0;
};

double cosine(const ConstRows& rows, const Vector& norms, Index a, Index b) {
  const double product = norms[static_cast<std::size_t>(a)] * norms[static_cast<std::size_t>(b)];
  return product > 0.0 ? rows.row(a).dot(rows.row(b)) / product : kNone;
}

bool is_drawn(const ConstRows& rows, const Vector& norms, Index row) {
  constexpr double kDeviation = 0.02, kCut = 0.0176, kSigmas = 4.0;
  constexpr Index kFewestColumns = 64;
  const auto d = static_cast<double>(rows.cols());
  if (rows.cols() < kFewestColumns) return false;
  const double slack = kSigmas / std::sqrt(2.0 * d);
  const double norm = norms[static_cast<std::size_t>(row)] / std::sqrt(d);
  if (norm < kCut * (1.0 - slack) || norm > kDeviation * (1.0 + slack)) return false;
  for (const Index other : {row - 1, row + 1}) {
    if (other < 0 || other >= rows.rows()) continue;
    if (std::abs(cosine(rows, norms, row, other)) > kSigmas / std::sqrt(d)) return false;
  }
  return true;
}

std::vector<UntrainedRow> untrained_rows(const ConstRows& rows, const Vector& norms) {
  const NormRule rule(norms);
  std::vector<UntrainedRow> result;
  for (Index row = 0; row < rows.rows(); ++row) {
    const double norm = norms[static_cast<std::size_t>(row)];
    if (norm == 0.0) {
      result.push_back({row, norm, UntrainedSign::kZero});
    } else if (rule.is_small(norm)) {
      result.push_back({row, norm, UntrainedSign::kSmall});
    } else if (is_drawn(rows, norms, row)) {
      result.push_back({row, norm, UntrainedSign::kDrawn});
    }
  }
  return result;
}

// Trained rows, or all of them where fewer than two are.
std::vector<Index> rows_to_use(const TableFacts& facts, Index count) {
  std::vector<Index> used;
  used.reserve(static_cast<std::size_t>(count));
  auto next = facts.untrained.begin();
  for (Index row = 0; row < count; ++row) {
    if (!facts.of_all_rows && next != facts.untrained.end() && next->row == row) {
      ++next;
    } else {
      used.push_back(row);
    }
  }
  return used;
}

void add_neighbours(TableFacts& facts, const ConstRows& rows, const std::vector<Index>& used) {
  facts.neighbour_cosines.assign(static_cast<std::size_t>(rows.rows() - 1), kNone);
  Vector known;
  known.reserve(used.size());
  for (std::size_t k = 1; k < used.size(); ++k) {
    const Index row = used[k - 1];
    if (used[k] != row + 1) continue;
    const double value = cosine(rows, facts.norms, row, row + 1);
    facts.neighbour_cosines[static_cast<std::size_t>(row)] = value;
    if (std::isnan(value)) continue;
    known.push_back(value);
    if (!facts.neighbour_least || value < facts.neighbour_least->value)
      facts.neighbour_least = Extreme{row, value};
  }
  if (!known.empty()) facts.neighbour_median = median_of(std::move(known));
}

// Moves the used rows to the front and takes their mean off; returns whether anything is left that
// is more than rounding.
bool centre_in_place(Rows rows, const std::vector<Index>& used) {
  constexpr double kRounding = 1e-24;  // of the squares
  const auto count = static_cast<Index>(used.size());
  for (Index k = 0; k < count; ++k)
    if (used[static_cast<std::size_t>(k)] != k)
      rows.row(k) = rows.row(used[static_cast<std::size_t>(k)]).eval();
  auto kept = rows.topRows(count);
  const double before = kept.squaredNorm();
  const Eigen::RowVectorXd mean = kept.colwise().mean();
  kept.rowwise() -= mean;
  return kept.squaredNorm() > kRounding * before;
}

Vector centred_spectrum(const Eigen::Ref<const EigenMatrix>& kept, std::string_view name) {
  const Index side = std::min(kept.rows(), kept.cols());
  refuse_beyond_memory(name, 2.0 * bytes_of(side, side));  // the eigensolver works on a copy
  Matrix gram(side, side);
  if (kept.rows() <= kept.cols()) {
    as_eigen(gram).noalias() = kept * kept.transpose();
  } else {
    as_eigen(gram).noalias() = kept.transpose() * kept;
  }
  Vector values = eigenvalues(gram);
  for (double& value : values) value = std::max(value, 0.0);
  return values;
}

void add_norms(TableFacts& facts, const ConstRows& rows) {
  facts.norms.reserve(static_cast<std::size_t>(rows.rows()));
  for (Index row = 0; row < rows.rows(); ++row) facts.norms.push_back(rows.row(row).norm());
  const auto [least, greatest] = std::minmax_element(facts.norms.begin(), facts.norms.end());
  facts.least = {least - facts.norms.begin(), *least};
  facts.greatest = {greatest - facts.norms.begin(), *greatest};
  facts.median = median_of(facts.norms);
}

}  // namespace

std::string_view name(UntrainedSign sign) {
  switch (sign) {
    case UntrainedSign::kZero:
      return "zero";
    case UntrainedSign::kSmall:
      return "small";
    case UntrainedSign::kDrawn:
      return "drawn";
  }
  return "";
}

TableFacts table_facts(LearnedTable& table) {
  if (table.rows < 1 || table.dim < 1)
    fail(ErrorCode::kMalformed, escaped(table.name), "a table of {} x {} has no values", table.rows,
         table.dim);
  Vector values = std::exchange(table.values, {});
  const ConstRows rows(values.data(), table.rows, table.dim);
  TableFacts facts;
  add_norms(facts, rows);
  facts.untrained = untrained_rows(rows, facts.norms);
  facts.of_all_rows = table.rows - static_cast<Index>(facts.untrained.size()) < 2;
  const std::vector<Index> used = rows_to_use(facts, table.rows);
  add_neighbours(facts, rows, used);
  const Rows centred(values.data(), table.rows, table.dim);
  if (!centre_in_place(centred, used)) return facts;
  const auto kept = centred.topRows(static_cast<Index>(used.size()));
  facts.spectrum = centred_spectrum(kept, escaped(table.name));
  facts.ranks = ranks(facts.spectrum);
  facts.geometry = row_geometry(kept, used, table.rows);
  return facts;
}

}  // namespace sextant
