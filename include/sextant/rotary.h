// SPDX-License-Identifier: Apache-2.0
// Fast, exact rotation of queries and keys, for engines.
//
//   #include <sextant/rotary.h>
//
//   #include <vector>
//
//   int main() {
//     constexpr sextant::Index tokens = 5, heads = 4, dim = 64;
//     std::vector<float> q(tokens * heads * dim, 1.0f), k = q;
//
//     // Once per model: the rule, and exact tables that all heads and layers share.
//     const sextant::Rotary rotary("rope(base=500000)", dim);
//     // Once per batch: what the tokens at positions 131067 .. 131071 receive.
//     const sextant::Turns turns = rotary.range(131067, tokens);
//     // Once per layer.
//     const sextant::HeadsView q_view = sextant::token_major(q.data(), tokens, heads, dim);
//     const sextant::HeadsView k_view = sextant::token_major(k.data(), tokens, heads, dim);
//     apply_to_queries(turns, q_view, q_view);
//     apply_to_keys(turns, k_view, k_view);
//   }
//
// Pairs turn as published and as all engines do: (x, y) at t becomes m (x cos - y sin, x sin + y
// cos) of the angle t w. The pair form of encoding.h is its mirror image, and every logit is the
// same up to that mirror (docs/decisions/0012-kernels-turn-as-published.md).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "sextant/encoding.h"
#include "sextant/table.h"

namespace sextant {

// Positions that kernels take: whole numbers in [0, kPositionEnd). Tables of encoding.h take any
// real number; engines count.
inline constexpr std::int64_t kPositionEnd = std::int64_t{1} << 31;

// Values of the heads of some tokens: value i of head h of token n is element
// n * token_stride + h * head_stride + i. A view does not own anything.
struct HeadsView {
  void* data = nullptr;
  Dtype dtype = Dtype::kF32;  // kF32, kF16 or kBF16
  Index tokens = 0;
  Index heads = 0;
  Index dim = 0;           // values per head; neighbours in memory
  Index token_stride = 0;  // in elements
  Index head_stride = 0;
};

// Contiguous [tokens, heads, dim] and [heads, tokens, dim].
HeadsView token_major(float* data, Index tokens, Index heads, Index dim);
HeadsView head_major(float* data, Index tokens, Index heads, Index dim);

// What the tokens of one batch receive: computed once, used by all heads, layers and threads.
// Holds 4 values for a turning pair of each token at most. Copies share them.
class Turns {
 public:
  Index tokens() const;
  Index dim() const;

 private:
  struct Values;
  explicit Turns(std::shared_ptr<const Values> values) : values_(std::move(values)) {}
  friend class Rotary;
  friend struct TurnsAccess;  // the kernels
  std::shared_ptr<const Values> values_;
};

// A block-diagonal rule for heads of one width: RoPE with all its scalings, partial and in
// sections, xPos, damped rotations, Jordan chains. Immutable; any number of threads may use one.
class Rotary {
 public:
  // A rule that depends on the current length takes it in its spec, as in
  // "rope(scaling=dynamic,factor=2,original=4096,length=8192)". Throws kUsage for an encoding that
  // does not act on queries and keys, or not by blocks (a dense generator, a basis, a saturated
  // chain), and where head_dim does not fit it.
  Rotary(std::string_view spec, Index head_dim);
  Rotary(const Encoding& encoding, Index head_dim);

  // The rule that takes keys turned by `from` to keys turned by `to`, without the keys themselves:
  // each pair turns by t (w' - w), times m'/m. For caches when the scaling changes. Throws kUsage
  // unless both turn the same pairs and nothing but turns.
  static Rotary between(const Rotary& from, const Rotary& to);

  Index dim() const;
  Index axes() const;  // coordinates of a position: 1, or those of a rule with sections

  // Turns of tokens at any positions, in any order: packed documents, left padding, offsets. One
  // number per token, which counts on every axis. The cost does not depend on where they are.
  //
  // `origin` is what positions count from. A shift of both sides leaves every logit as it is;
  // growing and shrinking rules need an origin near their positions.
  //
  // Throws kUsage naming the first position that is not in [0, kPositionEnd), kNumeric naming the
  // first at which a growing rule leaves the range of float, kRefused where the turns do not fit
  // the memory.
  Turns at(std::span<const std::int32_t> positions, std::int64_t origin = 0) const;
  Turns at(std::span<const std::int64_t> positions, std::int64_t origin = 0) const;
  // The same with a coordinate per axis, [tokens, axes()], for rules with sections.
  Turns at_points(std::span<const std::int32_t> points, std::int64_t origin = 0) const;
  Turns at_points(std::span<const std::int64_t> points, std::int64_t origin = 0) const;
  Turns range(std::int64_t first, Index count, std::int64_t origin = 0) const;

 private:
  struct Rule;
  explicit Rotary(std::shared_ptr<const Rule> rule) : rule_(std::move(rule)) {}
  std::shared_ptr<const Rule> rule_;
};

struct ApplyOptions {
  bool backward = false;  // the transposed map: gradients of the input from those of the output
  Index threads = 1;
};

// out = what the side receives, value by value from `in`. In place where `out` is `in` to the
// letter, out of place where the two do not overlap. f32 results are within 1.5e-7 of the pair's
// norm from the exact ones (proven: 1.62e-7 without FMA), f16 and bf16 within 0.51 ulp of the
// pair's larger result. A value that is not finite makes its pair not finite and nothing else.
// Coordinates that do not turn keep their bits, whatever the magnitude.
//
// Throws kUsage naming the argument: null or misaligned data, views of different sizes or types,
// strides that are negative or do not nest (values would overlap), views that overlap in part, f64,
// sizes that overflow.
void apply_to_queries(const Turns& turns, const HeadsView& in, const HeadsView& out,
                      const ApplyOptions& options = {});
void apply_to_keys(const Turns& turns, const HeadsView& in, const HeadsView& out,
                   const ApplyOptions& options = {});

// The same one value at a time in double: the reference, and the only other implementation.
void apply_to_queries_plain(const Turns& turns, const HeadsView& in, const HeadsView& out,
                            const ApplyOptions& options = {});
void apply_to_keys_plain(const Turns& turns, const HeadsView& in, const HeadsView& out,
                         const ApplyOptions& options = {});

}  // namespace sextant
