// The standard normal distribution's mass between two points, in doubles, with a proved relative
// error.
#pragma once

namespace discreet::privacy {

// Φ(b) − Φ(a) for a ≤ b (either may be infinite), with relative error at most
// normal_error(max(|a|,|b|)) — that of the nearer end where one is infinite — and never by
// subtracting nearly equal numbers.
double normal_mass(double a, double b);

// The same for N(0,1) and N(μ,1) at once, on the same interval: narrow ones share what they
// compute, so that the ratio of the two is good to a few units in the last place of 1 + |μx|.
struct TwoMasses {
  double centred, shifted;
};
TwoMasses normal_masses(double a, double b, double mu);

// Half of each unit in the last place: erfc (glibc: 5 of them, taken as 8), the square in its
// argument, and the difference.
double normal_error(double furthest);

}  // namespace discreet::privacy
