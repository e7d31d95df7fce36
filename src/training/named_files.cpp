// SPDX-License-Identifier: Apache-2.0
#include "training/named_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "encoding/params.h"
#include "io/input_file.h"

namespace sextant {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSeed = 0x66696C6573000001;
constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;  // bytes read at once

// What is read of a folder: weights, and the tokenizer gpt2.
constexpr const char* kFilesOfFolders[] = {"model.safetensors", "vocab.json", "merges.txt",
                                           "encoder.json", "vocab.bpe"};

void add(std::vector<fs::path>& files, const fs::path& path) {
  std::error_code none;
  if (!fs::is_directory(path, none)) {
    files.push_back(path);
    return;
  }
  for (const char* name : kFilesOfFolders)
    if (fs::exists(path / name, none)) files.push_back(path / name);
}

std::vector<fs::path> files_of(const Trial& trial) {
  std::vector<fs::path> files;
  for (const EncodingSpec::Term& term : EncodingSpec::parse(trial.encoding).terms) {
    const EncodingInfo& info = encodings().info(term.name);
    for (const EncodingSpec::Argument& argument : term.arguments) {
      const ParamInfo* param = find_param(info, argument.key);
      if (param != nullptr && param->kind == ParamKind::kFile)
        add(files, argument.value.substr(0, argument.value.find('#')));  // FILE#TENSOR
    }
  }
  if (!trial.weights.empty()) add(files, trial.weights);
  const std::string& tokenizer = trial.corpus.tokenizer;
  const std::size_t colon = tokenizer.find(':');
  if (!trial.corpus.inputs.empty() && colon != tokenizer.npos)
    add(files, tokenizer.substr(colon + 1));
  return files;
}

std::uint64_t hash_of(const fs::path& path) {
  const InputFile file(path);
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(kPiece, file.size())));
  std::uint64_t result = mixed(kSeed, file.size());
  for (std::uint64_t at = 0; at < file.size(); at += piece.size()) {
    const std::span bytes =
        std::span(piece).first(static_cast<std::size_t>(std::min(kPiece, file.size() - at)));
    file.read_at(at, bytes);
    result = sextant::hash(bytes, result);
  }
  file.verify_unchanged();
  return result;
}

}  // namespace

std::string NamedFiles::hash(const Trial& trial) {
  const std::vector<fs::path> files = files_of(trial);
  if (files.empty()) return {};
  std::uint64_t result = kSeed;
  for (const fs::path& file : files) {
    auto found = known_.find(file);
    if (found == known_.end()) found = known_.emplace(file, hash_of(file)).first;
    result = mixed(result, found->second);
  }
  return fmt::format("{:016x}", result);
}

}  // namespace sextant
