// SPDX-License-Identifier: Apache-2.0
#include "lab/trial_files.h"

#include <fmt/format.h>

#include <span>

#include "io/atomic_file.h"
#include "io/json.h"
#include "io/npy.h"

namespace sextant {
namespace {

std::string_view npy_type(const torch::Tensor& tensor) {
  if (tensor.scalar_type() == torch::kFloat) return "<f4";
  return tensor.scalar_type() == torch::kDouble ? "<f8" : "<i8";
}

void write_array(const std::filesystem::path& path, std::string_view type,
                 std::span<const Index> shape, std::span<const std::byte> bytes) {
  AtomicFile file(path, AtomicFile::Existing::kReplace);
  file.write(npy_header(type, shape));
  file.write(bytes);
  file.commit();
}

}  // namespace

void write_npy(const std::filesystem::path& path, const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.detach().cpu().contiguous();
  const std::vector<Index> shape(values.sizes().begin(), values.sizes().end());
  write_array(path, npy_type(values), shape,
              std::as_bytes(std::span(static_cast<const char*>(values.data_ptr()),
                                      static_cast<std::size_t>(values.nbytes()))));
}

void write_kept_rows(const std::filesystem::path& folder, const TrainingProgress& progress) {
  write_npy(folder / "rows.npy", torch::stack(progress.kept_rows));
  const std::vector<std::int64_t> steps(progress.kept_steps.begin(), progress.kept_steps.end());
  write_npy(folder / "rows_steps.npy", torch::tensor(steps, torch::kLong));
}

void write_learned(const std::filesystem::path& folder, const EncodingModule& encoding) {
  Json terms = Json::array();
  for (const EncodingModule::Trained& trained : encoding.trained()) {
    EncodingSpec spec = EncodingSpec::parse(trained.encoding);
    Json files = Json::object();
    for (const auto& [parameter, tensor] : trained.values) {
      const std::string name = fmt::format("learned_{}_{}.npy", terms.size(), parameter);
      write_array(folder / name, "<f8", tensor.shape, std::as_bytes(std::span(tensor.values)));
      files[parameter] = name;
      std::erase_if(spec.terms.front().arguments,
                    [&key = parameter](const auto& argument) { return argument.key == key; });
      spec.terms.front().arguments.push_back({.key = parameter, .value = (folder / name).string()});
    }
    terms.push_back({{"spec", spec.text()}, {"files", std::move(files)}});
  }
  if (!terms.empty()) write_file(folder / "learned.json", to_text(terms));
}

}  // namespace sextant
