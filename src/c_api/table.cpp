// SPDX-License-Identifier: Apache-2.0
#include "sextant/table.h"

#include <algorithm>

#include "base/parallel.h"
#include "c_api/boundary.h"
#include "kernels/table_fill.h"
#include "sextant/registry.h"

// Everything that is known before the numbers are made.
struct sextant_table {
  std::unique_ptr<const sextant::Encoding> encoding;
  sextant::TableRequest request;
  sextant::Effects effects;
};

namespace sextant::c_api {
namespace {

TableKind kind_of(int32_t kind) {
  switch (kind) {
    case SEXTANT_ROWS:
      return TableKind::kRows;
    case SEXTANT_COS:
      return TableKind::kCos;
    case SEXTANT_SIN:
      return TableKind::kSin;
    case SEXTANT_INV_FREQ:
      return TableKind::kInvFreq;
    case SEXTANT_BIAS:
      return TableKind::kBias;
    case SEXTANT_MATRIX:
      return TableKind::kMatrix;
    default:
      fail(ErrorCode::kUsage, "kind", "must be {} to {} but is {}", int{SEXTANT_ROWS},
           int{SEXTANT_MATRIX}, kind);
  }
}

// Checks the request as a whole: the encoding has such a table, and its size is a number.
sextant_table table_of(const sextant_table_request* asked, Positions positions) {
  const sextant_table_request& request = deref(asked, "request");
  sextant_table table;
  table.encoding = encodings().make(&deref(request.spec, "spec"));
  table.request = {
      .kind = kind_of(request.kind),
      .positions = std::move(positions),
      .extent = {.positions = request.length, .dim = request.dim, .heads = request.heads},
      .dtype = dtype_of(request.dtype)};
  table.effects = table.encoding->effects(table.request.extent);
  table_bytes(table.effects, table.request);
  return table;
}

Matrix coordinates_of(const double* positions, int64_t count, int64_t axes) {
  deref(positions, "positions");
  require(axes >= 1 && axes <= kMaxAxes, "axes", "must be 1 to {} but is {}", kMaxAxes, axes);
  constexpr int64_t kMost = int64_t{1} << 53;
  require(count >= 0 && count <= kMost, "count", "must be 0 to {} but is {}", kMost, count);
  Matrix coordinates(count, axes);
  std::copy_n(positions, count * axes, coordinates.values().begin());
  return coordinates;
}

}  // namespace
}  // namespace sextant::c_api

using namespace sextant::c_api;

sextant_status sextant_table_range(const sextant_table_request* request, double first,
                                   int64_t count, sextant_table** made) {
  return guarded_make(made,
                      [&] { return table_of(request, sextant::Positions::range(count, first)); });
}

sextant_status sextant_table_at(const sextant_table_request* request, const double* positions,
                                int64_t count, int64_t axes, sextant_table** made) {
  return guarded_make(made, [&] {
    return table_of(request, sextant::Positions::from(coordinates_of(positions, count, axes)));
  });
}

void sextant_table_free(sextant_table* table) { delete table; }

sextant_status sextant_table_shape(const sextant_table* table, int64_t shape[3], int32_t* rank) {
  return guarded([&] {
    const sextant_table& asked = deref(table, "table");
    deref(shape, "shape");
    deref(rank, "rank");
    const std::vector<sextant::Index> sizes = sextant::table_shape(asked.effects, asked.request);
    std::fill_n(shape, 3, 1);
    std::ranges::copy(sizes, shape);
    *rank = static_cast<int32_t>(sizes.size());
  });
}

sextant_status sextant_table_bytes(const sextant_table* table, uint64_t* bytes) {
  return guarded([&] {
    const sextant_table& asked = deref(table, "table");
    deref(bytes, "bytes") = sextant::table_bytes(asked.effects, asked.request);
  });
}

sextant_status sextant_table_write(const sextant_table* table, void* out, uint64_t bytes,
                                   int64_t threads) {
  return guarded([&] {
    const sextant_table& asked = deref(table, "table");
    const auto width = static_cast<std::size_t>(sextant::bytes_per_value(asked.request.dtype));
    auto* const target = static_cast<std::byte*>(aligned(out, width, "out"));
    sextant::check_threads(threads);
    const uint64_t needed = sextant::table_bytes(asked.effects, asked.request);
    sextant::require(bytes == needed, "bytes", "must be {} but is {}", needed, bytes);
    sextant::TableRequest request = asked.request;
    request.threads = threads;
    sextant::write_table(*asked.encoding, asked.effects, request, {target, bytes});
  });
}
