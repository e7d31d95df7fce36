// SPDX-License-Identifier: Apache-2.0
#include "cli/map_files.h"

#include <algorithm>

#include "base/text.h"
#include "io/array_input.h"
#include "sextant/registry.h"

namespace sextant::cli {

bool names_array(std::string_view text) {
  const std::string_view before_colon = text.substr(0, text.find(':'));
  const std::vector<std::string> names = encodings().names();
  if (before_colon.size() < text.size() && std::ranges::find(names, before_colon) != names.end())
    return false;  // NAME:FILE is a spec
  return text.ends_with(".npy") || (names_tensor_file(text) && text.find('(') == text.npos);
}

std::vector<Matrix> read_generators(const std::string& file) {
  return generators_of(read_array(file), path_text(file));
}

MapSamples read_maps(const std::string& f, const std::string& g, const std::string& at) {
  std::optional<Positions> positions;
  const NpyArray of_f = read_array(f), of_g = read_array(g);
  if (!at.empty()) positions = read_positions(at);
  return maps_of(of_f, path_text(f), of_g, path_text(g), positions);
}

KernelSamples read_kernel(const std::string& file, bool two_sided) {
  return kernel_of(read_array(file), two_sided, path_text(file));
}

Positions read_positions(const std::string& file) {
  return positions_of(read_array(file), path_text(file));
}

}  // namespace sextant::cli
