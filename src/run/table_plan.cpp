// SPDX-License-Identifier: Apache-2.0
#include "run/table_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/memory.h"
#include "run/limits.h"
#include "run/word_choice.h"

namespace sextant {
namespace {

constexpr TableKind kKindValues[] = {TableKind::kRows,    TableKind::kCos,  TableKind::kSin,
                                     TableKind::kInvFreq, TableKind::kBias, TableKind::kMatrix};
constexpr Dtype kDtypeValues[] = {Dtype::kF32, Dtype::kF64, Dtype::kF16, Dtype::kBF16};

// The sequence ends after the last position, unless --length says otherwise.
Index sequence_length(const TableWish& wish, const Positions& positions) {
  if (wish.length) return *wish.length;
  double last = 0.0;
  if (positions.consecutive()) {
    last = positions.consecutive()->offset + static_cast<double>(positions.size() - 1);
  } else {
    for (Index i = 0; i < positions.size(); ++i)
      for (Index axis = 0; axis < positions.axes(); ++axis)
        last = std::max(last, positions[i][axis]);
  }
  constexpr double kLongest = 9e15;  // integers of this size are exact in a double
  return std::max(positions.size(),
                  static_cast<Index>(std::clamp(std::floor(last), -1.0, kLongest)) + 1);
}

double memory_budget(const TableWish& wish) {
  constexpr double kShare = 0.8;
  const std::optional<std::uint64_t> available = available_memory();
  double budget = available ? kShare * static_cast<double>(*available) : HUGE_VAL;
  if (wish.memory) budget = std::min(budget, static_cast<double>(*wish.memory));
  return budget;
}

void refuse_beyond(double budget, double bytes, std::string_view what, std::string_view hint) {
  if (bytes <= budget) return;
  fail(ErrorCode::kRefused, "table", "{} needs {}, have {}; {}", what, gigabytes(bytes),
       gigabytes(budget), hint);
}

std::string_view hint_for(TableKind kind) {
  switch (kind) {
    case TableKind::kBias:
      return "use fewer --positions or --heads";
    case TableKind::kMatrix:
      return "use fewer --positions, a smaller --dim, or --what cos";
    default:
      return "use fewer --positions or --dtype bf16";
  }
}

Positions chosen_positions(const TableWish& wish, double budget) {
  if (wish.at) return *wish.at;
  const Index count = wish.positions.value_or(kTablePositions);
  if (wish.what != "inv_freq")
    refuse_beyond(budget, 2.0 * static_cast<double>(count),
                  fmt::format("a table of {} positions", count), "use fewer --positions");
  return Positions::range(count, wish.offset.value_or(0.0));
}

// A basis, the matrix made orthogonal and the work space are dense.
void refuse_wide_map(double budget, Index dim) {
  constexpr double kDenseCopies = 3.0;
  const auto width = static_cast<double>(dim);
  refuse_beyond(budget, kDenseCopies * 8.0 * width * width,
                fmt::format("a map of queries of width {}", dim), "use a smaller --dim");
}

std::string shape_words(const std::vector<Index>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

void check_sizes(const TableWish& wish) {
  require(!wish.spec.empty(), "SPEC",
          "must be given, such as rope or alibi; 'sextant encodings' lists them");
  require_range("--positions", wish.positions, 1, kLargest);
  require_range("--length", wish.length, 1, kLargest);
  require_range("--dim", wish.dim, 1, kMostDim);
  require_range("--heads", wish.heads, 1, kMostHeads);
}

// table_shape() does not know whose table it is.
std::vector<Index> shape_by_name(const TablePlan& plan) {
  try {
    return table_shape(plan.effects, plan.request);
  } catch (const Error& error) {
    const std::string text = error.what();
    fail(error.code(), plan.encoding->spec(), "{}", text.substr(text.find(": ") + 2));
  }
}

}  // namespace

TablePlan plan_table(const TableWish& wish) {
  check_sizes(wish);
  TablePlan plan;
  plan.encoding = encodings().make(wish.spec);
  const Encoding& encoding = *plan.encoding;
  const Sites& sites = encoding.info().sites;
  const std::vector<std::string_view> acts_on = names(sites);
  require(sites.input || sites.query_key || sites.logit, encoding.spec(),
          "has no table: it acts on {}",
          acts_on.empty() ? "none" : fmt::format("{}", fmt::join(acts_on, ", ")));
  const double budget = memory_budget(wish);
  TableRequest& request = plan.request;
  request.positions = chosen_positions(wish, budget);
  request.threads = wish.threads;
  request.extent.dim = wish.dim.value_or(encoding.dim() > 0 ? encoding.dim() : kTableDim);
  request.extent.heads = wish.heads.value_or(encoding.heads() > 0 ? encoding.heads() : kTableHeads);
  request.extent.positions = sequence_length(wish, request.positions);
  if (sites.query_key) refuse_wide_map(budget, request.extent.dim);
  plan.effects = encoding.effects(request.extent);
  request.kind = wish.what.empty() ? default_kind(plan.effects)
                                   : kKindValues[choice("--what", wish.what, kTableWords)];
  if (!wish.dtype.empty()) request.dtype = kDtypeValues[choice("--dtype", wish.dtype, kDtypeWords)];
  const std::vector<Index> shape = shape_by_name(plan);
  const auto bytes = static_cast<double>(table_bytes(plan.effects, request));
  refuse_beyond(
      budget, bytes,
      fmt::format("{} {} in {}", name(request.kind), shape_words(shape), name(request.dtype)),
      hint_for(request.kind));
  return plan;
}

std::string gigabytes(double bytes) {
  const double count = bytes / 1e9;
  return count < 10.0 ? fmt::format("{:.2f} GB", count) : fmt::format("{:.1f} GB", count);
}

}  // namespace sextant
