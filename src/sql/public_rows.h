// Who reads public tables: which groups there are, where the keys are theirs, is looked up before
// anything is spent.
#pragma once

#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::sql {

class PublicRows {
 public:
  virtual ~PublicRows() = default;
  // Of a relation that isn't private.
  virtual Result<std::vector<std::vector<Value>>> rows(const Relation& relation) const = 0;
};

}  // namespace discreet::sql
