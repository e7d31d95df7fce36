// SPDX-License-Identifier: Apache-2.0
// Text to shape: parts joined by +, each a name, an order in parentheses, a count after *.
#include <array>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "sextant/classify.h"

namespace sextant {
namespace {

constexpr Index kMostParts = 64;

// Longer names first where one begins with another.
constexpr std::array<std::pair<std::string_view, BlockKind>, 9> kNames = {{
    {"complex Jordan", BlockKind::kComplexJordan},
    {"complex_jordan", BlockKind::kComplexJordan},
    {"real Jordan", BlockKind::kRealJordan},
    {"jordan", BlockKind::kRealJordan},
    {"none", BlockKind::kNone},
    {"decay", BlockKind::kDecay},
    {"growth", BlockKind::kGrowth},
    {"rotation", BlockKind::kRotation},
    {"spiral", BlockKind::kSpiral},
}};

bool takes_order(BlockKind kind) {
  return kind == BlockKind::kRealJordan || kind == BlockKind::kComplexJordan;
}

class ShapeParser {
 public:
  explicit ShapeParser(std::string_view text) : text_(text) {}

  FamilyShape parse() {
    FamilyShape shape;
    do part(shape);
    while (take('+'));
    skip_spaces();
    expect(at_ == text_.size(), "'+' or the end");
    return shape;
  }

 private:
  void part(FamilyShape& shape) {
    FamilyShape::Part part{.kind = kind()};
    if (takes_order(part.kind)) {
      expect(take('('), "an order in parentheses, as jordan(2)");
      part.size = whole_number(2);
      expect(take(')'), "')'");
    }
    const Index count = take('*') ? whole_number(1) : 1;
    for (Index i = 0; i < count; ++i) shape.parts.push_back(part);
    expect(static_cast<Index>(shape.parts.size()) <= kMostParts, "at most 64 parts");
  }

  BlockKind kind() {
    skip_spaces();
    for (const auto& [name, kind] : kNames) {
      if (!text_.substr(at_).starts_with(name)) continue;
      at_ += name.size();
      return kind;
    }
    expect(false, "none, decay, growth, rotation, spiral, jordan(m) or complex_jordan(m)");
    return BlockKind::kNone;
  }

  Index whole_number(Index least) {
    skip_spaces();
    Index value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    expect(error == std::errc() && value >= least && value <= kMostParts,
           least == 1 ? "a count of 1 to 64" : "an order of 2 to 64");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  void expect(bool holds, std::string_view wanted) const {
    require(holds, "shape", "'{}' must have {} at character {}", text_, wanted, at_ + 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

FamilyShape FamilyShape::parse(std::string_view text) { return ShapeParser(text).parse(); }

}  // namespace sextant
