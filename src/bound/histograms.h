// Histograms of units, of all their rows (shape.h): what a survey asks for. Nothing is left out and
// no group is added up, so nothing has to be chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "discreet/bound/adder.h"
#include "discreet/bound/layout.h"
#include "discreet/bound/shape.h"

namespace discreet::bound {

class Histograms final : public Adder {
 public:
  Histograms(const Shape& shape, const std::optional<HeldAs>& held);

  void add(Record first, std::size_t count) override;
  void merge(const Adder& other) override;
  Added finish() override;

 private:
  struct Values {
    std::size_t tally;
    std::size_t at;            // in a record
    std::optional<Grid> grid;  // of a number's bits
  };
  struct InGroups {
    std::uint64_t groups = 0, most = 0;
  };
  InGroups in_groups(Record first, std::size_t count);
  InGroups in_many_groups(Record first, std::size_t count);
  void add_values(const Values& values, Record first, std::size_t count);

  const Shape& shape_;
  const Layout layout_;  // of the records
  bool asks_of_groups_ = false;
  std::vector<Values> values_;
  std::vector<std::vector<std::int64_t>> tallies_;
  std::vector<std::uint64_t> rows_;  // by group, where there are few; zero between units
  std::vector<std::int64_t> bins_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted_;
};

}  // namespace discreet::bound
