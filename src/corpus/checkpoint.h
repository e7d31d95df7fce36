// SPDX-License-Identifier: Apache-2.0
// Two generations of a run's counts in one folder, so that one is good at any instant.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "corpus/counts_file.h"
#include "io/folder_lock.h"

namespace sextant {

class Checkpoints {
 public:
  // Makes the folder, locks it for our lifetime and removes what dead writers left half-written.
  explicit Checkpoints(const std::filesystem::path& folder);

  // The newest good generation, or nothing when there are none. A bad one is noted and passed over;
  // when all are bad, kCheckpoint, and the files stay as they are.
  std::optional<CountsFile> newest(std::vector<std::string>& notes) const;

  // Writes the next generation over the older one. Throws kUnwritable; the other one stays good.
  void write(CountsFile& file) const;
  void remove_all() const;

 private:
  OutputFolder output_;
  std::filesystem::path folder_;
  FolderLock lock_;
};

// Throws kCheckpoint with the list of differences unless `saved` can be continued as `wanted`:
// numeric options, tokenizer, how the input is read and cut.
void check_same_run(const CountsFile& saved, const CountsFile& wanted,
                    const std::filesystem::path& folder);

}  // namespace sextant
