// SPDX-License-Identifier: Apache-2.0
// make_seeds FOLDER: sound files of each format, and NAME.list with the paths of one target's.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "support/seed_files.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  using namespace sextant;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const std::string header = safetensors_seed().substr(8);
  const std::map<std::string, std::vector<std::string>> seeds = {
      {"gguf", {gguf_seed(), gguf_bytes({}, {}, "", 2)}},
      {"json", {json_seed(), "[]", R"({"model_type": "llama", "rope_theta": 1e4})"}},
      {"npy", {npy_seed(), npy_header(">i2", std::vector<Index>{2}) + "\1\2\3\4"}},
      {"safetensors",
       {safetensors_seed(), header.substr(0, header.rfind('}') + 1),
        R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})"}}};
  for (const auto& [name, files] : seeds) {
    std::ofstream list(folder / (name + ".list"));
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::filesystem::path path = folder / (name + std::to_string(i));
      std::ofstream(path, std::ios::binary) << files[i];
      list << (i == 0 ? "" : ",") << path.string();
    }
  }
}
