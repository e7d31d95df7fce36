// SPDX-License-Identifier: Apache-2.0
// Cached keys turn on from one scaling to another, a block of positions at a time.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "base/check.h"
#include "base/rounding.h"
#include "base/text.h"
#include "encoding/rotary.h"
#include "io/input_file.h"
#include "math/double_double.h"
#include "math/elementary.h"
#include "model/conversion.h"
#include "sextant/registry.h"
#include "sextant/table.h"

namespace sextant {
namespace {

constexpr std::uint64_t kTurnedBytes = std::uint64_t{1} << 20;  // of keys in memory, about

// A value of a key in its type. `load` is exact, `store` rounds once.
struct KeyType {
  std::size_t bytes = 0;
  double (*load)(const char*) = nullptr;
  void (*store)(double, char*) = nullptr;
};

template <typename Word>
Word word_at(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof(Word));
  return word;
}

template <typename Word>
void put_word(Word word, char* at) {
  std::memcpy(at, &word, sizeof(Word));
}

std::optional<KeyType> key_type(std::string_view dtype) {
  if (dtype == "F64")
    return KeyType{8, word_at<double>, [](double x, char* at) { put_word(x, at); }};
  if (dtype == "F32") {
    return KeyType{4, [](const char* at) { return static_cast<double>(word_at<float>(at)); },
                   [](double x, char* at) { put_word(static_cast<float>(x), at); }};
  }
  if (dtype == "F16") {
    return KeyType{2, [](const char* at) { return from_half(word_at<std::uint16_t>(at)); },
                   [](double x, char* at) { put_word(to_half(x), at); }};
  }
  if (dtype == "BF16") {
    return KeyType{2, [](const char* at) { return from_bfloat16(word_at<std::uint16_t>(at)); },
                   [](double x, char* at) { put_word(to_bfloat16(x), at); }};
  }
  return std::nullopt;
}

struct Turn {
  double cos = 1.0, sin = 0.0;  // times the ratio of magnitudes
};

// All that one row needs besides its position.
class KeyTurner {
 public:
  explicit KeyTurner(const KeyConversion& conversion) : ratio_(ratio_of(conversion)) {
    const RotaryOperator &from = conversion.from, &to = conversion.to;
    for (std::size_t i = 0; i < from.inv_freq.size(); ++i)
      difference_.push_back(to.inv_freq[i] - from.inv_freq[i]);
    read_ = pair_order(std::string(name(from.pairing)), from.rotary_dim, from.head_dim);
    write_ = pair_order(std::string(name(to.pairing)), to.rotary_dim, to.head_dim);
  }

  std::size_t pairs() const { return difference_.size(); }

  void turns(double t, std::span<Turn> result) const {
    for (std::size_t i = 0; i < difference_.size(); ++i) {
      const CosSin angle = cos_sin(t, difference_[i]);
      result[i] = {to_double(ratio_ * angle.cos), to_double(ratio_ * angle.sin)};
    }
  }

  // One key; nothing when a value is not finite and must be, or the type cannot hold the result.
  bool apply(const KeyType& type, std::span<const Turn> turns, const char* key, char* result,
             bool allow_nonfinite) const {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const char* first = key + place(read_, 2 * i, type);
      const char* second = key + place(read_, 2 * i + 1, type);
      char* first_result = result + place(write_, 2 * i, type);
      char* second_result = result + place(write_, 2 * i + 1, type);
      const double x = type.load(first), y = type.load(second);
      if (std::isfinite(x) && std::isfinite(y)) {
        type.store(x * turns[i].cos - y * turns[i].sin, first_result);
        type.store(x * turns[i].sin + y * turns[i].cos, second_result);
        if (!std::isfinite(type.load(first_result)) || !std::isfinite(type.load(second_result)))
          return false;
      } else if (allow_nonfinite) {
        std::memcpy(first_result, first, type.bytes);
        std::memcpy(second_result, second, type.bytes);
      } else {
        return false;
      }
    }
    for (std::size_t j = 2 * turns.size(); j < read_.size(); ++j)
      std::memcpy(result + place(write_, j, type), key + place(read_, j, type), type.bytes);
    return true;
  }

 private:
  static DoubleDouble ratio_of(const KeyConversion& conversion) {
    if (conversion.from.magnitude == conversion.to.magnitude) return 1.0;
    return conversion.to.magnitude / conversion.from.magnitude;
  }

  static std::size_t place(const std::vector<Index>& order, std::size_t j, const KeyType& type) {
    return static_cast<std::size_t>(order[j]) * type.bytes;
  }

  DoubleDouble ratio_;
  std::vector<DoubleDouble> difference_;
  std::vector<Index> read_, write_;
};

// Positions [first, first + count) of every sequence and head of one tensor.
struct KeyBlock {
  Index first = 0, count = 0;
};

void turn_block(const InputFile& input, AtomicFile& output, const TensorSpan& span,
                const KeyConversion& conversion, const KeyTurner& turner, KeyBlock block) {
  const std::vector<Index>& shape = span.header.shape;
  const Index positions = shape[shape.size() - 2];
  const KeyType type = key_type(span.header.dtype).value_or(KeyType{});
  const std::size_t row_bytes = static_cast<std::size_t>(shape.back()) * type.bytes;
  const auto count = static_cast<std::size_t>(block.count);
  std::vector<Turn> turns(count * turner.pairs());
  for (Index i = 0; i < block.count; ++i) {
    const Index position = block.first + i;
    const double t = conversion.at.empty() ? conversion.offset + static_cast<double>(position)
                                           : conversion.at[static_cast<std::size_t>(position)];
    turner.turns(
        t, std::span(turns).subspan(static_cast<std::size_t>(i) * turner.pairs(), turner.pairs()));
  }
  std::string before(count * row_bytes, '\0'), after(count * row_bytes, '\0');
  const std::uint64_t sequence_bytes = static_cast<std::uint64_t>(positions) * row_bytes;
  const std::uint64_t sequences = sequence_bytes == 0 ? 0 : span.bytes / sequence_bytes;
  for (std::uint64_t sequence = 0; sequence < sequences; ++sequence) {
    const std::uint64_t offset = span.offset + sequence * sequence_bytes +
                                 static_cast<std::uint64_t>(block.first) * row_bytes;
    input.read_at(offset, std::as_writable_bytes(std::span(before)));
    for (std::size_t i = 0; i < count; ++i) {
      const bool done = turner.apply(
          type, std::span<const Turn>(turns).subspan(i * turner.pairs(), turner.pairs()),
          before.data() + i * row_bytes, after.data() + i * row_bytes, conversion.allow_nonfinite);
      if (!done) {
        fail(ErrorCode::kNumeric,
             fmt::format("{}: tensor '{}'", input.name(), escaped(span.header.name)),
             "the key at index {} of sequence {} is not finite or leaves the range of {}",
             block.first + static_cast<Index>(i), sequence, span.header.dtype);
      }
    }
    output.rewrite(offset, after);
  }
}

void check_operators(const KeyConversion& conversion, Index head_dim) {
  const RotaryOperator &from = conversion.from, &to = conversion.to;
  for (const RotaryOperator* each : {&from, &to}) {
    require(each->head_dim == head_dim, each->spec, "has heads of {} but the keys are {} wide",
            each->head_dim, head_dim);
    require(to_double(each->magnitude) != 0.0, each->spec, "the magnitude must not be 0");
  }
  require(from.rotary_dim == to.rotary_dim && from.inv_freq.size() == to.inv_freq.size(), "--to",
          "must turn as many coordinates as --from: {} and {}", to.rotary_dim, from.rotary_dim);
}

}  // namespace

RotaryOperator operator_of(const std::string& spec, Index head_dim) {
  RotaryOperator result;
  result.head_dim = result.rotary_dim = head_dim;
  const auto encoding = encodings().make(spec);
  result.spec = encoding->spec();
  if (result.spec == "none") {
    require(head_dim % 2 == 0, spec, "keys must have an even width but have {}", head_dim);
    result.inv_freq.resize(static_cast<std::size_t>(head_dim / 2));
    return result;
  }
  const Effects effects = encoding->effects({.positions = 1, .dim = head_dim, .heads = 1});
  const std::optional<RotaryLadder> ladder = rotary_ladder(effects);
  require(ladder && encoding->info().name == "rope" &&
              std::ranges::all_of(ladder->axis, [](Index axis) { return axis == 0; }),
          escaped(spec), "must be rope(...) or none: it says how keys turn");
  result.inv_freq = ladder->inv_freq;
  result.magnitude = ladder->magnitude;
  result.rotary_dim = 2 * static_cast<Index>(ladder->inv_freq.size());
  const EncodingSpec parsed = EncodingSpec::parse(result.spec);
  for (const EncodingSpec::Argument& argument : parsed.terms.front().arguments)
    if (argument.key == "pairing" && argument.value == "interleaved")
      result.pairing = Pairing::kInterleaved;
  return result;
}

std::vector<TensorSpan> key_tensors(const std::filesystem::path& input,
                                    const std::vector<std::string>& names) {
  const std::vector<TensorSpan> spans = tensor_spans(input);
  std::vector<std::string> known;
  known.reserve(spans.size());
  for (const TensorSpan& span : spans) known.push_back(span.header.name);
  std::vector<TensorSpan> chosen;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(known, name);
    require(found != known.end(), path_text(input), "has no tensor '{}'{}", escaped(name),
            suggestion(name, known));
    chosen.push_back(spans[static_cast<std::size_t>(found - known.begin())]);
  }
  if (names.empty()) {
    require(spans.size() == 1, path_text(input),
            "has {} tensors; name those that hold keys with --tensors", spans.size());
    chosen = spans;
  }
  for (const TensorSpan& span : chosen) {
    const std::vector<Index>& shape = span.header.shape;
    const std::string where =
        fmt::format("{}: tensor '{}'", path_text(input), escaped(span.header.name));
    require(key_type(span.header.dtype).has_value(), where,
            "keys must be F64, F32, F16 or BF16 but are {}", escaped(span.header.dtype));
    require(shape.size() >= 2 && shape.back() >= 2, where,
            "keys must have the shape [.., positions, head_dim] but have [{}]",
            fmt::join(shape, ", "));
    require(shape.back() == chosen.front().header.shape.back(), where,
            "all tensors must have one head_dim: {} and {}", shape.back(),
            chosen.front().header.shape.back());
  }
  return chosen;
}

std::vector<ConvertedTensor> convert_keys(const std::filesystem::path& input,
                                          const std::vector<TensorSpan>& tensors,
                                          const KeyConversion& conversion, AtomicFile& output) {
  const InputFile file{input};
  for (const TensorSpan& span : tensors) {
    const std::vector<Index>& shape = span.header.shape;
    check_operators(conversion, shape.back());
    const Index positions = shape[shape.size() - 2];
    require(conversion.at.empty() || static_cast<Index>(conversion.at.size()) == positions, "--at",
            "must have one position for each of {} keys but has {}", positions,
            conversion.at.size());
  }
  const KeyTurner turner(conversion);
  copy_file(file, output);
  std::vector<ConvertedTensor> converted;
  for (const TensorSpan& span : tensors) {
    const std::vector<Index>& shape = span.header.shape;
    const Index positions = shape[shape.size() - 2];
    const auto width = static_cast<Index>(sizeof(Turn)) * shape.back();
    const Index block = std::max(Index{1}, static_cast<Index>(kTurnedBytes) / width);
    for (Index first = 0; span.bytes > 0 && first < positions; first += block) {
      turn_block(file, output, span, conversion, turner,
                 {first, std::min(block, positions - first)});
    }
    converted.push_back({span.header.name, span.header.dtype, shape, 0});
  }
  file.verify_unchanged();
  return converted;
}

}  // namespace sextant
