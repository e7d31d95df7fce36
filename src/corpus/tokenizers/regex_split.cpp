// SPDX-License-Identifier: Apache-2.0
// Compiled once, with JIT where there is one; limits on steps, depth and memory.
#include "corpus/tokenizers/regex_split.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

#include "base/text.h"

namespace sextant {
namespace {

constexpr std::string_view kWhiteSpace =
    R"(\x{09}-\x{0d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr std::size_t kMostPatternBytes = 4096;

// Rewrites what the two libraries read differently, or refuses it.
class Translation {
 public:
  explicit Translation(const JsonNode& regex) : regex_(regex), rest_(regex.text()) {}

  std::string run() {
    if (rest_.size() > kMostPatternBytes)
      regex_.fail_here("the pattern has {} bytes, above the limit of {}", rest_.size(),
                       kMostPatternBytes);
    while (!rest_.empty()) step();
    return std::move(out_);
  }

 private:
  void step() {
    if (rest_.front() == '\\') return escape();
    constexpr std::array<std::string_view, 6> kGroups = {
        "(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!"};
    for (const std::string_view group : kGroups)
      if (!in_class_ && rest_.starts_with(group)) return take(group.size());
    const std::string_view bad = in_class_ ? bad_in_class() : bad_outside();
    if (!bad.empty()) refuse(bad);
    if (rest_.front() == '[' && !in_class_) {
      in_class_ = true;
      return take(rest_.starts_with("[^") ? 2 : 1);
    }
    if (rest_.front() == ']') in_class_ = false;
    take(1);
  }

  std::string_view bad_in_class() const {
    if (rest_.front() == '[') return "[ in a class";
    return rest_.starts_with("&&") ? "&&" : "";
  }

  std::string_view bad_outside() const {
    for (const std::string_view bad : {"(?", "(*", "}+", "^", "$", "."})
      if (rest_.starts_with(bad)) return bad;
    return "";
  }

  void escape() {
    const char kind = rest_.size() > 1 ? rest_[1] : '\0';
    if (kind == 's' || (kind == 'S' && !in_class_)) {
      const std::string_view open = in_class_ ? "" : kind == 's' ? "[" : "[^";
      out_.append(open).append(kWhiteSpace).append(in_class_ ? "" : "]");
      rest_.remove_prefix(2);
      return;
    }
    if (kind == 'p' || kind == 'P') {
      const std::size_t end = rest_.find('}');
      if (rest_.size() < 3 || rest_[2] != '{' || end == rest_.npos) refuse(rest_.substr(0, 2));
      return take(end + 1);
    }
    const bool letter = (kind >= 'a' && kind <= 'z') || (kind >= 'A' && kind <= 'Z');
    const bool digit = kind >= '0' && kind <= '9';
    constexpr std::string_view kSame = "rntfd";
    if (kind == '\0' || digit || (letter && kSame.find(kind) == kSame.npos))
      refuse(rest_.substr(0, 2));
    take(2);
  }

  void take(std::size_t size) {
    out_ += rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  [[noreturn]] void refuse(std::string_view what) const {
    regex_.fail_here("'{}' at offset {} of the pattern is not supported", escaped(what),
                     regex_.text().size() - rest_.size());
  }

  const JsonNode& regex_;
  std::string_view rest_;
  std::string out_;
  bool in_class_ = false;
};

template <typename T, void (*free)(T*)>
struct Freed {
  void operator()(T* pointer) const { free(pointer); }
};
template <typename T, void (*free)(T*)>
using Owned = std::unique_ptr<T, Freed<T, free>>;

}  // namespace

struct RegexPattern::Code {
  Owned<pcre2_code, pcre2_code_free> code;
  std::string place;
};

RegexPattern::RegexPattern(const JsonNode& regex) {
  const std::string pattern = Translation(regex).run();
  int error = 0;
  PCRE2_SIZE offset = 0;
  auto code = std::make_shared<Code>();
  code->place = regex.place();
  code->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                 PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr));
  if (!code->code) {
    std::array<char, 128> message = {};
    pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR*>(message.data()), message.size());
    regex.fail_here("the pattern is broken: {}", message.data());
  }
  std::uint32_t matches_empty = 0;
  pcre2_pattern_info(code->code.get(), PCRE2_INFO_MATCHEMPTY, &matches_empty);
  if (matches_empty != 0) regex.fail_here("a pattern that matches the empty text is not supported");
  // Without JIT the same matches are found, only later.
  pcre2_jit_compile(code->code.get(), PCRE2_JIT_COMPLETE);
  code_ = std::move(code);
}

struct RegexMatcher::State {
  const RegexPattern::Code* code = nullptr;
  Owned<pcre2_match_data, pcre2_match_data_free> data;
  Owned<pcre2_match_context, pcre2_match_context_free> context;
  Owned<pcre2_jit_stack, pcre2_jit_stack_free> stack;
};

RegexMatcher::RegexMatcher(const RegexPattern& pattern) : state_(std::make_unique<State>()) {
  constexpr std::uint32_t kSteps = 100'000'000, kDepth = 100'000, kHeapKib = 1 << 18;
  constexpr std::size_t kFirstStack = 1 << 15, kMostStack = 1 << 26;
  state_->code = &pattern.code();
  state_->data.reset(pcre2_match_data_create_from_pattern(state_->code->code.get(), nullptr));
  state_->context.reset(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(state_->context.get(), kSteps);
  pcre2_set_depth_limit(state_->context.get(), kDepth);
  pcre2_set_heap_limit(state_->context.get(), kHeapKib);
  state_->stack.reset(pcre2_jit_stack_create(kFirstStack, kMostStack, nullptr));
  pcre2_jit_stack_assign(state_->context.get(), nullptr, state_->stack.get());
}

RegexMatcher::~RegexMatcher() = default;
RegexMatcher::RegexMatcher(RegexMatcher&&) noexcept = default;

std::optional<RegexMatcher::Match> RegexMatcher::next(std::string_view text, std::size_t from) {
  const int found = pcre2_match(state_->code->code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()),
                                text.size(), from, from == 0 ? 0 : PCRE2_NO_UTF_CHECK,
                                state_->data.get(), state_->context.get());
  if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (found < 0) {
    std::array<char, 128> message = {};
    pcre2_get_error_message(found, reinterpret_cast<PCRE2_UCHAR*>(message.data()), message.size());
    fail(ErrorCode::kRefused, state_->code->place, "no match found: {}", message.data());
  }
  const PCRE2_SIZE* place = pcre2_get_ovector_pointer(state_->data.get());
  return Match{place[0], place[1]};
}

}  // namespace sextant
