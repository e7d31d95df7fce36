// SPDX-License-Identifier: Apache-2.0
#include "model/model_files.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "io/foreign_format.h"

namespace sextant {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostConfigBytes = std::uint64_t{4} << 20;

// Tables by the names that the families give them.
constexpr std::string_view kTableNames[] = {"wpe.weight",
                                            "position_embeddings.weight",
                                            "embed_positions.weight",
                                            "position_embedding.weight",
                                            "position_embeddings",
                                            "positional_embedding",
                                            "pos_embed"};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

JsonFile json_file(const fs::path& path) {
  return {path_text(path), read_json(path, kMostConfigBytes)};
}

std::vector<fs::path> gguf_files(const fs::path& folder) {
  std::error_code code;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code))
    if (lower_ascii(entry->path().extension().string()) == ".gguf") found.push_back(entry->path());
  if (code) fail(ErrorCode::kUnreadable, path_text(folder), "{}", code.message());
  std::sort(found.begin(), found.end());
  return found;
}

void open_beside(const fs::path& folder, ModelFiles& files) {
  if (is_there(folder / "tokenizer_config.json"))
    files.tokenizer_config = json_file(folder / "tokenizer_config.json");
  for (const char* name : {"vocab.txt", "vocab.json"})
    if (!files.vocabulary && is_there(folder / name)) files.vocabulary = folder / name;
  if (is_there(folder / "model.safetensors.index.json") || is_there(folder / "model.safetensors"))
    files.tensors = locate_tensors(folder);
}

void open_folder(const fs::path& folder, bool alone, ModelFiles& files) {
  const std::vector<fs::path> ggufs = gguf_files(folder);
  if (is_there(folder / "config.json")) files.config = json_file(folder / "config.json");
  require(files.config || !ggufs.empty(), files.name,
          "a folder of a model must hold config.json or a .gguf file");
  require(files.config || ggufs.size() == 1, files.name, "holds {} .gguf files; name one of them",
          ggufs.size());
  if (ggufs.size() == 1) {
    files.gguf = read_gguf(ggufs.front());
    files.gguf_path = ggufs.front();
  }
  if (!alone) open_beside(folder, files);
}

// Rows of the learned table among the tensors: the one whose name ends like one.
Index rows_of_table(const std::vector<TensorLocation>& tensors) {
  for (const std::string_view ending : kTableNames)
    for (const TensorLocation& tensor : tensors) {
      const std::string_view name = tensor.header.name;
      const bool named = name == ending || (name.size() > ending.size() && name.ends_with(ending) &&
                                            name[name.size() - ending.size() - 1] == '.');
      const auto& shape = tensor.header.shape;
      if (named && shape.size() >= 2) return shape[shape.size() - 2];
    }
  return 0;
}

}  // namespace

ModelFiles open_model(const std::filesystem::path& path, bool alone) {
  ModelFiles files{.path = path, .name = path_text(path)};
  std::error_code ignored;
  const std::string extension = lower_ascii(path.extension().string());
  if (fs::is_directory(path, ignored)) {
    open_folder(path, alone, files);
  } else if (extension == ".gguf") {
    files.gguf = read_gguf(path);
    files.gguf_path = path;
  } else {
    refuse_foreign_format(path);
    files.config = json_file(path);
    if (!alone) open_beside(path.parent_path(), files);
  }
  return files;
}

Model describe(const ModelFiles& files) {
  Model model =
      files.config ? describe_config(*files.config)
                   : describe_gguf(files.gguf.value(), path_text(files.gguf_path), files.gguf_path);
  if (model.table_rows == 0 && model.groups.front().kind == PositionKind::kLearned)
    model.table_rows = rows_of_table(files.tensors);
  return model;
}

}  // namespace sextant
