// SPDX-License-Identifier: Apache-2.0
#include "cli/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "base/check.h"
#include "base/rounding.h"
#include "base/text.h"
#include "io/csv.h"
#include "io/npy.h"
#include "io/safetensors.h"

namespace sextant::cli {
namespace {

template <typename T>
T read_at(const Table& table, Index i) {
  T value;
  std::memcpy(&value, table.bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

Index count(const std::vector<Index>& shape) {
  return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
}

std::string_view npy_descr(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return "<f8";
    case Dtype::kF32:
      return "<f4";
    case Dtype::kF16:
      return "<f2";
    case Dtype::kBF16:
      return "<u2";
  }
  return "";
}

std::string safetensors_dtype(Dtype dtype) {
  std::string result(name(dtype));
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return result;
}

// A piece of rows at a time: the text of a large table is several times the table.
template <typename T>
void write_csv(AtomicFile& file, const Table& table) {
  constexpr Index kPiece = 1 << 16;
  const Index columns = table.shape.size() < 2 ? 1 : table.shape[1];
  const Index total = count(table.shape);
  const Index piece = std::max(Index{1}, kPiece / columns) * columns;
  std::vector<T> values;
  for (Index first = 0; first < total; first += piece) {
    values.clear();
    for (Index i = first; i < std::min(total, first + piece); ++i)
      values.push_back(static_cast<T>(value_at(table, i)));
    file.write(csv_rows(std::span<const T>(values), columns));
  }
}

// What of an axis is shown: the first and the last, -1 for what is left out between.
std::vector<Index> shown(Index size, Index most) {
  std::vector<Index> result;
  for (Index i = 0; i < size; ++i) {
    if (size <= most || i < most / 2 || i >= size - most / 2) result.push_back(i);
    if (size > most && i == most / 2) result.push_back(-1);
  }
  return result;
}

constexpr int kCellWidth = 11;  // "-1.2346e-05"

// Five digits; + 0.0 takes the sign off a zero.
std::string row_text(const Table& table, Index first, const std::vector<Index>& columns) {
  std::string result;
  for (const Index column : columns) {
    result += column < 0
                  ? "  ..."
                  : fmt::format(" {:>{}.5g}", value_at(table, first + column) + 0.0, kCellWidth);
  }
  return result + "\n";
}

// A matrix that starts at value `first`.
std::string matrix_text(const Table& table, Index first, Index rows, Index columns) {
  constexpr Index kMostRows = 20, kMostColumns = 6;
  const std::vector<Index> columns_shown = shown(columns, kMostColumns);
  const auto label_width = std::to_string(rows - 1).size();
  std::string result = fmt::format("{:{}}", "", label_width);
  for (const Index column : columns_shown) {
    result += column < 0 ? "  ..." : fmt::format(" {:>{}}", column, kCellWidth);
  }
  result += "\n";
  for (const Index row : shown(rows, kMostRows)) {
    result += row < 0 ? fmt::format("{:>{}}\n", "...", std::max<std::size_t>(3, label_width))
                      : fmt::format("{:>{}}", row, label_width) +
                            row_text(table, first + row * columns, columns_shown);
  }
  return result;
}

Json nested(const Table& table, std::size_t axis, Index& next) {
  if (axis == table.shape.size()) return value_at(table, next++);
  Json result = Json::array();
  for (Index i = 0; i < table.shape[axis]; ++i) result.push_back(nested(table, axis + 1, next));
  return result;
}

}  // namespace

TableFormat table_format(const std::filesystem::path& path, std::size_t axes) {
  const std::string extension = path.extension().string();
  if (extension == ".npy") return TableFormat::kNpy;
  if (extension == ".safetensors") return TableFormat::kSafetensors;
  require(extension == ".csv", escaped(path.string()),
          "the name must end in .npy, .safetensors or .csv");
  require(axes <= 2, escaped(path.string()),
          ".csv holds two axes at most but the table has {}; use .npy or .safetensors", axes);
  return TableFormat::kCsv;
}

void refuse_input_as_output(const std::filesystem::path& output,
                            const std::vector<std::string>& inputs) {
  std::error_code none;
  const auto refuse = [&](const std::filesystem::path& input) {
    require(!std::filesystem::equivalent(input, output, none), path_text(output),
            "is an input and must not be the output");
  };
  for (const std::string& input : inputs) {
    const std::filesystem::path path = input.substr(0, input.find('#'));
    refuse(path);
    if (!std::filesystem::is_directory(path, none)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(path, none))
      if (entry.path().extension() == ".safetensors") refuse(entry.path());
  }
}

bool stored_as_bits(TableFormat format, Dtype dtype) {
  return format == TableFormat::kNpy && dtype == Dtype::kBF16;
}

void write_table(AtomicFile& file, TableFormat format, const Table& table, const std::string& name,
                 const std::map<std::string, std::string>& metadata) {
  switch (format) {
    case TableFormat::kNpy:
      file.write(npy_header(npy_descr(table.dtype), table.shape));
      file.write(table.bytes);
      break;
    case TableFormat::kSafetensors: {
      const StoredTensor tensor = {{name, safetensors_dtype(table.dtype), table.shape},
                                   table.bytes};
      write_safetensors(file, std::span(&tensor, 1), metadata);
      break;
    }
    case TableFormat::kCsv:
      if (table.dtype == Dtype::kF64) {
        write_csv<double>(file, table);
      } else {
        write_csv<float>(file, table);
      }
      break;
  }
}

Table table_of(const Matrix& matrix) {
  Table table{.shape = {matrix.rows(), matrix.cols()}, .dtype = Dtype::kF64, .bytes = {}};
  const auto bytes = std::as_bytes(matrix.values());
  table.bytes.assign(bytes.begin(), bytes.end());
  return table;
}

double value_at(const Table& table, Index i) {
  switch (table.dtype) {
    case Dtype::kF64:
      return read_at<double>(table, i);
    case Dtype::kF32:
      return static_cast<double>(read_at<float>(table, i));
    case Dtype::kF16:
      return from_half(read_at<std::uint16_t>(table, i));
    case Dtype::kBF16:
      return from_bfloat16(read_at<std::uint16_t>(table, i));
  }
  return 0.0;
}

std::string shape_text(const std::vector<Index>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string table_text(const Table& table) {
  constexpr Index kMostSlices = 4;
  const std::vector<Index>& shape = table.shape;
  if (shape.size() == 1) return matrix_text(table, 0, shape[0], 1);
  if (shape.size() == 2) return matrix_text(table, 0, shape[0], shape[1]);
  std::string result;
  for (const Index slice : shown(shape[0], kMostSlices)) {
    result += slice < 0 ? "\n...\n"
                        : fmt::format("\n[{}]\n", slice) +
                              matrix_text(table, slice * shape[1] * shape[2], shape[1], shape[2]);
  }
  return result;
}

Json table_json(const Table& table) {
  Index next = 0;
  return nested(table, 0, next);
}

}  // namespace sextant::cli
