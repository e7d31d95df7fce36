// SPDX-License-Identifier: Apache-2.0
#include "model/table_file.h"

#include <filesystem>

#include "base/check.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/array_input.h"
#include "io/npy_grammar.h"

namespace sextant {

bool names_table(std::string_view text) {
  std::error_code none;
  if (text.ends_with(".npy")) return true;
  const std::size_t hash = text.find('#');
  if (text.substr(0, hash).ends_with(".safetensors")) return true;
  return hash != text.npos && !std::filesystem::exists(text, none);
}

LearnedTable read_learned_table(std::string_view text) {
  NpyOptions options;
  if (const auto available = available_memory()) options.max_bytes = *available / 5 * 4;
  NpyArray array = read_array(text, options);
  LearnedTable table{.name = std::string(text), .dtype = array.dtype, .shape = array.shape};
  std::vector<Index>& shape = array.shape;
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() != 2)
    fail(ErrorCode::kMalformed, path_text(text),
         "a table must have the shape (rows, dim) but has {}", npy_shape_text(table.shape));
  table.rows = shape[0];
  table.dim = shape[1];
  table.values = std::move(array.values);
  return table;
}

}  // namespace sextant
