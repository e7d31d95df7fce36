// SPDX-License-Identifier: Apache-2.0
#include "io/foreign_format.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/check.h"
#include "base/text.h"

namespace sextant {
namespace {

constexpr std::array<std::string_view, 10> kForeignExtensions = {
    ".pt", ".pth", ".bin", ".pkl", ".pickle", ".ckpt", ".npz", ".h5", ".hdf5", ".keras"};

struct ForeignMagic {
  std::string_view bytes, name;
};
constexpr std::array<ForeignMagic, 3> kForeignMagics = {
    {{"PK", "a zip archive (.pt, .npz)"}, {"\x89HDF", "HDF5"}, {"\x80", "a pickle"}}};

}  // namespace

void refuse_foreign_format(const std::filesystem::path& path) {
  const std::string extension = lower_ascii(path.extension().string());
  if (std::ranges::find(kForeignExtensions, extension) == kForeignExtensions.end()) return;
  fail(ErrorCode::kMalformed, path_text(path),
       "format not accepted; convert to .npy or .safetensors (docs/model-files.md)");
}

void refuse_foreign_format(const BoundedReader& input) {
  const std::string start = input.start(4);
  for (const auto& [bytes, name] : kForeignMagics)
    if (start.starts_with(bytes))
      input.fail_at(0,
                    "the bytes of {}: format not accepted; convert to .npy or .safetensors "
                    "(docs/model-files.md)",
                    name);
}

}  // namespace sextant
