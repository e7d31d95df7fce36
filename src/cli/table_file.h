// SPDX-License-Identifier: Apache-2.0
// Tables as files and as text on a terminal.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/atomic_file.h"
#include "io/json.h"
#include "sextant/table.h"

namespace sextant::cli {

enum class TableFormat { kNpy, kSafetensors, kCsv };

// By extension. Throws kUsage for another one, and for CSV with more than two axes.
TableFormat table_format(const std::filesystem::path& path, std::size_t axes);

// Throws kUsage where `output` is the file of an input, under whatever name. "FILE#tensor" is FILE;
// a folder is each of its .safetensors files.
void refuse_input_as_output(const std::filesystem::path& output,
                            const std::vector<std::string>& inputs);

// .npy has no bfloat16; its values are stored as their bit patterns.
bool stored_as_bits(TableFormat format, Dtype dtype);

// Writes all of it; the caller commits. `name` and `metadata` are for formats that hold them.
void write_table(AtomicFile& file, TableFormat format, const Table& table, const std::string& name,
                 const std::map<std::string, std::string>& metadata);

Table table_of(const Matrix& matrix);  // in f64

// Value i as a double, exactly.
double value_at(const Table& table, Index i);

// "[8, 64, 64]".
std::string shape_text(const std::vector<Index>& shape);

// Rows and columns in line, the middle left out where there is too much of it.
std::string table_text(const Table& table);

// Nested as the shape is.
Json table_json(const Table& table);

}  // namespace sextant::cli
