// Randomized response (Warner 1965; decks 002, 003): each person tells the truth with probability
// e^ε/(e^ε + k − 1), else one of the other k − 1 values, all alike. For two values and ε = ln 3
// that is the coin protocol of the decks, [[3/4, 1/4], [1/4, 3/4]].
//
//   const auto values = Candidates::named({"yes", "no"});
//   auto mechanism = *RandomizedResponse::create({.epsilon = 1, .values = values});
//   auto told = *mechanism.release(Exact<std::size_t>::from_private(0));
//   std::string answer = values.name(told.value());  // "yes", most of the time
//
// What is proved: any answer is e^ε times as likely from one value as from another at most, and
// from the truth against any other exactly e^ε. The guarantee is about the person's value being
// another one (substitute): that a person answers at all is seen.
#pragma once

#include "discreet/mechanism/door.h"
#include "discreet/mechanism/released.h"
#include "discreet/mechanism/selection.h"
#include "discreet/privacy/event.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism {

struct RandomizedResponseParameters {
  Rational epsilon;
  Candidates values;  // two or more
};

class RandomizedResponse : private Door {
 public:
  static Result<RandomizedResponse> create(const RandomizedResponseParameters& parameters);

  privacy::Guarantee guarantee() const { return {p_.epsilon, 0, privacy::Relation::kSubstitute}; }
  privacy::Event event() const {
    const Integer k(static_cast<unsigned long>(p_.values.size()));
    return {privacy::RandomizedResponse{k, p_.epsilon}};
  }
  const RandomizedResponseParameters& parameters() const { return p_; }

  Result<Released<std::size_t>> release(const Exact<std::size_t>& value,
                                        random::Source& source = random::thread_generator()) const;

  // P[output | value].
  Ball probability(std::size_t value, std::size_t output, long bits) const;
  // P[the answer isn't the truth] = (k−1)/(e^ε + k − 1).
  Ball lie(long bits) const;

 private:
  explicit RandomizedResponse(RandomizedResponseParameters parameters)
      : p_(std::move(parameters)) {}
  RandomizedResponseParameters p_;
};

}  // namespace discreet::mechanism
