// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors_index.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "io/json_input.h"
#include "io/safetensors_input.h"

namespace sextant {
namespace {

using std::filesystem::path;

constexpr std::uint64_t kLongestIndex = std::uint64_t{64} << 20;

// Tensors and the names of their files, which are plain names in the folder of the index.
using WeightMap = std::map<std::string, std::string>;

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name.find('/') == name.npos &&
         name.find("..") == name.npos && name.find('\0') == name.npos;
}

WeightMap read_index(const path& index) {
  const JsonInput json = read_json(index, kLongestIndex);
  const std::string where = path_text(index);
  WeightMap files;
  const auto members = JsonNode(json, where).at("weight_map").members();
  if (members.size() > kMostTensors)
    fail(ErrorCode::kRefused, where, "more than {} tensors", kMostTensors);
  for (const auto& [tensor, file] : members) {
    if (!is_plain_name(file.text()) || !file.text().ends_with(".safetensors"))
      file.fail_here("must be the plain name of a .safetensors file but is '{}'",
                     escaped(file.text()));
    files.emplace(tensor, file.text());
  }
  return files;
}

bool is_index(const path& file) { return file.native().ends_with(".index.json"); }

// The index or the only file of a model.
path file_of_model(const path& model) {
  std::error_code none;
  if (!std::filesystem::is_directory(model, none)) return model;
  for (const char* name : {"model.safetensors.index.json", "model.safetensors"})
    if (std::filesystem::exists(model / name, none)) return model / name;
  for (const char* name : {"pytorch_model.bin.index.json", "pytorch_model.bin"})
    if (std::filesystem::exists(model / name, none))
      fail(ErrorCode::kMalformed, path_text(model / name),
           "format not accepted; convert to .safetensors (docs/model-files.md)");
  fail(ErrorCode::kUnreadable, path_text(model),
       "holds neither model.safetensors.index.json nor model.safetensors");
}

[[noreturn]] void fail_absent(const path& shard, const std::string& tensor, const path& index) {
  fail(ErrorCode::kMalformed, path_text(shard), "has no tensor '{}', though {} says so",
       escaped(tensor), path_text(index));
}

}  // namespace

std::vector<TensorLocation> locate_tensors(const path& model) {
  const path file = file_of_model(model);
  std::vector<TensorLocation> locations;
  if (!is_index(file)) {
    for (TensorHeader& header : read_tensor_headers(file))
      locations.push_back({.path = file, .header = std::move(header)});
    return locations;
  }
  const path folder = file.parent_path();
  std::map<std::string, std::map<std::string, TensorHeader>> shards;
  for (const auto& [tensor, name] : read_index(file)) {
    const auto [shard, is_new] = shards.try_emplace(name);
    if (is_new)
      for (TensorHeader& header : read_tensor_headers(folder / name))
        shard->second.emplace(header.name, header);
    const auto found = shard->second.find(tensor);
    if (found == shard->second.end()) fail_absent(folder / name, tensor, file);
    locations.push_back({.path = folder / name, .header = found->second});
  }
  return locations;
}

NpyArray read_model_tensor(const path& model, std::string_view name, const NpyOptions& options) {
  const path file = file_of_model(model);
  if (!is_index(file)) return read_tensor(file, name, options);
  const WeightMap files = read_index(file);
  const auto found = files.find(std::string(name));
  if (found == files.end()) {
    std::vector<std::string> names;
    names.reserve(files.size());
    for (const auto& [tensor, shard] : files) names.push_back(tensor);
    fail_tensor_name(path_text(model), name, names);
  }
  const path shard = file.parent_path() / found->second;
  const std::vector<TensorHeader> held = read_tensor_headers(shard);
  if (std::ranges::find(held, name, &TensorHeader::name) == held.end())
    fail_absent(shard, found->first, file);
  return read_tensor(shard, name, options);
}

}  // namespace sextant
