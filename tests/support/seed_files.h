// SPDX-License-Identifier: Apache-2.0
// One small sound file of each format: what is damaged on purpose, and what fuzzing starts from.
#pragma once

#include <string>
#include <vector>

#include "io/npy.h"
#include "io/safetensors.h"
#include "support/gguf_bytes.h"

namespace sextant {

inline std::string npy_seed() {
  return npy_header("<f4", std::vector<Index>{2, 3}) + raw(1.0F) + raw(2.0F) + raw(-3.0F) +
         raw(0.5F) + raw(0.25F) + raw(6.0F);
}

inline std::string safetensors_seed() {
  const std::vector<TensorHeader> tensors = {
      {"wpe", "F32", {2, 1}}, {"none", "F16", {0}}, {"ids", "I64", {1}}, {"packed", "F4", {4}}};
  return safetensors_header(tensors, {{"format", "pt"}}) + raw(1.0F) + raw(-2.0F) +
         raw<std::int64_t>(7) + "\x12\x34";
}

inline std::string gguf_seed() {
  const std::vector<GgufPair> pairs = {
      gguf_text("general.architecture", "llama"),
      gguf_u32("llama.context_length", 8),
      gguf_f32("llama.rope.freq_base", 10000.0F),
      {"flag", 7, std::string(1, '\1')},
      gguf_array("words", 8, 2, gguf_string("a") + gguf_string("bc")),
      gguf_array("sections", 5, 2, raw(1) + raw(-2))};
  const std::vector<GgufEntry> tensors = {{"position_embd.weight", {2, 3}, 0, 0},
                                          {"q", {32}, 8, 32}};
  std::string data;
  for (const float x : {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}) data += raw(x);
  data.resize(32 + 34, '\0');
  return gguf_bytes(pairs, tensors, data);
}

inline std::string json_seed() {
  return R"({"a": [1, -2.5e3, true, null], "\u0062": {"c": "d\n"}, "e": "\ud83d\ude00"})";
}

}  // namespace sextant
