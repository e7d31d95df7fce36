// SPDX-License-Identifier: Apache-2.0
// make_seeds FOLDER: sound files of each format, and NAME.list with the paths of one target's.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "corpus/counts_file.h"
#include "corpus/positional_counts.h"
#include "support/seed_files.h"

namespace sextant {
namespace {

// One of two shards, without the trailer: counts_fuzz.cpp adds it.
std::string counts_seed(bool finished) {
  CountsFile file;
  file.counts = empty_counts({.positions = 2, .shuffles = 1});
  for (CellCounts* cells : {&file.counts.blocks, &file.counts.shuffled}) {
    for (TokenId token = 0; token < 3; ++token) cells->add(token, token % 2, 0);
    cells->flush();
  }
  file.counts.tokenizer = "words";
  file.counts.runs = {{.run = 1, .group = 2}, {.run = 3, .group = 4, .repeated = true}};
  file.tokens = {"a", "b"};
  file.part.reading = {"--text-column 2"};
  file.part.inputs = {{.size = 8, .fingerprint = 9, .records = 2}};
  file.part.shards = 2;
  file.log = {.crlf = 2, .skipped = 1, .listed = {{.place = {.line = 3}, .what = "bad"}}};
  file.log.skip_bad = 4;
  file.finished = finished;
  const std::vector<std::byte> bytes = counts_bytes(file);
  constexpr std::size_t kTrailer = 16;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size() - kTrailer};
}

}  // namespace
}  // namespace sextant

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  using namespace sextant;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const std::string header = safetensors_seed().substr(8);
  const std::map<std::string, std::vector<std::string>> seeds = {
      {"config",
       {R"({"model_type":"llama","hidden_size":64,"num_attention_heads":4,"rope_theta":1e4,
            "rope_scaling":{"rope_type":"yarn","factor":4,"mscale":1}})",
        R"({"text_config":{"model_type":"gemma3_text","num_hidden_layers":2,"head_dim":8,
            "layer_types":["full_attention","sliding_attention"],"rope_parameters":{
            "full_attention":{"rope_type":"linear","factor":8},"sliding_attention":null}}})",
        R"({"model_type":"smollm3","num_hidden_layers":2,"no_rope_layers":[1,0]})"}},
      {"counts", {counts_seed(true), counts_seed(false)}},
      {"gguf", {gguf_seed(), gguf_bytes({}, {}, "", 2)}},
      {"json", {json_seed(), "[]", R"({"model_type": "llama", "rope_theta": 1e4})"}},
      // A rotation, a bias and a table; all sizes 1 and 2.
      {"kernels",
       {std::string(1, '\0') + std::string(60, '\1'), std::string(1, '\1') + std::string(40, '\2'),
        std::string(1, '\2') + std::string(120, '\1')}},
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
