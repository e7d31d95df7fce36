// SPDX-License-Identifier: Apache-2.0
#include "training/row_history.h"

#include <algorithm>
#include <cassert>

#include "base/check.h"
#include "base/text.h"
#include "io/npy.h"

namespace sextant {

RowHistory read_row_history(const std::filesystem::path& folder) {
  const NpyArray rows = read_npy(folder / "rows.npy");
  const NpyArray steps = read_npy(folder / "rows_steps.npy");
  if (rows.shape.size() != 3 || steps.shape.size() != 1 || rows.shape[0] != steps.shape[0] ||
      rows.shape[0] == 0) {
    fail(ErrorCode::kMalformed, path_text(folder), "rows.npy and rows_steps.npy do not agree");
  }
  RowHistory history;
  const auto size = rows.shape[1] * rows.shape[2];
  for (Index i = 0; i < rows.shape[0]; ++i) {
    Matrix snapshot(rows.shape[1], rows.shape[2]);
    std::copy_n(rows.values.begin() + i * size, size, snapshot.values().begin());
    history.rows.push_back(std::move(snapshot));
    history.steps.push_back(static_cast<Index>(steps.values[static_cast<std::size_t>(i)]));
  }
  return history;
}

std::vector<DistanceMatrix> distance_history(const RowHistory& history) {
  std::vector<DistanceMatrix> result;
  result.reserve(history.rows.size());
  for (const Matrix& rows : history.rows) result.push_back(stored(*distances_of_rows(rows)));
  return result;
}

double least_distance(const DistanceMatrix& distances) {
  return distances.values().empty() ? 0.0 : std::ranges::min(distances.values());
}

TurningPoint turning_point(std::span<const Index> steps, std::span<const double> values) {
  assert(!values.empty() && steps.size() == values.size());
  const auto least = std::ranges::min_element(values);
  return {.step = steps[static_cast<std::size_t>(least - values.begin())],
          .first = values.front(),
          .least = *least,
          .last = values.back()};
}

double OrderCount::share() const {
  return comparable == 0 ? 0.0 : static_cast<double>(discordant) / static_cast<double>(comparable);
}

OrderCount order_violations(std::span<const double> target, std::span<const double> candidate) {
  require(target.size() == candidate.size(), "order", "{} values against {}", target.size(),
          candidate.size());
  OrderCount count;
  for (std::size_t i = 0; i < target.size(); ++i) {
    for (std::size_t j = i + 1; j < target.size(); ++j) {
      if (target[i] == target[j] || candidate[i] == candidate[j]) continue;
      ++count.comparable;
      if ((target[i] < target[j]) != (candidate[i] < candidate[j])) ++count.discordant;
    }
  }
  return count;
}

std::vector<Index> sign_changes(std::span<const DistanceMatrix> history) {
  if (history.empty()) return {};
  std::vector<Index> changes(history.front().values().size(), 0);
  std::vector<double> before(changes.size(), 0.0);  // the last difference that was not 0
  for (std::size_t t = 1; t < history.size(); ++t) {
    for (std::size_t pair = 0; pair < changes.size(); ++pair) {
      const double step = history[t].values()[pair] - history[t - 1].values()[pair];
      if (step == 0.0) continue;
      if (before[pair] * step < 0.0) ++changes[pair];
      before[pair] = step > 0.0 ? 1.0 : -1.0;
    }
  }
  return changes;
}

}  // namespace sextant
