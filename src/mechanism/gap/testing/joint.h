// Two independent outcomes as one.
#pragma once

#include <vector>

#include "discreet/base/ball.h"
#include "discreet/mechanism/testing/privacy_check.h"

namespace discreet::mechanism::gap::testing {

inline std::vector<Ball> joint(const std::vector<Ball>& a, const std::vector<Ball>& b) {
  std::vector<Ball> out;
  out.reserve(a.size() * b.size());
  for (const Ball& p : a)
    for (const Ball& q : b) out.push_back(mul(p, q, mechanism::testing::kBits));
  return out;
}

}  // namespace discreet::mechanism::gap::testing
