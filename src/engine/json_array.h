// Rows of JSON files that are one array of objects: [{"who": 1, "x": 2}, …]. DuckDB's reader of
// such files stops with an error at the first malformed element, which a query must never do; this
// one goes on.
//
//   JsonArray array("visits.json");
//   std::string element;
//   while (array.next(element)) fields_of(element, {"who", "x"});  // "1", "2"
//
// The outermost objects are the rows, whatever stands around them. Their ends are found by quotes
// and brackets alone, and a malformed one costs itself: a line break in a string, a bracket closed
// by another kind, an object where there can be none end it. (Only a list that is never closed
// takes what follows along.)
#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace discreet::engine {

class JsonArray {
 public:
  // Longer elements, and those nested deeper, are passed over: they would take too much memory.
  static constexpr std::size_t kLongest = 1 << 24;
  static constexpr std::size_t kDeepest = 1000;

  explicit JsonArray(const std::string& file) : file_(file, std::ios::binary) {}
  bool readable() const { return file_.is_open() && !file_.bad(); }
  bool next(std::string& element);

 private:
  int read();
  std::ifstream file_;
  std::string block_;
  std::size_t at_ = 0;
};

// The element's fields as text, in the order of the names; missing and null ones are empty. Nothing
// if it isn't an object.
std::optional<std::vector<std::optional<std::string>>> fields_of(
    const std::string& element, const std::vector<std::string>& names);

}  // namespace discreet::engine
