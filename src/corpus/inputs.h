// SPDX-License-Identifier: Apache-2.0
// What the name of an input says about its format.
#pragma once

#include <filesystem>

#include "sextant/corpus.h"

namespace sextant {

// By the extension below .gz and .zst; text where it says nothing. Throws kMalformed for formats
// that are no text.
RecordFormat format_by_name(const std::filesystem::path& path);

}  // namespace sextant
