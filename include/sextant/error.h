// SPDX-License-Identifier: Apache-2.0
// The one exception of the library and its closed list of codes.
#pragma once

#include <stdexcept>
#include <string>

namespace sextant {

// What went wrong, as a program needs to know it. The command line turns each code into one exit
// status; docs/errors.md has the table.
enum class ErrorCode {
  kUsage,       // 2: the call itself is wrong: a name, a parameter, a size
  kMalformed,   // 3: an input was read but breaks the rules of its format
  kUnreadable,  // 4: an input is missing, forbidden, or changed while it was read
  kRefused,     // 5: a resource estimate says that the work does not fit
  kUnwritable,  // 6: an output cannot be written
  kNumeric,     // 7: a result is not finite, or a self-check failed
  kCheckpoint,  // 9: no usable checkpoint
  kRankLost,    // 10: another process of a distributed run is gone
  kInternal,    // 70: a defect of this library
};

// The exit status of `code` on the command line.
int exit_status(ErrorCode code);

// The only exception that leaves the library. what() is one line: "where: what is wrong".
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace sextant
