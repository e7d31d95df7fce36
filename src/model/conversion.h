// SPDX-License-Identifier: Apache-2.0
// Changing a checkpoint or a cache so that another operator does to it what the first one did.
//
// Both write a copy of the input in which only the values of the named tensors differ: header,
// metadata, types and all other bytes stay. Work is done in blocks; the file is never in memory.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/atomic_file.h"
#include "io/tensor_spans.h"
#include "sextant/model.h"

namespace sextant {

struct ConvertedTensor {
  std::string name = {};
  std::string dtype = {};
  std::vector<Index> shape = {};
  Index heads = 0;  // of the pairing's conversion
};

// ---------------------------------------------------------------------------------------------
// Pairing

struct PairingConversion {
  Pairing to = Pairing::kHalf;
  Index heads = 0;
  Index kv_heads = 0;                     // 0: heads
  Index head_dim = 0;                     // 0: rows of the query projection / heads
  Index rotary_dim = 0;                   // 0: head_dim
  std::vector<std::string> tensors = {};  // empty: by their names, see rotary_rows()
};

// Row j of a head after the conversion is this row before it. The two directions are inverse.
std::vector<Index> converted_rows(Pairing to, Index rotary_dim, Index head_dim);

// Whose heads the rows of a tensor belong to, by its name: q_proj, wq, q_norm ... are the queries',
// k_proj, wk, k_norm ... the keys'. Weights, biases and the outer factor of LoRA count.
enum class RowOwner { kNone, kQuery, kKey, kUnknown };  // kUnknown: of a projection, not understood
RowOwner rotary_rows(std::string_view tensor);

// Permutes rows of queries and keys from the other pairing. Throws kUsage when nothing in the file
// is known to hold them, for fused and quantised projections, and when sizes do not fit.
std::vector<ConvertedTensor> convert_pairing(const std::filesystem::path& input,
                                             const PairingConversion& conversion,
                                             AtomicFile& output);

// ---------------------------------------------------------------------------------------------
// Cached keys

// Orientation is that of all engines: coordinate pair (x, y) of the key at t becomes
// m (x cos - y sin, x sin + y cos) of the angle t w.
struct KeyConversion {
  RotaryOperator from = {}, to = {};
  double offset = 0.0;           // position of the first key
  Vector at = {};                // instead: of each key
  bool allow_nonfinite = false;  // a pair with such a value stays as it is; otherwise kNumeric
};

// The operator of a spec of the catalogue for keys of this width. "none" does not turn anything.
// Throws kUsage for an encoding that does not turn pairs by one position.
RotaryOperator operator_of(const std::string& spec, Index head_dim);

// The tensors of the file to re-rotate: the named ones, or the only one. [.., positions, head_dim],
// F64, F32, F16 or BF16, all of one head_dim. Throws kUsage otherwise.
std::vector<TensorSpan> key_tensors(const std::filesystem::path& input,
                                    const std::vector<std::string>& names);

// Keys as the second operator would have made them: each pair turns by t (w' - w), formed in
// double-double, times m'/m, and is rounded once. Where the pairings differ, coordinates move too.
// Throws kUsage where the operators do not fit the keys or one another, kNumeric for a result that
// the type cannot hold.
std::vector<ConvertedTensor> convert_keys(const std::filesystem::path& input,
                                          const std::vector<TensorSpan>& tensors,
                                          const KeyConversion& conversion, AtomicFile& output);

}  // namespace sextant
