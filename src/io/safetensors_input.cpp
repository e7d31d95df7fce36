// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors_input.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "io/bounded_reader.h"
#include "io/foreign_format.h"
#include "io/json_input.h"
#include "io/stored_values.h"

namespace sextant {
namespace {

constexpr std::uint64_t kLongestHeader = 100000000;  // the format's own limit

struct Entry : TensorHeader {
  std::uint64_t begin = 0, end = 0;  // of the data, from the end of the header
};

Index stored_bytes(const JsonNode& node, const TensorHeader& tensor) {
  const std::optional<Index> unit = safetensors_bits(tensor.dtype);
  if (!unit) node.at("dtype").fail_here("unknown dtype '{}'", escaped(tensor.dtype));
  const std::optional<Index> bits = packed_size(*unit, tensor.shape);
  if (!bits) node.at("shape").fail_here("the size must fit 63 bits");
  if (*bits % 8 != 0)
    node.at("shape").fail_here("values of {} must fill whole bytes", tensor.dtype);
  return *bits / 8;
}

Entry entry_of(const std::string& name, const JsonNode& node) {
  Entry entry{{.name = name, .dtype = node.at("dtype").text(), .shape = {}}};
  const JsonNode shape = node.at("shape");
  entry.shape.reserve(shape.size());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const Index n = shape.at(k).integer();
    if (n < 0) shape.fail_here("dimension {} must not be negative", n);
    entry.shape.push_back(n);
  }
  const Index bytes = stored_bytes(node, entry);
  const JsonNode offsets = node.at("data_offsets");
  if (offsets.size() != 2) offsets.fail_here("must be [begin, end]");
  const Index begin = offsets.at(0).integer(), end = offsets.at(1).integer();
  if (begin < 0 || end < begin || end - begin != bytes)
    offsets.fail_here("[{}, {}] does not hold the {} bytes of the shape", begin, end, bytes);
  entry.begin = static_cast<std::uint64_t>(begin);
  entry.end = static_cast<std::uint64_t>(end);
  return entry;
}

// The tensors must follow one another and fill the file. An empty one lies between two.
void check_layout(const BoundedReader& input, std::vector<Entry>& entries) {
  std::ranges::stable_sort(entries, {}, [](const Entry& e) { return std::pair(e.begin, e.end); });
  std::uint64_t at = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != at)
      fail(ErrorCode::kMalformed, input.name(),
           "tensor '{}' begins at {} but the one before it ends at {}", escaped(entry.name),
           entry.begin, at);
    at = entry.end;
  }
  if (at != input.remaining())
    input.fail_at(input.position(), "tensors take {} bytes but {} follow the header", at,
                  input.remaining());
}

JsonInput read_json_header(BoundedReader& input) {
  constexpr std::uint64_t kPrefix = sizeof(std::uint64_t);
  if (input.size() == 0) fail(ErrorCode::kMalformed, input.name(), "empty");
  if (input.size() < kPrefix + 2)
    fail(ErrorCode::kMalformed, input.name(), "{} bytes are no safetensors file", input.size());
  const auto length = input.number<std::uint64_t>("header length");
  if (length < 2 || length > std::min(kLongestHeader, input.remaining())) {
    refuse_foreign_format(input);
    input.fail_at(0, "header of {} bytes in a file of {}", length, input.size());
  }
  const std::string text = input.text(length, "header");
  if (text.front() != '{') {
    refuse_foreign_format(input);
    input.fail_at(kPrefix, "the header must begin with '{{' but begins with '{}'",
                  escaped(text.substr(0, 1)));
  }
  return parse_json(text, input.name());
}

// Leaves the position at the start of the data.
std::vector<Entry> read_entries(BoundedReader& input) {
  const JsonInput json = read_json_header(input);
  std::vector<Entry> entries;
  for (const auto& [name, node] : JsonNode(json, input.name()).members()) {
    if (name == "__metadata__") {
      for (const auto& [key, value] : node.members()) value.text();
      continue;
    }
    if (entries.size() == kMostTensors)
      fail(ErrorCode::kRefused, input.name(), "more than {} tensors", kMostTensors);
    entries.push_back(entry_of(name, node));
  }
  check_layout(input, entries);
  return entries;
}

const Entry& chosen(const std::vector<Entry>& entries, std::string_view name,
                    const std::string& file) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  if (name.empty() && entries.size() == 1) return entries.front();
  fail_tensor_name(file, name, names);
}

}  // namespace

void fail_tensor_name(std::string_view file, std::string_view name,
                      std::span<const std::string> names) {
  require(!name.empty(), file, "has {} tensors; name one as {}#tensor", names.size(), file);
  fail(ErrorCode::kUsage, file, "has no tensor '{}'{}", escaped(name), suggestion(name, names));
}

std::vector<TensorHeader> read_tensor_headers(BoundedReader& input) {
  const std::vector<Entry> entries = read_entries(input);
  return {entries.begin(), entries.end()};
}

NpyArray read_tensor(BoundedReader& input, std::string_view name, const NpyOptions& options) {
  const std::vector<Entry> entries = read_entries(input);
  const Entry& entry = chosen(entries, name, input.name());
  const std::string where = fmt::format("{}: tensor '{}'", input.name(), escaped(entry.name));
  input.skip(entry.begin, "tensors before it");
  return read_values(input, real_type(entry.dtype, where), entry.shape, false, where, options);
}

std::vector<TensorHeader> read_tensor_headers(const std::filesystem::path& path) {
  const InputFile file{path};
  BoundedReader input(file);
  std::vector<TensorHeader> headers = read_tensor_headers(input);
  file.verify_unchanged();
  return headers;
}

NpyArray read_tensor(const std::filesystem::path& path, std::string_view name,
                     const NpyOptions& options) {
  const InputFile file{path};
  BoundedReader input(file);
  NpyArray array = read_tensor(input, name, options);
  file.verify_unchanged();
  return array;
}

}  // namespace sextant
