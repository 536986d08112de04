// What stands after FROM: t alone, joined, filtered, folded by its unit, merged with itself, beside
// lists of odd values.
#pragma once

#include <string>
#include <vector>

#include "discreet/service/testing/questions/keys.h"

namespace discreet::service::testing::questions {

struct Source {
  std::string with;  // "WITH … ", before SELECT; ours and the oracle's alike but for `from`
  std::string oracle_with;
  Piece from;
  std::vector<Piece> keys;     // what the joins have brought to be grouped by
  std::vector<Piece> numbers;  // … and to be computed with
  Declared declared;
};

// Each has t's columns under the alias t, and t.u.
Source random_source(Draw& draw, const World& world);

}  // namespace discreet::service::testing::questions
