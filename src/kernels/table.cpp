// SPDX-License-Identifier: Apache-2.0
#include "sextant/table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include "base/check.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "kernels/table_fill.h"

namespace sextant {
namespace {

// What the encoding has instead, for the message that a table does not exist.
std::string sites_of(const Effects& effects) {
  std::string result;
  const auto add = [&](bool present, std::string_view site) {
    if (present) result += fmt::format("{}{}", result.empty() ? "" : ", ", site);
  };
  add(effects.input.has_value(), "the input");
  add(effects.query_key.has_value(), "query and key");
  add(effects.logit.has_value(), "the logit");
  add(effects.key_offset.has_value(), "terms linear in query and key");
  return result.empty() ? "nothing" : result;
}

// The tables that there are: "cos, sin, inv_freq, matrix".
std::string kinds_of(const Effects& effects) {
  std::string result;
  const auto add = [&](bool present, std::string_view kinds) {
    if (present) result += fmt::format("{}{}", result.empty() ? "" : ", ", kinds);
  };
  add(effects.input.has_value(), "rows");
  add(rotary_ladder(effects).has_value(), "cos, sin, inv_freq");
  add(effects.logit.has_value(), "bias");
  add(effects.query_key.has_value(), "matrix");
  return result.empty() ? "no table at all" : result;
}

void require_table(bool exists, const Effects& effects, TableKind kind, std::string_view where) {
  if (!exists)
    fail(ErrorCode::kUsage, where, "has no {}; it acts on {} and has {}", name(kind),
         sites_of(effects), kinds_of(effects));
}

std::vector<Index> shape_of(const Effects& effects, const TableRequest& request,
                            std::string_view where) {
  const Index n = request.positions.size();
  switch (request.kind) {
    case TableKind::kRows:
      require_table(effects.input.has_value(), effects, request.kind, where);
      return {n, request.extent.dim};
    case TableKind::kCos:
    case TableKind::kSin:
    case TableKind::kInvFreq: {
      const auto ladder = rotary_ladder(effects);
      require_table(ladder.has_value(), effects, request.kind, where);
      const Index pairs = static_cast<Index>(ladder->inv_freq.size());
      if (request.kind == TableKind::kInvFreq) return {pairs};
      return {n, pairs};
    }
    case TableKind::kBias:
      require_table(effects.logit.has_value(), effects, request.kind, where);
      require(request.positions.axes() == 1, where,
              "positions must have one coordinate for a bias but have {}",
              request.positions.axes());
      return {request.extent.heads, n, n};
    case TableKind::kMatrix: {
      require_table(effects.query_key.has_value(), effects, request.kind, where);
      const Index d = effects.query_key->dim();
      return {n, d, d};
    }
  }
  return {};
}

std::uint64_t bytes_of(const std::vector<Index>& shape, Dtype dtype, std::string_view where) {
  Index bytes = bytes_per_value(dtype);
  for (const Index extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      fail(ErrorCode::kRefused, where, "the table must fit 63 bits of bytes");
    }
  }
  return static_cast<std::uint64_t>(bytes);
}

std::vector<std::byte> allocated(std::uint64_t bytes, std::string_view where) {
  try {
    return std::vector<std::byte>(bytes);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  fail(ErrorCode::kRefused, where, "the table must fit the memory but takes {} bytes", bytes);
}

double largest(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return std::numeric_limits<double>::max();
    case Dtype::kF32:
      return static_cast<double>(std::numeric_limits<float>::max());
    case Dtype::kF16:
      return from_half(0x7bff);
    case Dtype::kBF16:
      return from_bfloat16(0x7f7f);
  }
  return 0.0;
}

// The frequency of block `index` on every axis, when at most one axis turns it.
struct PairOnAxis {
  DoubleDouble frequency = 0.0;
  Index axis = 0;
};
std::optional<PairOnAxis> pair_on_axis(const std::vector<OneParameterGroup>& groups,
                                       std::size_t index) {
  PairOnAxis result;
  for (std::size_t axis = 0; axis < groups.size(); ++axis) {
    const DoubleDouble frequency = groups[axis].blocks()[index].frequency;
    if (frequency.high == 0.0) continue;
    if (result.frequency.high != 0.0) return std::nullopt;
    result = {frequency, static_cast<Index>(axis)};
  }
  return result;
}

}  // namespace

std::string_view name(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return "f64";
    case Dtype::kF32:
      return "f32";
    case Dtype::kF16:
      return "f16";
    case Dtype::kBF16:
      return "bf16";
  }
  return {};
}

Index bytes_per_value(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return 8;
    case Dtype::kF32:
      return 4;
    case Dtype::kF16:
    case Dtype::kBF16:
      return 2;
  }
  return 0;
}

std::string_view name(TableKind kind) {
  switch (kind) {
    case TableKind::kRows:
      return "rows";
    case TableKind::kCos:
      return "cos";
    case TableKind::kSin:
      return "sin";
    case TableKind::kInvFreq:
      return "inv_freq";
    case TableKind::kBias:
      return "bias";
    case TableKind::kMatrix:
      return "matrix";
  }
  return {};
}

// Complex blocks in their order, each counted once however long its chain is. The groups of all
// axes must be cut into blocks in the same way, and a pair must turn on one axis at most.
std::optional<RotaryLadder> rotary_ladder(const Effects& effects) {
  if (!effects.query_key) return std::nullopt;
  const std::vector<OneParameterGroup>& groups = effects.query_key->groups;
  const std::size_t blocks = groups.front().blocks().size();
  for (const OneParameterGroup& group : groups) {
    if (group.blocks().size() != blocks) return std::nullopt;
  }
  RotaryLadder ladder;
  ladder.magnitude = effects.query_key->magnitude;
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto complex = [i](const OneParameterGroup& g) { return g.blocks()[i].complex(); };
    if (!std::any_of(groups.begin(), groups.end(), complex)) continue;
    const std::optional<PairOnAxis> pair = pair_on_axis(groups, i);
    if (!pair) return std::nullopt;
    ladder.inv_freq.push_back(pair->frequency);
    ladder.axis.push_back(pair->axis);
  }
  if (ladder.inv_freq.empty()) return std::nullopt;
  return ladder;
}

TableKind default_kind(const Effects& effects) {
  if (effects.input) return TableKind::kRows;
  if (rotary_ladder(effects)) return TableKind::kCos;
  if (effects.logit) return TableKind::kBias;
  return TableKind::kMatrix;
}

std::vector<Index> table_shape(const Effects& effects, const TableRequest& request) {
  return shape_of(effects, request, "table");
}

std::uint64_t table_bytes(const Effects& effects, const TableRequest& request) {
  return bytes_of(table_shape(effects, request), request.dtype, "table");
}

void write_table(const Encoding& encoding, const Effects& effects, const TableRequest& request,
                 std::span<std::byte> out) {
  const std::string& where = encoding.spec();
  if (out.empty()) return;
  switch (request.kind) {
    case TableKind::kRows:
      fill_rows(*effects.input, request.extent.dim, request, where, out);
      break;
    case TableKind::kCos:
    case TableKind::kSin:
    case TableKind::kInvFreq: {
      const RotaryLadder ladder = *rotary_ladder(effects);
      if (request.kind == TableKind::kInvFreq) {
        fill_frequencies(ladder, request.dtype, where, out);
        break;
      }
      const double magnitude = ladder.magnitude.high;
      if (!(std::abs(magnitude) <= largest(request.dtype))) {
        fail(ErrorCode::kNumeric, where, "magnitude {} must be finite in {}", magnitude,
             name(request.dtype));
      }
      const Turn turn = request.kind == TableKind::kCos ? Turn::kCos : Turn::kSin;
      fill_turns(ladder, turn, request, where, out);
      break;
    }
    case TableKind::kBias:
      fill_biases(*effects.logit, request, out);
      break;
    case TableKind::kMatrix:
      fill_matrices(*effects.query_key, request, where, out);
      break;
  }
}

Table make_table(const Encoding& encoding, const TableRequest& request) {
  const std::string& where = encoding.spec();
  check_threads(request.threads);
  const Effects effects = encoding.effects(request.extent);
  Table table;
  table.shape = shape_of(effects, request, where);
  table.dtype = request.dtype;
  table.bytes = allocated(bytes_of(table.shape, request.dtype, where), where);
  write_table(encoding, effects, request, table.bytes);
  return table;
}

}  // namespace sextant
