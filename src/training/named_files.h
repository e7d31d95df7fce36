// SPDX-License-Identifier: Apache-2.0
// The files that a trial names beside its corpus. Their content is part of what the trial is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "sextant/trial.h"

namespace sextant {

class NamedFiles {
 public:
  // Of the bytes of all files that the encoding, the weights and the tokenizer name, 16 hexadecimal
  // digits; empty where they name none. Each file is read once, however many trials name it. Throws
  // kUsage for a spec that cannot be read, kUnreadable.
  std::string hash(const Trial& trial);

 private:
  std::map<std::filesystem::path, std::uint64_t> known_;
};

}  // namespace sextant
