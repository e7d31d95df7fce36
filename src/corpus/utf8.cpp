// SPDX-License-Identifier: Apache-2.0
// Whole buffers are checked by simdjson; the rules in words are needed only to place a fault.
#include "corpus/utf8.h"

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace sextant {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool is_continuation(unsigned byte) { return (byte & 0xC0) == 0x80; }

// Which second bytes a lead byte allows, and what the others would be.
struct Lead {
  std::size_t size = 0;  // of the character; 0: no character begins so
  unsigned second_from = 0x80, second_to = 0xBF;
  std::string_view otherwise = "truncated sequence";
};

Lead lead_of(unsigned byte) {
  if (byte < 0x80) return {.size = 1};
  if (byte < 0xC0) return {.otherwise = "continuation byte without a lead"};
  if (byte < 0xC2) return {.otherwise = "overlong form"};
  if (byte < 0xE0) return {.size = 2};
  if (byte == 0xE0) return {.size = 3, .second_from = 0xA0, .otherwise = "overlong form"};
  if (byte == 0xED) return {.size = 3, .second_to = 0x9F, .otherwise = "surrogate"};
  if (byte < 0xF0) return {.size = 3};
  if (byte == 0xF0) return {.size = 4, .second_from = 0x90, .otherwise = "overlong form"};
  if (byte < 0xF4) return {.size = 4};
  if (byte == 0xF4) return {.size = 4, .second_to = 0x8F, .otherwise = "above U+10FFFF"};
  return {.otherwise = byte < 0xF8 ? "above U+10FFFF" : "byte that UTF-8 never uses"};
}

// The size of the character at `at`, or the fault there.
std::size_t character(std::string_view text, std::size_t at, std::optional<Utf8Fault>& fault) {
  const Lead lead = lead_of(byte_at(text, at));
  if (lead.size == 0) {
    fault = {at, 1, lead.otherwise};
    return 0;
  }
  for (std::size_t i = 1; i < lead.size; ++i) {
    const bool ended = at + i >= text.size() || !is_continuation(byte_at(text, at + i));
    const unsigned byte = ended ? 0 : byte_at(text, at + i);
    if (ended || (i == 1 && (byte < lead.second_from || byte > lead.second_to))) {
      fault = {at, i, ended ? "truncated sequence" : lead.otherwise};
      return 0;
    }
  }
  return lead.size;
}

std::size_t skip_ascii(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::uint64_t word = 0;
  while (at + sizeof(word) <= text.size()) {
    std::memcpy(&word, text.data() + at, sizeof(word));
    if ((word & kHighBits) != 0) break;
    at += sizeof(word);
  }
  while (at < text.size() && byte_at(text, at) < 0x80) ++at;
  return at;
}

}  // namespace

std::optional<Utf8Fault> first_utf8_fault(std::string_view text, std::size_t from) {
  std::optional<Utf8Fault> fault;
  for (std::size_t at = skip_ascii(text, from); at < text.size(); at = skip_ascii(text, at)) {
    const std::size_t size = character(text, at, fault);
    if (size == 0) return fault;
    at += size;
  }
  return std::nullopt;
}

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::size_t append_replaced(std::string_view text, std::string& result) {
  std::size_t done = 0, count = 0;
  while (const std::optional<Utf8Fault> fault = first_utf8_fault(text, done)) {
    result.append(text, done, fault->at - done);
    result += "\xEF\xBF\xBD";
    done = fault->at + fault->size;
    ++count;
  }
  result.append(text, done);
  return count;
}

bool is_blank(std::string_view text) {
  // All of White_Space beyond ASCII: U+0085, U+00A0, U+1680, U+2000..200A, 2028, 2029, 202F, 205F,
  // U+3000.
  constexpr std::array<std::string_view, 19> kWide = {
      "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81",
      "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86",
      "\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
      "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};
  while (!text.empty()) {
    const unsigned byte = byte_at(text, 0);
    if (byte == ' ' || (byte >= '\t' && byte <= '\r')) {
      text.remove_prefix(1);
      continue;
    }
    const auto* const wide = std::find_if(kWide.begin(), kWide.end(), [&](std::string_view space) {
      return text.starts_with(space);
    });
    if (byte < 0x80 || wide == kWide.end()) return false;
    text.remove_prefix(wide->size());
  }
  return true;
}

}  // namespace sextant
