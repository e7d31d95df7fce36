// SPDX-License-Identifier: Apache-2.0
// A script in the place of sextant-lab, for tests of the verbs that start it.
#pragma once

#include <string>
#include <vector>

#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {

// What is sent and answered is written once, here.
inline constexpr const char* kLabStart = R"sh(#!/bin/sh
verb=$1; job=$2; folder=$4; resume=$5
if [ $verb = check ]; then
  if [ -n "$REFUSED" ]; then echo "sextant-lab: error: $REFUSED" >&2; exit 4; fi
  exit 0
fi
encoding=$(sed -n 's/^  "encoding": "\(.*\)",$/\1/p' "$job")
seed=$(sed -n 's/^  "seed": \([0-9]*\),$/\1/p' "$job")
echo "$resume" >> "$folder/runs"
echo '{"step":1,"steps":4,"loss":1.5}'
echo 'no progress'
if [ "$encoding:$seed" = "$BROKEN" ]; then echo "sextant-lab: error: it broke" >&2; exit 7; fi
end=finished; fault=
)sh";
inline constexpr const char* kLabEnd = R"sh(
cat > "$folder/result.json" <<END
{"trial": $(cat "$job"), "end": "$end", "fault": "$fault",
 "curve": [{"step": 1, "loss": 1.5}, {"step": 4, "loss": 0.5}], "evaluations": [$evaluations],
 "parameters": 10, "steps_per_second": 99.5, "seconds": 1.0, "corpus_hash": "", "files_hash": "",
 "framework": "script", "folder": "", "notes": [$NOTES]}
END
)sh";

class WithFakeLab : public testing::Test {
 protected:
  // `body` is shell code that knows verb, job, folder, encoding and seed. It sets `evaluations`,
  // and end and fault where the trial does not end well. The trial ENCODING:SEED of BROKEN fails,
  // and a check with the text of REFUSED.
  explicit WithFakeLab(const std::string& body) {
    using std::filesystem::perms;
    std::filesystem::permissions(folder_.write("lab", kLabStart + body + kLabEnd),
                                 perms::owner_all);
  }

  // A variable for the script; `lab` is a file of the folder.
  CommandOptions environment(const std::string& variable = "NOTHING=",
                             const std::string& lab = "lab") const {
    return {.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", variable,
                            "SEXTANT_LAB=" + (folder_ / lab).string()}};
  }
  std::string output() const { return (folder_ / "out").string(); }

  // How often trials were started.
  int runs() const {
    int result = 0;
    for (const auto& each : std::filesystem::recursive_directory_iterator(folder_ / "out")) {
      if (each.path().filename() != "runs") continue;
      for (const char c : content_of(each.path())) result += c == '\n' ? 1 : 0;
    }
    return result;
  }

  TemporaryDirectory folder_;
};

}  // namespace sextant
