// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors_input.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "base/check.h"
#include "base/rounding.h"
#include "base/text.h"
#include "io/input_file.h"
#include "io/json_input.h"

namespace sextant {
namespace {

constexpr std::string_view kExtension = ".safetensors";
constexpr std::uint64_t kLongestHeader = 100000000;  // the format's own limit
constexpr std::size_t kMostTensors = 200000;

struct Entry : TensorHeader {
  std::uint64_t begin = 0, end = 0;  // of the data, from the end of the header
};

Index bytes_per_value(const JsonNode& dtype) {
  constexpr std::pair<std::string_view, Index> kSizes[] = {
      {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"U64", 8}, {"I32", 4},
      {"U32", 4}, {"I16", 2}, {"U16", 2}, {"I8", 1},   {"U8", 1},  {"BOOL", 1}};
  for (const auto& [name, size] : kSizes)
    if (dtype.text() == name) return size;
  dtype.fail_here("unknown dtype '{}'", escaped(dtype.text()));
}

Entry entry_of(const std::string& name, const JsonNode& node) {
  Entry entry{{.name = name, .dtype = node.at("dtype").text(), .shape = {}}};
  Index bytes = bytes_per_value(node.at("dtype"));
  const JsonNode shape = node.at("shape");
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const Index n = shape.at(k).integer();
    if (n < 0 || __builtin_mul_overflow(bytes, n, &bytes))
      shape.fail_here("dimension {} must be positive and the size fit 63 bits", n);
    entry.shape.push_back(n);
  }
  const JsonNode offsets = node.at("data_offsets");
  if (offsets.size() != 2) offsets.fail_here("must be [begin, end]");
  const Index begin = offsets.at(0).integer(), end = offsets.at(1).integer();
  if (begin < 0 || end < begin || end - begin != bytes)
    offsets.fail_here("[{}, {}] does not hold the {} bytes of the shape", begin, end, bytes);
  entry.begin = static_cast<std::uint64_t>(begin);
  entry.end = static_cast<std::uint64_t>(end);
  return entry;
}

// The tensors must follow one another and fill the file.
void check_layout(const std::string& file, std::vector<Entry>& entries, std::uint64_t data) {
  std::ranges::stable_sort(entries, {}, [](const Entry& e) { return std::pair(e.begin, e.end); });
  std::uint64_t at = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != at) {
      fail(ErrorCode::kMalformed, file, "tensor '{}' begins at {} but the one before it ends at {}",
           escaped(entry.name), entry.begin, at);
    }
    at = entry.end;
  }
  if (at != data)
    fail(ErrorCode::kMalformed, file, "tensors take {} bytes but {} follow the header", at, data);
}

std::vector<Entry> entries_of(const InputFile& file, std::uint64_t& header_end) {
  std::uint64_t length = 0;
  if (file.size() < sizeof(length) + 2)
    fail(ErrorCode::kMalformed, file.name(), "{} bytes are no safetensors file", file.size());
  file.read_at(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length < 2 || length > std::min(kLongestHeader, file.size() - sizeof(length)))
    fail(ErrorCode::kMalformed, file.name(), "offset 0: header of {} bytes in a file of {}", length,
         file.size());
  std::string text(length, '\0');
  file.read_at(sizeof(length), std::as_writable_bytes(std::span(text)));
  if (text.front() != '{')
    fail(ErrorCode::kMalformed, file.name(), "offset 8: the header must begin with '{{'");
  const JsonInput json = parse_json(text, file.name());
  std::vector<Entry> entries;
  for (const auto& [name, node] : JsonNode(json, file.name()).members()) {
    if (name == "__metadata__") {
      for (const auto& [key, value] : node.members()) value.text();
      continue;
    }
    if (entries.size() == kMostTensors)
      fail(ErrorCode::kRefused, file.name(), "more than {} tensors", kMostTensors);
    entries.push_back(entry_of(name, node));
  }
  header_end = sizeof(length) + length;
  check_layout(file.name(), entries, file.size() - header_end);
  return entries;
}

const Entry& chosen(const std::vector<Entry>& entries, std::string_view name,
                    const std::string& file) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  if (name.empty() && entries.size() == 1) return entries.front();
  require(!name.empty(), file, "has {} tensors; name one as FILE#tensor", entries.size());
  fail(ErrorCode::kUsage, file, "has no tensor '{}'{}", escaped(name), suggestion(name, names));
}

template <typename Word>
Vector widened(std::span<const std::byte> bytes, double (*value)(Word)) {
  Vector result;
  result.reserve(bytes.size() / sizeof(Word));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof(Word));
    result.push_back(value(word));
  }
  return result;
}

Vector values_of(const Entry& entry, std::span<const std::byte> bytes, const std::string& file) {
  if (entry.dtype == "F64")
    return widened<std::uint64_t>(bytes, [](std::uint64_t w) { return std::bit_cast<double>(w); });
  if (entry.dtype == "F32") {
    return widened<std::uint32_t>(
        bytes, [](std::uint32_t w) { return static_cast<double>(std::bit_cast<float>(w)); });
  }
  if (entry.dtype == "F16") return widened<std::uint16_t>(bytes, from_half);
  if (entry.dtype == "BF16") return widened<std::uint16_t>(bytes, from_bfloat16);
  fail(ErrorCode::kMalformed, file, "tensor '{}' has dtype {}; F64, F32, F16 or BF16 are read",
       escaped(entry.name), entry.dtype);
}

}  // namespace

bool names_safetensors(std::string_view text) {
  const std::string_view file = text.substr(0, text.find('#'));
  return file.ends_with(kExtension);
}

NpyArray read_safetensors(std::string_view text, const NpyOptions& options) {
  const std::size_t hash = text.find('#');
  return read_tensor(text.substr(0, hash),
                     hash == std::string_view::npos ? "" : text.substr(hash + 1), options);
}

std::vector<TensorHeader> read_tensor_headers(const std::filesystem::path& path) {
  const InputFile file{path};
  std::uint64_t header_end = 0;
  const std::vector<Entry> entries = entries_of(file, header_end);
  return {entries.begin(), entries.end()};
}

NpyArray read_tensor(const std::filesystem::path& path, std::string_view name,
                     const NpyOptions& options) {
  const InputFile file{path};
  std::uint64_t header_end = 0;
  const std::vector<Entry> entries = entries_of(file, header_end);
  const Entry& entry = chosen(entries, name, file.name());
  const std::uint64_t size = entry.end - entry.begin;
  // Half-width values take four times their size as doubles.
  if (size > options.max_bytes / 4)
    fail(ErrorCode::kRefused, file.name(), "tensor '{}' has {} bytes", escaped(entry.name), size);
  std::vector<std::byte> bytes(size);
  file.read_at(header_end + entry.begin, bytes);
  file.verify_unchanged();
  NpyArray array{.shape = entry.shape, .values = values_of(entry, bytes, file.name())};
  const auto bad = std::ranges::find_if(array.values, [](double x) { return !std::isfinite(x); });
  if (!options.allow_nonfinite && bad != array.values.end()) {
    fail(ErrorCode::kNumeric, file.name(), "tensor '{}': value {} is not finite",
         escaped(entry.name), bad - array.values.begin());
  }
  return array;
}

NpyArray read_array(std::string_view text, const NpyOptions& options) {
  return names_safetensors(text) ? read_safetensors(text, options) : read_npy(text, options);
}

}  // namespace sextant
