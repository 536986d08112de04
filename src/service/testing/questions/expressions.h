// Random expressions over t's columns, of every type and with every function.
#pragma once

#include <string>
#include <vector>

#include "discreet/service/testing/questions/draw.h"
#include "discreet/service/testing/questions/piece.h"
#include "discreet/service/testing/questions/world.h"

namespace discreet::service::testing::questions {

class Expressions {
 public:
  // `prefix` stands before t's columns ("t."); `others` are numbers that a join has brought.
  Expressions(Draw& draw, const World& world, std::string prefix, std::vector<Piece> others = {})
      : draw_(draw), world_(world), prefix_(std::move(prefix)), others_(std::move(others)) {}

  Piece column(const std::string& name) const;
  Piece number(int depth);
  Piece text(int depth);
  Piece truth(int depth);
  Piece moment(int depth);  // a date or a timestamp
  // EXISTS, IN and comparisons with subqueries over the public table.
  Piece about_public();
  // The months of a date and the like, names of days: public by the calendar.
  Piece calendar_part();

 private:
  Piece literal_number();
  Piece choice(const Piece& when, Piece one, Piece other);

  Draw& draw_;
  const World& world_;
  std::string prefix_;
  std::vector<Piece> others_;
};

}  // namespace discreet::service::testing::questions
