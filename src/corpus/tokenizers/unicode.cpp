// SPDX-License-Identifier: Apache-2.0
// A thin layer over utf8proc.
#include "corpus/tokenizers/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "base/check.h"

namespace sextant {
namespace {

constexpr char32_t kReplacement = 0xfffd;

const utf8proc_uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

struct CodeRange {
  char32_t first, last;
};
// Letters and numbers of Unicode 15.1 and 16.0: the library may be older, and ids must not depend
// on its age.
constexpr CodeRange kNewLetters[] = {
    {0x1c89, 0x1c8a},   {0xa7cb, 0xa7cd},   {0xa7da, 0xa7dc},   {0x105c0, 0x105f3},
    {0x10d4a, 0x10d65}, {0x10d6f, 0x10d85}, {0x10ec2, 0x10ec4}, {0x11380, 0x11389},
    {0x1138b, 0x1138b}, {0x1138e, 0x1138e}, {0x11390, 0x113b5}, {0x113b7, 0x113b7},
    {0x113d1, 0x113d1}, {0x113d3, 0x113d3}, {0x11bc0, 0x11be0}, {0x13460, 0x143fa},
    {0x16100, 0x1611d}, {0x16d40, 0x16d6c}, {0x18cff, 0x18cff}, {0x1e5d0, 0x1e5ed},
    {0x1e5f0, 0x1e5f0}, {0x2ebf0, 0x2ee5d}};
constexpr CodeRange kNewNumbers[] = {{0x10d40, 0x10d49}, {0x116d0, 0x116e3}, {0x11bf0, 0x11bf9},
                                     {0x16130, 0x16139}, {0x16d70, 0x16d79}, {0x1ccf0, 0x1ccf9},
                                     {0x1e5f1, 0x1e5fa}};

template <std::size_t size>
bool contains(const CodeRange (&ranges)[size], char32_t c) {
  return std::ranges::any_of(ranges,
                             [c](const CodeRange& r) { return c >= r.first && c <= r.last; });
}

int category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

int combining_class(char32_t c) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  utf8proc_int32_t c = -1;
  const utf8proc_ssize_t size =
      utf8proc_iterate(bytes_of(text), static_cast<utf8proc_ssize_t>(text.size()), &c);
  if (size <= 0) return {kReplacement, 1};
  return {static_cast<char32_t>(c), static_cast<std::size_t>(size)};
}

void append_utf8(char32_t c, std::string& out) {
  std::array<utf8proc_uint8_t, 4> bytes = {};
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes.data());
  out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
}

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

bool is_white_space(char32_t c) {
  if (c < 0x80) return c == 0x20 || (c >= 0x09 && c <= 0x0d);
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
         c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

bool is_letter(char32_t c) {
  const int kind = category(c);
  if (kind == UTF8PROC_CATEGORY_CN) return contains(kNewLetters, c);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_number(char32_t c) {
  const int kind = category(c);
  if (kind == UTF8PROC_CATEGORY_CN) return contains(kNewNumbers, c);
  return kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO;
}

char32_t simple_lower(char32_t c) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

void append_lower(char32_t c, std::string& out) {
  constexpr char32_t kCapitalDottedI = 0x130;
  if (c == kCapitalDottedI)
    out += "i\xcc\x87";
  else
    append_utf8(simple_lower(c), out);
}

std::string normal_form(std::string_view text, NormalForm form) {
  int options = UTF8PROC_STABLE;
  const bool composed = form == NormalForm::kC || form == NormalForm::kKC;
  options |= composed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  if (form == NormalForm::kKD || form == NormalForm::kKC) options |= UTF8PROC_COMPAT;
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(bytes_of(text), static_cast<utf8proc_ssize_t>(text.size()), &result,
                   static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, &std::free);
  if (size < 0) fail(ErrorCode::kMalformed, "text", "{}", utf8proc_errmsg(size));
  return {reinterpret_cast<const char*>(result), static_cast<std::size_t>(size)};
}

void append_decomposed(char32_t c, std::vector<char32_t>& out) {
  std::array<utf8proc_int32_t, 32> parts = {};
  int boundary = 0;
  const utf8proc_ssize_t count = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(c), parts.data(), std::ssize(parts),
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE), &boundary);
  if (count <= 0) {
    out.push_back(c);
    return;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    out.push_back(static_cast<char32_t>(parts[i]));
}

void order_marks(std::vector<char32_t>& text) {
  for (auto begin = text.begin(); begin != text.end();) {
    if (combining_class(*begin) == 0) {
      ++begin;
      continue;
    }
    const auto end =
        std::find_if(begin, text.end(), [](char32_t c) { return combining_class(c) == 0; });
    std::stable_sort(
        begin, end, [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    begin = end;
  }
}

}  // namespace sextant
