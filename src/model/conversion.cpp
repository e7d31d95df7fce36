// SPDX-License-Identifier: Apache-2.0
// The pairing of projections: rows of one head in another order, moved as bytes.
#include "model/conversion.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/check.h"
#include "base/text.h"
#include "encoding/rotary.h"
#include "io/input_file.h"

namespace sextant {
namespace {

constexpr std::uint64_t kPermutedBytes = std::uint64_t{1} << 22;  // of one head read at once

// A tensor whose rows come in heads of head_dim each.
struct RowsInHeads {
  TensorSpan span;
  Index heads = 0;
};

bool is_named(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> ends) {
  return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

std::string in_file(const std::filesystem::path& input, const std::string& tensor) {
  return fmt::format("{}: tensor '{}'", path_text(input), escaped(tensor));
}

// What the names in a file with other projections say about why they are not converted.
std::string_view missing_reason(const std::vector<TensorSpan>& spans) {
  for (const TensorSpan& span : spans) {
    const std::string_view name = span.header.name;
    if (name.find("qkv") != name.npos || name.find("query_key_value") != name.npos ||
        name.find("c_attn") != name.npos)
      return "; its projections are fused: split them first";
    if (name.find("kv_a_proj") != name.npos)
      return "; the rotated part of latent attention lies in fused projections: split them first";
  }
  return "";
}

Index rows_of(const TensorSpan& span) {
  return span.header.shape.empty() ? 0 : span.header.shape.front();
}

Index known_head_dim(const std::filesystem::path& input, const std::vector<TensorSpan>& spans,
                     const PairingConversion& conversion) {
  if (conversion.head_dim > 0) return conversion.head_dim;
  for (const TensorSpan& span : spans) {
    const std::string_view name = span.header.name;
    if (rotary_rows(name) != RowOwner::kQuery || name.find("norm") != name.npos) continue;
    require(rows_of(span) % conversion.heads == 0, in_file(input, span.header.name),
            "{} rows must be a multiple of the {} heads", rows_of(span), conversion.heads);
    return rows_of(span) / conversion.heads;
  }
  fail(ErrorCode::kUsage, "--head-dim", "must be given: no query projection in {} tells it",
       path_text(input));
}

// Heads in the tensor. Norms have one set of numbers for all heads, or one per head.
Index heads_in(const std::filesystem::path& input, const TensorSpan& span, Index head_dim,
               Index expected, bool may_be_shared) {
  const std::string where = in_file(input, span.header.name);
  const Index rows = rows_of(span);
  require(rows > 0 && rows % head_dim == 0, where, "{} rows must be a multiple of head_dim {}",
          rows, head_dim);
  const Index heads = rows / head_dim;
  require(expected == 0 || heads == expected || (may_be_shared && heads == 1), where,
          "{} rows are {} heads of {} but {} were expected", rows, heads, head_dim, expected);
  return heads;
}

std::vector<RowsInHeads> chosen_rows(const std::filesystem::path& input,
                                     const std::vector<TensorSpan>& spans,
                                     const PairingConversion& conversion, Index head_dim) {
  std::vector<RowsInHeads> chosen;
  for (const TensorSpan& span : spans) {
    const std::string& name = span.header.name;
    if (!conversion.tensors.empty()) {
      if (is_named(conversion.tensors, name))
        chosen.push_back({span, heads_in(input, span, head_dim, 0, false)});
      continue;
    }
    const RowOwner owner = rotary_rows(name);
    require(owner != RowOwner::kUnknown, in_file(input, name),
            "belongs to a projection of queries or keys but is no weight or bias (quantised?)");
    if (owner == RowOwner::kNone) continue;
    const Index keys = conversion.kv_heads > 0 ? conversion.kv_heads : conversion.heads;
    const Index expected = owner == RowOwner::kQuery ? conversion.heads : keys;
    const bool norm = name.find("norm") != name.npos;
    chosen.push_back({span, heads_in(input, span, head_dim, expected, norm)});
  }
  return chosen;
}

void check_names(const std::filesystem::path& input, const std::vector<TensorSpan>& spans,
                 const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  names.reserve(spans.size());
  for (const TensorSpan& span : spans) names.push_back(span.header.name);
  for (const std::string& name : wanted)
    require(is_named(names, name), path_text(input), "has no tensor '{}'{}", escaped(name),
            suggestion(name, names));
}

// One head of one tensor: rows of `row_bytes` from `offset` on, in the new order.
void permute_head(const InputFile& input, AtomicFile& output, std::uint64_t offset,
                  std::uint64_t row_bytes, std::span<const Index> source) {
  const std::uint64_t head_bytes = row_bytes * source.size();
  const bool whole = head_bytes <= kPermutedBytes;
  std::string before(whole ? head_bytes : 0, '\0');
  if (whole) input.read_at(offset, std::as_writable_bytes(std::span(before)));
  std::string after(whole ? head_bytes : std::min(row_bytes, kPermutedBytes), '\0');
  for (std::size_t row = 0; row < source.size(); ++row) {
    const std::uint64_t from = static_cast<std::uint64_t>(source[row]) * row_bytes;
    const std::uint64_t to = row * row_bytes;
    if (whole) {
      std::copy_n(before.begin() + static_cast<Index>(from), row_bytes,
                  after.begin() + static_cast<Index>(to));
      continue;
    }
    for (std::uint64_t at = 0; at < row_bytes; at += after.size()) {
      const auto part =
          std::span(after).first(std::min<std::uint64_t>(after.size(), row_bytes - at));
      input.read_at(offset + from + at, std::as_writable_bytes(part));
      output.rewrite(offset + to + at, std::string_view(part.data(), part.size()));
    }
  }
  if (whole) output.rewrite(offset, after);
}

}  // namespace

std::vector<Index> converted_rows(Pairing to, Index rotary_dim, Index head_dim) {
  std::vector<Index> order = pair_order("half", rotary_dim, head_dim);
  if (to == Pairing::kInterleaved) return order;
  std::vector<Index> inverse(order.size());
  for (std::size_t j = 0; j < order.size(); ++j)
    inverse[static_cast<std::size_t>(order[j])] = static_cast<Index>(j);
  return inverse;
}

RowOwner rotary_rows(std::string_view tensor) {
  RowOwner owner = RowOwner::kNone;
  std::string_view rest;
  constexpr std::pair<std::string_view, RowOwner> kParts[] = {
      {"q_proj", RowOwner::kQuery}, {"wq", RowOwner::kQuery}, {"q_norm", RowOwner::kQuery},
      {"k_proj", RowOwner::kKey},   {"wk", RowOwner::kKey},   {"k_norm", RowOwner::kKey}};
  for (std::string_view left = tensor; !left.empty() && owner == RowOwner::kNone;) {
    const std::size_t dot = left.find('.');
    const std::string_view part = left.substr(0, dot);
    left = dot == left.npos ? std::string_view() : left.substr(dot + 1);
    for (const auto& [name, whose] : kParts) {
      if (part == name) owner = whose;
    }
    rest = left;
  }
  if (owner == RowOwner::kNone) return owner;
  if (rest == "weight" || rest == "bias") return owner;
  if (ends_with_any(rest, {"lora_B.weight", "lora_B.default.weight"})) return owner;
  if (ends_with_any(rest, {"lora_A.weight", "lora_A.default.weight", "input_scale"}))
    return RowOwner::kNone;  // of the inputs' side: no rows of heads
  return RowOwner::kUnknown;
}

std::vector<ConvertedTensor> convert_pairing(const std::filesystem::path& input,
                                             const PairingConversion& conversion,
                                             AtomicFile& output) {
  const InputFile file{input};
  const std::vector<TensorSpan> spans = tensor_spans(input);
  check_names(input, spans, conversion.tensors);
  require(conversion.head_dim > 0 || conversion.heads > 0, "--heads", "must be given");
  const Index head_dim = known_head_dim(input, spans, conversion);
  const Index rotary_dim = conversion.rotary_dim > 0 ? conversion.rotary_dim : head_dim;
  require(head_dim >= 2 && rotary_dim % 2 == 0 && rotary_dim <= head_dim, "--rotary-dim",
          "must be even and at most head_dim {} but got {}", head_dim, rotary_dim);
  const std::vector<RowsInHeads> chosen = chosen_rows(input, spans, conversion, head_dim);
  require(!chosen.empty(), path_text(input),
          "has no tensor of queries or keys, such as q_proj.weight{}", missing_reason(spans));
  const std::vector<Index> source = converted_rows(conversion.to, rotary_dim, head_dim);
  copy_file(file, output);
  std::vector<ConvertedTensor> converted;
  converted.reserve(chosen.size());
  for (const RowsInHeads& rows : chosen) {
    const std::uint64_t row_bytes =
        rows.span.bytes / static_cast<std::uint64_t>(rows_of(rows.span));
    require(row_bytes * static_cast<std::uint64_t>(rows_of(rows.span)) == rows.span.bytes,
            in_file(input, rows.span.header.name), "a row must end with a byte");
    for (Index head = 0; head < rows.heads; ++head) {
      const auto first = static_cast<std::uint64_t>(head * head_dim);
      permute_head(file, output, rows.span.offset + first * row_bytes, row_bytes, source);
    }
    const TensorHeader& header = rows.span.header;
    converted.push_back({header.name, header.dtype, header.shape, rows.heads});
  }
  file.verify_unchanged();
  return converted;
}

}  // namespace sextant
