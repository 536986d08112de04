// One thread's adding up of units: what the bounding does with the rows of each.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "discreet/bound/by_unit.h"
#include "discreet/bound/contributions.h"
#include "discreet/bound/groups.h"
#include "discreet/bound/shape.h"

namespace discreet::bound {

class Adder {
 public:
  using Record = ByUnit::Record;
  virtual ~Adder() = default;
  // A unit's rows, one after the other.
  virtual void add(Record first, std::size_t count) = 0;
  // What another one has, of the same shape.
  virtual void merge(const Adder& other) = 0;
  virtual Added finish() = 0;
};

// Of rows as the shape has them; or of rows that are held (held.h), whose slot places[s] has what
// the shape's slot s is of. What is given has to outlive it.
struct HeldAs {
  const Shape& shape;
  std::span<const std::size_t> places;
};
std::unique_ptr<Adder> make_adder(const Shape& shape, const std::optional<HeldAs>& held,
                                  const Secret& secret, Groups& groups);

}  // namespace discreet::bound
