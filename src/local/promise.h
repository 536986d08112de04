// What a collector may say of a collection of reports, and of whom.
//
//   #include "discreet/local/registry.h"
//   auto flat = *find("flat")->make({.epsilon = 1, .domain = 16});
//   Collection asked{.epsilons = {1}, .hides_well = one_value_a_report(*flat)};
//   asked.users = 1000000, asked.delta = Rational(1, 1000000);
//   Promise promise = *promise_of(asked);
//   double shuffled = promise.shuffled->epsilon;  // far below 1
//
// What is proved: n users' reports, n being public, are max ε_i-private where one user's value is
// substituted, since only that user's report changes; several reports of one user add up, and so do
// the users of a group (deck 002). Reports that are drawn from a permanent one
// are post-processing of it: together they cost what it does. Where a user is added or removed the
// number of reports changes with them, which no ε covers; if those who are absent report too, some
// value through the same randomizer, then it is a substitution. Shuffled: privacy/shuffle.h; of
// several rounds, each shuffled by itself, ε and δ add up.
#pragma once

#include "discreet/local/protocol.h"

namespace discreet::local {

struct Collection {
  std::vector<Rational> epsilons;  // of each report, in any order; at least one, none below 0
  std::uint64_t reports = 1;       // of each user
  // Of all reports of a user about one value, however many, where they are drawn from one permanent
  // report (local/longitudinal.h); `reports` is then one round's.
  std::optional<Rational> permanent = {};
  std::uint64_t group = 1;                  // how many users are protected together
  bool absentees_report = false;            // who takes no part sends a report all the same
  bool hides_well = false;                  // one_value_a_report of the protocol
  std::optional<std::uint64_t> users = {};  // of those that are shuffled; with delta
  std::optional<Rational> delta = {};
};

struct Promise {
  Rational report;   // the largest ε of a report
  Rational central;  // of the collection, where one user's values are substituted; with permanent
                     // reports for each value that a user ever held
  Rational group;    // the same for a group
  // Where a user is added or removed; nothing: there is no finite ε.
  std::optional<Rational> add_remove = {};
  struct Group {
    double epsilon = 0, delta = 0;
  };
  struct Shuffled {
    double epsilon = 0;
    Rational delta;
    bool closed_form = false;           // else numerical, which is never above it
    std::optional<double> closed = {};  // what the closed form says, where it holds
    std::optional<Group> group = {};    // of the group; nothing where no δ below 1 is known
  };
  std::optional<Shuffled> shuffled = {};  // where users and delta are given
};
Result<Promise> promise_of(const Collection& collection);

// Whether each report is likely from one value only, so that it hides better among shuffled ones.
bool one_value_a_report(const Protocol& protocol);

}  // namespace discreet::local
