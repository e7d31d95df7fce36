// SPDX-License-Identifier: Apache-2.0
// What a reader of a corpus has to tell beside the records: bad records and remarks.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

// One of the inputs, as messages and as notes (which hold no path) name it.
struct InputName {
  std::string text;
  std::uint32_t number = 0;  // from 0
};

struct TextPlace {
  std::uint64_t line = 0, column = 0;  // from 1; column 0: the whole line
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes a defaulted <=> for a pointer
  auto operator<=>(const TextPlace&) const = default;
};

// In the order of the corpus.
struct BadRecord {
  std::uint32_t input = 0;  // from 0
  TextPlace place = {};
  std::string what = {};
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes a defaulted <=> for a pointer
  auto operator<=>(const BadRecord&) const = default;
};

struct ReadLog {
  static constexpr std::size_t kListed = 10;

  std::uint64_t crlf = 0, cr = 0;      // lines that end so
  std::uint64_t blank = 0;             // lines left out
  std::uint64_t marks = 0;             // byte order marks stripped
  std::uint64_t replaced = 0;          // pieces that are not UTF-8
  Index skipped = 0;                   // bad records left out
  std::vector<BadRecord> listed = {};  // the first of them, at most kListed
  Index skip_bad = 0;                  // how many may be left out
  bool operator==(const ReadLog&) const = default;

  // Leaves out one bad record; throws it as kMalformed "FILE:LINE:COLUMN: what" when `skip_bad`
  // others are left out already.
  void leave_out(const InputName& input, TextPlace place, std::string_view what);

  // Adds what was found in other records of the same corpus: commutative and associative. Throws
  // kMalformed when both together leave out more than `skip_bad`.
  void merge(const ReadLog& other);

  std::vector<std::string> notes() const;
};

}  // namespace sextant
