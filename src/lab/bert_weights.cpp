// SPDX-License-Identifier: Apache-2.0
#include "lab/bert_weights.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "encoding/params.h"
#include "io/safetensors_input.h"

namespace sextant {
namespace {

constexpr const char* kFileName = "model.safetensors";
constexpr std::size_t kMostFaults = 10;  // named in one message

// Where a part of the model is in the file.
struct Source {
  std::string_view part, name;
  bool head = false;   // of the task: may be missing
  bool table = false;  // of rows: the file may have more
};
constexpr Source kParts[] = {
    {.part = "embedding", .name = "embeddings.word_embeddings", .table = true},
    {.part = "token_type", .name = "embeddings.token_type_embeddings", .table = true},
    {.part = "embedding_norm", .name = "embeddings.LayerNorm"},
    {.part = "pooler", .name = "pooler.dense", .head = true},
    {.part = "readout", .name = "classifier", .head = true},
    {.part = "transform", .name = "cls.predictions.transform.dense", .head = true},
    {.part = "transform_norm", .name = "cls.predictions.transform.LayerNorm", .head = true},
};
constexpr Source kLayerParts[] = {
    {.part = "query", .name = "attention.self.query"},
    {.part = "key", .name = "attention.self.key"},
    {.part = "value", .name = "attention.self.value"},
    {.part = "output", .name = "attention.output.dense"},
    {.part = "attention_norm", .name = "attention.output.LayerNorm"},
    {.part = "up", .name = "intermediate.dense"},
    {.part = "down", .name = "output.dense"},
    {.part = "feed_forward_norm", .name = "output.LayerNorm"},
};

const Source* find_part(std::span<const Source> parts, std::string_view part) {
  const auto found = std::ranges::find(parts, part, &Source::part);
  return found == parts.end() ? nullptr : &*found;
}

// A parameter of the model and its name in the file, without "bert.".
struct Wanted {
  std::string own, name;
  torch::Tensor target;
  bool head = false, table = false;
};

// "embedding_norm.weight" is embeddings.LayerNorm.weight, and "layers.3.up.bias" is
// encoder.layer.3.intermediate.dense.bias. nullopt: the file knows nothing of it.
std::optional<Wanted> wanted(const std::string& own, const torch::Tensor& target) {
  if (own == "decoder_bias")
    return Wanted{
        .own = own, .name = "cls.predictions.bias", .target = target, .head = true, .table = true};
  const std::vector<std::string_view> words = split(own, '.');
  if (words.size() == 4 && words[0] == "layers") {
    if (const Source* source = find_part(kLayerParts, words[2]))
      return Wanted{.own = own,
                    .name = fmt::format("encoder.layer.{}.{}.{}", words[1], source->name, words[3]),
                    .target = target};
  }
  if (words.size() != 2) return std::nullopt;
  const Source* source = find_part(kParts, words[0]);
  if (source == nullptr) return std::nullopt;
  return Wanted{.own = own,
                .name = fmt::format("{}.{}", source->name, words[1]),
                .target = target,
                .head = source->head,
                .table = source->table};
}

// The parameter that the table of positions belongs to; empty: there is none.
std::string position_parameter(const std::string& encoding) {
  const std::vector<EncodingSpec::Term> terms = EncodingSpec::parse(encoding).terms;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (terms[i].name == "learned" && !sets(terms[i], "file"))
      return fmt::format("encoding.learned_{}.file", i);
  return {};
}

std::vector<Wanted> wanted_of(const TransformerModule& model, const std::string& encoding) {
  const std::string positions = position_parameter(encoding);
  std::vector<Wanted> result;
  for (const auto& item : model.named_parameters()) {
    if (item.key() == positions) {
      result.push_back({.own = positions,
                        .name = "embeddings.position_embeddings.weight",
                        .target = item.value(),
                        .table = true});
    } else if (std::optional<Wanted> found = wanted(item.key(), item.value())) {
      result.push_back(*std::move(found));
    }
  }
  return result;
}

std::string old_name(std::string name) {
  for (const auto& [now, old] :
       {std::pair("LayerNorm.weight", "LayerNorm.gamma"), {"LayerNorm.bias", "LayerNorm.beta"}})
    if (name.ends_with(now)) return name.replace(name.rfind(now), std::string::npos, old);
  return name;
}

const TensorHeader* find_tensor(const std::vector<TensorHeader>& tensors, const std::string& name) {
  for (const char* prefix : {"bert.", ""})
    for (const std::string& each : {name, old_name(name)}) {
      const auto found = std::ranges::find(tensors, prefix + each, &TensorHeader::name);
      if (found != tensors.end()) return &*found;
    }
  return nullptr;
}

bool fits(const TensorHeader& tensor, const Wanted& place) {
  const auto sizes = place.target.sizes();
  if (tensor.shape.size() != sizes.size()) return false;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const bool enough = k == 0 && place.table && tensor.shape[k] > sizes[k];
    if (tensor.shape[k] != sizes[k] && !enough) return false;
  }
  return true;
}

std::filesystem::path file_of(const std::filesystem::path& path) {
  std::error_code none;
  return std::filesystem::is_directory(path, none) ? path / kFileName : path;
}

std::string listed(const std::set<std::string_view>& names) {
  std::vector<std::string> shown;
  for (const std::string_view name : names)
    if (shown.size() < kMostFaults) shown.push_back(escaped(name));
  const std::size_t more = names.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

class BertFile {
 public:
  explicit BertFile(const std::filesystem::path& path)
      : path_(file_of(path)), where_(path_text(path_)), tensors_(read_tensor_headers(path_)) {}

  void match(std::vector<Wanted> places) {
    std::vector<std::string> faults;
    for (Wanted& place : places) {
      const TensorHeader* tensor = find_tensor(tensors_, place.name);
      if (tensor != nullptr && fits(*tensor, place)) {
        matches_.push_back({.tensor = tensor, .place = std::move(place)});
      } else if (place.head && (tensor == nullptr || place.own.starts_with("readout."))) {
        // A classifier of other labels is no fault.
        drawn_.push_back(place.own);
      } else if (tensor == nullptr) {
        faults.push_back(fmt::format("'{}' is missing", place.name));
      } else {
        faults.push_back(fmt::format("'{}' is [{}] but the model needs [{}]{}",
                                     escaped(tensor->name), fmt::join(tensor->shape, ", "),
                                     fmt::join(place.target.sizes().vec(), ", "),
                                     place.table ? " or more rows" : ""));
      }
    }
    if (faults.empty()) return;
    const std::size_t more = faults.size() - std::min(faults.size(), kMostFaults);
    faults.resize(faults.size() - more);
    fail(ErrorCode::kUsage, where_, "{}{}", fmt::join(faults, "; "),
         more > 0 ? fmt::format("; and {} more", more) : "");
  }

  void load() const {
    const torch::NoGradGuard no_gradients;
    for (const auto& [tensor, place] : matches_) {
      const NpyArray array = read_tensor(path_, tensor->name);
      torch::Tensor target = place.target;
      target.copy_(
          to_torch(array.values, target.options()).view(array.shape).slice(0, 0, target.size(0)));
    }
  }

  std::vector<std::string> notes() const {
    std::set<std::string_view> unused;
    for (const TensorHeader& tensor : tensors_) unused.insert(tensor.name);
    std::vector<std::string> result;
    for (const auto& [tensor, place] : matches_) {
      unused.erase(tensor->name);
      if (place.own == "embedding.weight" && tensor->shape[0] != place.target.size(0))
        result.push_back(
            fmt::format("{}: {} rows of words for a vocabulary of {}: the first are "
                        "used; is it the vocabulary of these weights?",
                        where_, tensor->shape[0], place.target.size(0)));
    }
    if (!unused.empty()) result.push_back(fmt::format("{}: not used: {}", where_, listed(unused)));
    if (!drawn_.empty())
      result.push_back(
          fmt::format("{}: not there, hence drawn: {}", where_, fmt::join(drawn_, ", ")));
    return result;
  }

 private:
  struct Match {
    const TensorHeader* tensor;
    Wanted place;
  };
  std::filesystem::path path_;
  std::string where_;
  std::vector<TensorHeader> tensors_;
  std::vector<Match> matches_;
  std::vector<std::string> drawn_;  // parameters of the head that the file does not have
};

}  // namespace

std::vector<std::string> load_bert(TransformerModule& model, const Trial& trial) {
  BertFile file(trial.weights);
  file.match(wanted_of(model, trial.encoding));
  file.load();
  return file.notes();
}

}  // namespace sextant
