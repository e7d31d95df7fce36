// SPDX-License-Identifier: Apache-2.0
#include "io/array_input.h"

#include <filesystem>
#include <system_error>

#include "io/foreign_format.h"
#include "io/gguf.h"
#include "io/safetensors_index.h"

namespace sextant {
namespace {

struct NamedTensor {
  std::string_view file, tensor;
};

NamedTensor split_name(std::string_view text) {
  const std::size_t hash = text.find('#');
  if (hash == text.npos) return {text, ""};
  return {text.substr(0, hash), text.substr(hash + 1)};
}

}  // namespace

bool names_tensor_file(std::string_view text) {
  const std::string_view file = split_name(text).file;
  return file.ends_with(".safetensors") || file.ends_with(".gguf");
}

NpyArray read_array(std::string_view text, const NpyOptions& options) {
  const auto [file, tensor] = split_name(text);
  if (file.ends_with(".gguf")) return read_gguf_tensor(file, tensor, options);
  std::error_code none;
  const bool is_model = file.ends_with(".safetensors") || file.ends_with(".index.json") ||
                        std::filesystem::is_directory(file, none);
  if (is_model) return read_model_tensor(file, tensor, options);
  refuse_foreign_format(std::filesystem::path(file));
  return read_npy(text, options);
}

}  // namespace sextant
