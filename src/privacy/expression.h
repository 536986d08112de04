// Events as people write them.
//
//     poisson(0.01, gaussian(sigma=1.1))*10000
//     parallel(laplace(scale=2), randomized-response(k=4, epsilon=ln(3)))
//     gaussian(sigma=?)*20          at most one number may be unknown, for calibration
//
//   Expression twenty = *Expression::parse({"gaussian(sigma=?)*20"});
//   Event event = *twenty.at(5);
#pragma once

#include <optional>
#include <span>

#include "discreet/privacy/event.h"

namespace discreet::privacy {

// What is read at most. Every answer takes a few seconds within these limits; beyond them is one
// sentence.
struct ExpressionLimits {
  static constexpr long kNesting = 64;            // events within events; each '*' is a level too
  static constexpr std::size_t kEvents = 10'000;  // in all texts together
  static constexpr std::size_t kCharacters = 1'000'000;
  static constexpr unsigned long kCountDigits = 300;  // a count is at most 10^300
  static constexpr unsigned long kDigits = 150;  // other numbers are 0 or from 10^-150 to 10^150
};

// The number that was written as "?".
struct Unknown {
  std::string name;       // "sigma", "q", "count", …
  bool whole = false;     // counts and k
  bool protects = false;  // a larger one means more privacy
  Rational low, high;     // where it may lie; the ends themselves may be excluded
};

class Expression {
 public:
  // Several texts are events composed. An error points at its place in the text.
  static Result<Expression> parse(std::vector<std::string> texts);

  const std::optional<Unknown>& unknown() const { return unknown_; }
  // The event. Refused where a number is unknown.
  Result<Event> event() const;
  // The event with the unknown set.
  Result<Event> at(const Rational& value) const;

 private:
  std::vector<std::string> texts_;
  std::optional<Unknown> unknown_;
};

// One event without unknowns.
Result<Event> parse_event(std::string_view text);

}  // namespace discreet::privacy
