// SPDX-License-Identifier: Apache-2.0
#include "sextant/bias.h"

#include <algorithm>

#include "c_api/boundary.h"

struct sextant_bias {
  sextant::BiasRows value;
};

namespace {

sextant::LogitTile tile_of(const sextant_logit_tile& tile) {
  return {.data = tile.data,
          .rows = tile.rows,
          .cols = tile.cols,
          .stride = tile.stride,
          .head = tile.head,
          .first_query = tile.first_query,
          .first_key = tile.first_key};
}

}  // namespace

using namespace sextant::c_api;

sextant_status sextant_bias_make(const char* spec, int64_t heads, int64_t length, int64_t head_dim,
                                 sextant_bias** made) {
  return guarded_make(
      made, [&] { return sextant::BiasRows(&deref(spec, "spec"), heads, length, head_dim); });
}

void sextant_bias_free(sextant_bias* bias) { delete bias; }

sextant_status sextant_bias_add_to(const sextant_bias* bias, const sextant_logit_tile* tile) {
  return guarded([&] { deref(bias, "bias").value.add_to(tile_of(deref(tile, "tile"))); });
}

sextant_status sextant_bias_write(const sextant_bias* bias, const sextant_logit_tile* tile) {
  return guarded([&] { deref(bias, "bias").value.write(tile_of(deref(tile, "tile"))); });
}

sextant_status sextant_bias_fill(const sextant_bias* bias, int64_t first_query, int64_t rows,
                                 int64_t first_key, int64_t cols, float* out, int64_t count,
                                 int64_t threads) {
  return guarded([&] {
    const sextant::BiasRows& values = deref(bias, "bias").value;
    const std::span target(&deref(out, "out"), size_of(count, "count"));
    values.fill(first_query, rows, first_key, cols, target, threads);
  });
}

sextant_status sextant_bias_slopes(const sextant_bias* bias, float* slopes, int64_t count,
                                   int32_t* linear) {
  return guarded([&] {
    const sextant::BiasRows& values = deref(bias, "bias").value;
    deref(slopes, "slopes");
    deref(linear, "linear") = 0;
    sextant::require(count == values.heads(), "count", "must be {}, the heads, but is {}",
                     values.heads(), count);
    const auto found = values.slopes();
    if (!found) return;
    std::ranges::copy(*found, slopes);
    *linear = 1;
  });
}
