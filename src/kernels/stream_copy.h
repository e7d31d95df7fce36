// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sextant {

// memcpy for a target that will not be read soon: the bytes go past the caches, which spares the
// read of every line before it is overwritten. Slower than memcpy where the target fits a cache.
void stream_copy(const std::byte* from, std::size_t count, std::byte* to);

// One of the two: `whole` is how many bytes the caller is about to write in all.
void copy_part(const std::byte* from, std::size_t count, std::byte* to, std::size_t whole);

}  // namespace sextant
