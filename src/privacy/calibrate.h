// Finding the one number of an expression that is written "?": the least noise, or the most of
// everything else, for a guarantee.
//
//   auto expression = *Expression::parse({"gaussian(sigma=?)*20"});
//   Rational sigma = calibrate(expression, 1, Rational(1, 100000), {})->value;  // 16.68…
#pragma once

#include "discreet/privacy/accountant.h"
#include "discreet/privacy/expression.h"

namespace discreet::privacy {

struct Calibration {
  Rational value;  // the guarantee holds for it, by the accountant's upper bound; whole for counts
  Accountant accountant = Accountant::kPld;
};

// Closed forms are inverted to 12 digits, pld to `tolerance` relative; the value is a short decimal
// on the safe side.
Result<Calibration> calibrate(const Expression& expression, const Rational& epsilon,
                              const Rational& delta, const AccountOptions& options);

}  // namespace discreet::privacy
