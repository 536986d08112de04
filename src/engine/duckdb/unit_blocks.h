// A CSV file cut into blocks of whole units, for subsample-and-aggregate
// (mechanism/gap/sample_aggregate.h).
//
//   auto table = UnitTable::open("visits.csv", "patient");
//   if (!table) return forward_error(table);
//   auto assignment = *mechanism::gap::Assignment::draw(100);
//   auto blocks = table->split(assignment);  // for each block its rows, as CSV
//
// Records are those of csv.h: taking one unit's out leaves every other as it was, so that the files
// with and without a unit differ in the rows of one block. A unit is the bytes of its field,
// without the quotes around them; a row whose unit is NULL belongs to nobody and is left out.
// Within a block rows keep the file's order.
#pragma once

#include <string>
#include <vector>

#include "discreet/mechanism/gap/assignment.h"

namespace discreet::engine::duckdb {

class UnitTable {
 public:
  // Reads the header and no more.
  static Result<UnitTable> open(const std::string& file, const std::string& unit);

  const std::vector<std::string>& names() const { return names_; }
  std::string header() const;  // one line of CSV

  Result<std::vector<std::string>> split(const mechanism::gap::Assignment& assignment) const;

 private:
  UnitTable(std::string file, std::vector<std::string> names, std::size_t unit)
      : file_(std::move(file)), names_(std::move(names)), unit_(unit) {}
  std::string file_;
  std::vector<std::string> names_;
  std::size_t unit_;
};

}  // namespace discreet::engine::duckdb
