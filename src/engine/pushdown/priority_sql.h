// By what a unit's groups and rows are chosen, as an engine's SQL: the formulas of
// bound/priority.h.
#pragma once

#include <string>

#include "discreet/engine/pushdown/dialect.h"
#include "discreet/plan/plan.h"

namespace discreet::engine::pushdown {

class PrioritySql {
 public:
  PrioritySql(const plan::PlanPart& part, const Dialect& dialect)
      : part_(part), dialect_(dialect) {}

  // (unit, group), of the columns u, k0, k1, …
  std::string group() const;
  // The row's content, of h (its unit and group), v0, v1, … and, where rows are marked, m.
  std::string row(bool marked) const;
  // … and its number among equal ones, of c (its content).
  std::string copy(const char* number, int purpose) const;

 private:
  std::string combined(const std::string& a, const std::string& b) const;
  std::string inner(const std::string& value) const;
  std::string of_unit() const;
  std::string of_keys() const;

  const plan::PlanPart& part_;
  const Dialect& dialect_;
};

}  // namespace discreet::engine::pushdown
