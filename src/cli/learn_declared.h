// What people declare of training data: bounds, categories, classes, columns.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "discreet/cli/command.h"
#include "discreet/learn/encoding.h"
#include "discreet/policy/value.h"

namespace discreet::cli {

// "a, b ,c" as a, b and c.
std::vector<std::string> words_of(const std::string& text, char between = ',');

// --bounds 'age=0:100,ward=A|B|C': by column, a range or categories.
Result<std::map<std::string, learn::Column>> read_bounds(const std::string& text);

// --classes: 3 (0, 1 and 2), a,b,c, or none (the label is a number).
struct Classes {
  bool number = false;              // none
  std::vector<std::string> values;  // empty: they aren't declared
};
Result<Classes> read_classes(const std::string& text);

// A column's values as numbers if all of them are, else nothing: how a text is to be read.
bool are_numbers(const std::vector<std::string>& values);
// The values as values of that type; refused where one isn't.
Result<std::vector<policy::Value>> choices_of(const std::string& parameter,
                                              const std::vector<std::string>& values,
                                              policy::Type type);

}  // namespace discreet::cli
