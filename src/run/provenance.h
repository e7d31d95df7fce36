// SPDX-License-Identifier: Apache-2.0
// What a result was made with.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/json.h"
#include "run/study.h"

namespace sextant {

std::string_view version();  // of this library

// How every document begins: {"schema": 1, "verb": ..., "version": ...}.
Json new_document(std::string_view verb);

std::string compiler();
std::string input_hash_text(const std::array<std::uint64_t, 2>& hash);  // 32 hexadecimal digits
std::vector<std::string> asked_encodings(const Study& study);  // files by name, without folders

struct LibraryVersion {
  std::string_view name;
  std::string_view version;
};
// The libraries that this one is built with.
std::vector<LibraryVersion> library_versions();

// version, compiler, libraries.
Json build_json();

// build_json(), input_hash, options (the words that repeat the study).
Json provenance_json(const Study& study);

}  // namespace sextant
