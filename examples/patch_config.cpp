// SPDX-License-Identifier: Apache-2.0
// patch_config MODEL FACTOR: what YaRN by FACTOR would change in a model, and the keys that ask for
// it. MODEL is a config.json, a folder with one, or a GGUF file. Nothing is written.
#include <sextant/error.h>
#include <sextant/model.h>
#include <sextant/rotary.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

void print_change(const sextant::RotaryOperator& before, const sextant::RotaryOperator& after) {
  std::printf("before: %s\nafter:  %s\n", before.spec.c_str(), after.spec.c_str());
  std::printf("factor on cos and sin: %.6f -> %.6f\n", before.magnitude.high, after.magnitude.high);
  std::printf("pair  wavelength before  after\n");
  constexpr double kTurn = 6.283185307179586;
  for (std::size_t i = 0; i < before.inv_freq.size(); ++i) {
    const double was = before.inv_freq[i].high, is = after.inv_freq[i].high;
    if (was != is) std::printf("%4zu  %17.2f  %.2f\n", i, kTurn / was, kTurn / is);
  }
}

// The largest angle by which a key of a cache must turn, in turns, when the rule changes.
void print_cache(const sextant::RotaryOperator& before, const sextant::RotaryOperator& after,
                 sextant::Index last) {
  double largest = 0.0;
  for (std::size_t i = 0; i < before.inv_freq.size(); ++i)
    largest = std::fmax(largest, std::fabs(after.inv_freq[i].high - before.inv_freq[i].high));
  // Exists where the keys of a cache can be turned in place, without the keys as they were.
  const sextant::Rotary change = sextant::Rotary::between(
      sextant::Rotary(before.spec, before.head_dim), sextant::Rotary(after.spec, after.head_dim));
  std::printf("cached keys of %td values can be turned in place, by up to %.0f radians at %td\n",
              change.dim(), largest * static_cast<double>(last), last);
}

int run(const char* path, double factor) {
  const sextant::Model model = sextant::read_model(path);
  for (const sextant::LayerGroup& group : model.groups) {
    std::printf("layers '%s' of %s: %s\n", group.name.c_str(), model.family.c_str(),
                std::string(name(group.kind)).c_str());
    if (group.kind != sextant::PositionKind::kRotary) continue;
    sextant::LayerGroup longer = group;
    longer.rope = {.type = "yarn",
                   .theta = group.rope.theta,
                   .factor = factor,
                   .original = static_cast<double>(model.max_positions),
                   .partial = group.rope.partial};
    const sextant::RotaryOperator before = sextant::rotary_operator(model, group);
    const sextant::RotaryOperator after = sextant::rotary_operator(model, longer);
    print_change(before, after);
    print_cache(before, after, model.max_positions - 1);
    std::printf(
        "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": %g, "
        "\"original_max_position_embeddings\": %td}\n",
        factor, model.max_positions);
  }
  return 0;
}

// 0 for a text that is not a number from its first to its last character.
double number_in(const char* text) {
  char* end = nullptr;
  const double number = std::strtod(text, &end);
  return *end == '\0' ? number : 0.0;
}

}  // namespace

int main(int argc, char** argv) {
  const double factor = argc == 3 ? number_in(argv[2]) : 0.0;
  if (!(factor > 1.0 && std::isfinite(factor))) {
    std::fprintf(stderr, "usage: patch_config MODEL FACTOR    (FACTOR above 1)\n");
    return 2;
  }
  try {
    return run(argv[1], factor);
  } catch (const sextant::Error& error) {
    std::fprintf(stderr, "patch_config: %s\n", error.what());
    return exit_status(error.code());
  }
}
