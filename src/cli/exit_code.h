// The one place where a failure becomes a process's exit code.
#pragma once

#include "discreet/base/error.h"

namespace discreet::cli {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,
  kBadUsage = 2,
  kRefusedByPolicy = 3,
  kRefusedByBudget = 4,
  kStopped = 130,
};

constexpr ExitCode exit_code(Code code) {
  switch (code) {
    case Code::kFailure:
      return kFailed;
    case Code::kUsage:
      return kBadUsage;
    case Code::kRefused:
      return kRefusedByPolicy;
    case Code::kBudget:
      return kRefusedByBudget;
    case Code::kInterrupted:
      return kStopped;
  }
  return kFailed;
}

}  // namespace discreet::cli
