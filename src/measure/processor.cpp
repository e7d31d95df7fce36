// SPDX-License-Identifier: Apache-2.0
#include "measure/processor.h"

#include <fstream>

namespace sextant {

std::string processor_model(const std::filesystem::path& root) {
  std::ifstream file(root / "proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace sextant
