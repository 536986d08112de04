// What an answer has to be, and in what it differs from that.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "discreet/plan/post.h"
#include "discreet/policy/value.h"

namespace discreet::service::testing::questions {

struct ExpectedCell {
  std::function<bool(const policy::Value&)> fits;
  std::string wanted;  // in words
};

struct ExpectedRow {
  std::vector<std::string> key;  // canonical, see keys.h
  std::vector<ExpectedCell> cells;
  bool surely = true;  // false: it may be left out, as groups of few units are
};

struct Expected {
  std::string tag;  // the first column of its rows, where it is one part of a UNION ALL
  std::vector<policy::Type> key_types;
  std::vector<ExpectedRow> rows;
};

ExpectedCell near(double value, double tolerance);
ExpectedCell within(double low, double high);

// One line for each thing that is wrong with the rows: a group that shouldn't be there, one that is
// there twice, one that is missing, a value that is off. Rows are compared as a set; `limited` says
// that some may be left out.
std::vector<std::string> differences(const std::vector<Expected>& parts, bool limited,
                                     const std::vector<std::vector<plan::Cell>>& rows);

}  // namespace discreet::service::testing::questions
