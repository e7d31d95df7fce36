// SPDX-License-Identifier: Apache-2.0
// The one place that knows which error code ends a program with which status.
#include "sextant/error.h"

namespace sextant {

int exit_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return 2;
    case ErrorCode::kMalformed:
      return 3;
    case ErrorCode::kUnreadable:
      return 4;
    case ErrorCode::kRefused:
      return 5;
    case ErrorCode::kUnwritable:
      return 6;
    case ErrorCode::kNumeric:
      return 7;
    case ErrorCode::kCheckpoint:
      return 9;
    case ErrorCode::kRankLost:
      return 10;
    case ErrorCode::kInternal:
      return 70;
  }
  return 70;
}

}  // namespace sextant
