// SPDX-License-Identifier: Apache-2.0
#include "sextant/model.h"

#include "model/model_files.h"

namespace sextant {

std::string_view name(PositionKind kind) {
  switch (kind) {
    case PositionKind::kNone:
      return "none";
    case PositionKind::kRotary:
      return "rotary";
    case PositionKind::kAlibi:
      return "alibi";
    case PositionKind::kT5:
      return "t5";
    case PositionKind::kLearned:
      return "learned";
    case PositionKind::kSinusoidal:
      return "sinusoidal";
  }
  return "";
}

std::string_view name(Pairing pairing) {
  return pairing == Pairing::kHalf ? "half" : "interleaved";
}

std::string_view name(Engine engine) {
  switch (engine) {
    case Engine::kHuggingFace:
      return "hf";
    case Engine::kLlamaCpp:
      return "llama.cpp";
    case Engine::kVllm:
      return "vllm";
  }
  return "";
}

Model read_model(const std::filesystem::path& path) { return describe(open_model(path)); }

}  // namespace sextant
