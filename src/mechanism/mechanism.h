// A mechanism that was made by name (entry.h): what the command line, tests and auditors work with.
// Programs that know which one they want use its own header.
//
//   #include "discreet/mechanism/registry.h"
//   auto laplace = *find("laplace")->make({{"epsilon", Rational(1, 2)}, {"sensitivity", 1}});
//   const Value one{Rational(412)};
//   // An auditor compares the distributions on an input and on each of its neighbours.
//   Pmf p = *laplace->pmf(one, {});
//   for (const Value& other : *laplace->neighbours(one)) Pmf q = *laplace->pmf(other, {});
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "discreet/base/ball.h"
#include "discreet/mechanism/exact.h"
#include "discreet/mechanism/value.h"
#include "discreet/privacy/event.h"
#include "discreet/privacy/guarantee.h"
#include "discreet/random/source.h"

namespace discreet::mechanism {

using Figures = std::vector<std::pair<std::string, double>>;  // named numbers

struct Mass {
  Value output;
  Ball probability;
  std::optional<Label> cell = {};  // of a histogram, whose cells are independent: one list for each
};
struct Pmf {
  std::vector<Mass> rows = {};
  Ball tail = Ball(0);  // what the rows leave out; of the average cell where there are cells
  Figures figures = {};
};

// Which outputs to list, where they are numbers. Without ends, all but 1e-9 of the probability. At
// most kMostRows.
struct Window {
  std::optional<Rational> from = {}, to = {};
};
inline constexpr std::size_t kMostRows = 100'000;

struct Accuracy {
  double bound;
  Figures figures = {};  // the decks' bounds, and other named numbers
  // What is bounded, in words: the bound and the probability come in.
  std::string_view says = "within ±{} with probability {} or more (exact)";
};

struct Answer {
  Value value;
  // Holds the exact value with the confidence that releases state (kConfidence); none where an
  // error has no size.
  std::optional<std::pair<Value, Value>> interval = {};
};

class Mechanism {
 public:
  virtual ~Mechanism() = default;

  // What a release costs, and the same as an accountant sees it, who may gain from knowing which
  // noise it was. The event never costs less than the release does. dp(ε, δ) is always true, and
  // all that is said where nothing better is known.
  virtual privacy::Guarantee guarantee() const = 0;
  virtual privacy::Event event() const;

  // Public numbers that say more of what a release does: a threshold.
  virtual Figures figures() const { return {}; }

  // The exact distribution. An error where Entry::has_pmf is false.
  virtual Result<Pmf> pmf(const Value& input, const Window& window) const;
  // The least bound on the error that holds with probability 1 − beta. Without an input where
  // Entry::accuracy_of_input is false.
  virtual Result<Accuracy> accuracy(const std::optional<Value>& input,
                                    const Rational& beta) const = 0;
  virtual Result<Answer> release(const Exact<Value>& input, random::Source& source) const = 0;
  // Neighbours of this input that are as far from it as neighbours get, each in a way of its own.
  virtual Result<std::vector<Value>> neighbours(const Value& input) const = 0;
};
using MechanismPointer = std::unique_ptr<Mechanism>;

}  // namespace discreet::mechanism
