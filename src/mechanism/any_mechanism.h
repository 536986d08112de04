// Any mechanism, by name: what the command line, the auditor and the documentation work with.
// Programs that know which mechanism they want use its own header.
//
//   #include "discreet/mechanism/registry.h"
//   Parameters parameters;
//   parameters.epsilon = Rational(1, 2), parameters.sensitivity = 1;
//   auto mechanism = *find("laplace")->make(parameters);
//   const Input one{.numbers = {412}}, other = mechanism->neighbour(one);
//   // An auditor compares the two.
//   Pmf p = *mechanism->pmf(one, {}), q = *mechanism->pmf(other, {});
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "discreet/base/ball.h"
#include "discreet/mechanism/exact.h"
#include "discreet/privacy/guarantee.h"
#include "discreet/random/source.h"

namespace discreet::mechanism {

// Everything a mechanism can be told in public; each takes some (Entry::required, Entry::optional).
struct Parameters {
  std::optional<Rational> epsilon = {}, delta = {}, sensitivity = {}, grid = {}, sigma = {},
                          rho = {}, threshold = {}, threshold_share = {};
  std::optional<std::int64_t> max = {}, positives = {};
  bool monotone = false, gap = false;
  std::optional<privacy::Relation> relation = {};
  std::vector<std::string> labels =
      {};  // of candidates, values or cells; numbered if there are none
};

// The private side: numbers (a value, scores, answers, counts), or one of the labels.
struct Input {
  std::vector<Rational> numbers = {};
  std::string choice = {};
};

// Outputs are JSON texts: 412, "dark", [false,true]. The same output has the same text whatever the
// input.
struct Mass {
  std::string output;
  Ball probability;
  std::string cell = {};  // of a histogram, where each cell has its own distribution
};
struct Pmf {
  std::vector<Mass> rows;
  Ball tail;                                                 // what the rows leave out
  std::vector<std::pair<std::string, double>> figures = {};  // named numbers to stand beside it
};

// Which outputs to list. Without ends, all but 1e-9 of the probability. At most kMostRows.
struct Window {
  std::optional<Rational> from = {}, to = {};
};
inline constexpr std::size_t kMostRows = 100'000;

struct Accuracy {
  double bound;
  std::vector<std::pair<std::string, double>> figures =
      {};  // the decks' bounds, and other named numbers
};

struct Answer {
  std::string value;         // as JSON
  std::string lower, upper;  // the interval's ends, as JSON; empty where an error has no size
};

class AnyMechanism {
 public:
  virtual ~AnyMechanism() = default;
  virtual privacy::Guarantee guarantee() const = 0;
  virtual Result<Pmf> pmf(const Input& input, const Window& window) const = 0;
  virtual Result<Accuracy> accuracy(const Input& input, const Rational& beta) const = 0;
  virtual Result<Answer> release(const Exact<Input>& input, random::Source& source) const = 0;
  // A neighbour of this input, as far from it as neighbours get.
  virtual Input neighbour(const Input& input) const = 0;
};
using AnyMechanismPointer = std::unique_ptr<AnyMechanism>;

Result<AnyMechanismPointer> make_laplace(const Parameters& p);
Result<AnyMechanismPointer> make_geometric(const Parameters& p);
Result<AnyMechanismPointer> make_truncated_geometric(const Parameters& p);
Result<AnyMechanismPointer> make_count(const Parameters& p);
Result<AnyMechanismPointer> make_histogram(const Parameters& p);
Result<AnyMechanismPointer> make_gaussian(const Parameters& p);
Result<AnyMechanismPointer> make_discrete_gaussian(const Parameters& p);
Result<AnyMechanismPointer> make_exponential(const Parameters& p);
Result<AnyMechanismPointer> make_permute_and_flip(const Parameters& p);
Result<AnyMechanismPointer> make_noisy_max(const Parameters& p);
Result<AnyMechanismPointer> make_sparse_vector(const Parameters& p);
Result<AnyMechanismPointer> make_randomized_response(const Parameters& p);

// Numbers and strings as JSON. A rational is written out where its decimals end, else as the
// nearest double.
std::string json_number(const Rational& value);
std::string json_number(double value);
std::string json_string(std::string_view text);

}  // namespace discreet::mechanism
