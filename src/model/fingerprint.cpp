// SPDX-License-Identifier: Apache-2.0
// A hash of what layers do, not of how it is written. Changing what goes in changes the format.
#include <fmt/format.h>

#include <bit>

#include "base/hash.h"
#include "sextant/model.h"

namespace sextant {
namespace {

constexpr std::uint64_t kSeed = 0x736578746E740001;

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value + 0.0);  // one zero
}

std::uint64_t with(std::uint64_t digest, DoubleDouble value) {
  return mixed(mixed(digest, bits(value.high)), bits(value.low));
}

std::uint64_t with(std::uint64_t digest, Index value) {
  return mixed(digest, static_cast<std::uint64_t>(value));
}

std::uint64_t rotary_digest(const Model& model, const LayerGroup& group, Engine engine,
                            std::uint64_t digest) {
  const RotaryOperator rotary = rotary_operator(model, group, engine);
  digest = with(with(digest, rotary.head_dim), static_cast<Index>(rotary.pairing));
  for (const DoubleDouble& frequency : rotary.inv_freq) digest = with(digest, frequency);
  for (const Index section : rotary.sections) digest = with(digest, section);
  if (rotary.interleaved_sections) digest = with(digest, Index{1});
  return with(with(digest, rotary.magnitude), rotary.softmax_factor);
}

std::uint64_t group_digest(const Model& model, const LayerGroup& group, Engine engine) {
  const std::uint64_t digest = with(kSeed, static_cast<Index>(group.kind));
  switch (group.kind) {
    case PositionKind::kRotary:
      return rotary_digest(model, group, engine, digest);
    case PositionKind::kAlibi:
      return with(with(digest, model.heads), DoubleDouble(model.alibi_bias_max));
    case PositionKind::kT5:
      return with(with(with(digest, model.t5_buckets), model.t5_max_distance), model.heads);
    case PositionKind::kLearned:
      return with(with(with(digest, model.hidden), model.first_row), model.max_positions);
    case PositionKind::kSinusoidal:
      return with(with(digest, model.hidden), model.first_row);
    case PositionKind::kNone:
      break;
  }
  return digest;
}

}  // namespace

std::string fingerprint(const Model& model, Engine engine) {
  std::vector<std::uint64_t> of_layer(static_cast<std::size_t>(model.layers));
  std::uint64_t digest = with(kSeed, model.layers);
  for (const LayerGroup& group : model.groups) {
    const std::uint64_t own = group_digest(model, group, engine);
    if (group.layers.empty()) digest = mixed(digest, own);
    for (const Index layer : group.layers)
      if (layer < model.layers) of_layer[static_cast<std::size_t>(layer)] = own;
  }
  for (const std::uint64_t own : of_layer) digest = mixed(digest, own);
  return fmt::format("{:016x}", digest);
}

}  // namespace sextant
