// How much an event costs, by the accountant of your choice or the tightest.
//
//   #include "discreet/privacy/expression.h"
//   Event event = *parse_event("laplace(scale=10)*100");
//   Answer answer = *account_epsilon(event, Rational(1, 100000), {});
//   double epsilon = answer.value.upper;               // 4.2204…
//   std::string_view by = name_of(answer.accountant);  // "pld"
//
// Every upper end is a proved bound. Lower ends come from pld and gdp, which know the loss itself;
// the others give 0.
#pragma once

#include <optional>
#include <string_view>

#include "discreet/privacy/event.h"
#include "discreet/privacy/guarantee.h"
#include "discreet/privacy/pld.h"

namespace discreet::privacy {

enum class Accountant { kBasic, kAdvanced, kOptimal, kZcdp, kRdp, kGdp, kPld };
inline constexpr Accountant kAccountants[] = {
    Accountant::kBasic, Accountant::kAdvanced, Accountant::kOptimal, Accountant::kZcdp,
    Accountant::kRdp,   Accountant::kGdp,      Accountant::kPld};

std::string_view name_of(Accountant accountant);
Result<Accountant> accountant_named(std::string_view name);
Result<Adjacency> adjacency_named(std::string_view name);

struct AccountOptions {
  Adjacency adjacency = Adjacency::kAddRemove;
  std::optional<Accountant> accountant;  // none: pld where it can, else the tightest of the others
  double tolerance = 1e-3;               // of pld's interval, relative to its upper end
  double most_work = PldOptions{}.most_work;  // of pld
  std::function<void(double)> progress = {};  // as in PldOptions
  // Of a δ only the side of this one counts: bounds are not tightened once that is sure.
  std::optional<double> target = std::nullopt;
};

struct Answer {
  Interval value;
  Accountant accountant = Accountant::kPld;
  bool met = true;  // the tolerance
  double work = 0;  // of pld
};

// ε for δ in [0, 1), and δ for any ε: below 0 it is a point of the privacy profile like any other.
Result<Answer> account_epsilon(const Event& event, const Rational& delta,
                               const AccountOptions& options);
Result<Answer> account_delta(const Event& event, const Rational& epsilon,
                             const AccountOptions& options);

// The Rényi divergence of infinite order, which is the pure ε: an upper bound, infinite where no
// finite one is known.
Result<double> largest_divergence(const Event& event, Adjacency adjacency);

}  // namespace discreet::privacy
