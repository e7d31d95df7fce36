// SPDX-License-Identifier: Apache-2.0
// The result of a study in words: what a person should know first.
#pragma once

#include <string>
#include <vector>

#include "run/study.h"

namespace sextant {

// What makes the numbers of a corpus weak: too few sequences, or copies among them. Empty: nothing.
std::string warning(const Study& study);

struct Verdict {
  std::string warning;  // empty: none
  std::string headline;
  std::vector<std::string> sentences;
};
Verdict verdict(const Study& study);

}  // namespace sextant
