// A protocol in two steps, for clients that report again and again: a value's permanent report is
// drawn once and kept (memory.h), and what is sent each time is drawn from that. Whoever averages a
// client's reports learns the permanent one, which is protected itself (Erlingsson, Pihur and
// Korolova 2014; Arcolezi, Couchot, Al Bouna and Xiao 2022).
//
//   #include "discreet/random/generator.h"
//   auto flat = *Longitudinal::create("flat", {.epsilon = 1, .domain = 16}, 2);
//   std::vector<Word> kept(1), told(1);
//   Status drawn = flat.permanent(3, {}, random::thread_generator(), kept);
//   Status done = flat.instant(kept, random::thread_generator(), told);
//
// The first step is the protocol at ε_forever. The second keeps what it is given with probability
// h, bit by bit where there are bits, and rolls a fair die else. Keeping has a strength H(ε): the
// flat mechanism over k values (and local hashing over its k buckets) keeps with H = (e^ε − 1)/(e^ε
// − 1 + k), the bits of unary encoding with tanh(ε/4) if it is symmetric and tanh(ε/2) if optimised
// (its true bit is a fair coin before and after). Two such steps in a row are one, of the product
// of their strengths: h = H(ε)/H(ε_forever).
//
// What is proved: one report is the protocol at ε exactly, so the collector estimates as if nothing
// were kept. All reports about one value together are drawn from its permanent report: ε_forever.
// Those about m values that took turns at known times: m·ε_forever, since their permanent reports
// are independent. That a value has changed is not hidden: it shows after enough reports.
#pragma once

#include <variant>

#include "discreet/local/flat.h"
#include "discreet/local/protocol.h"
#include "discreet/random/bernoulli.h"

namespace discreet::local {

class Longitudinal {
 public:
  // Of coins, flat, symmetric-unary, optimised-unary and local-hashing; ε < ε_forever.
  static Result<Longitudinal> create(std::string_view protocol, const Parameters& parameters,
                                     const Rational& forever);

  // At ε: what a report is, and what a collector estimates with.
  const Protocol& protocol() const { return *once_; }
  const Rational& forever() const { return forever_; }

  // The report of a value to keep. A client keeps one hash function for all of its values, else a
  // new one would tell that the value is new: `earlier` is any report that it keeps already, or
  // empty.
  Status permanent(Value value, std::span<const Word> earlier, random::Source& source,
                   std::span<Word> report) const;
  // The report to send.
  Status instant(std::span<const Word> kept, random::Source& source, std::span<Word> report) const;

  // Whether a client could keep both.
  bool fit(std::span<const Word> kept, std::span<const Word> other) const;

  // P[permanent report | value], where no other is kept yet, and P[report | permanent report].
  Ball permanent_probability(Value value, std::span<const Word> kept, long bits) const;
  Ball instant_probability(std::span<const Word> kept, std::span<const Word> report,
                           long bits) const;

 private:
  enum class Form { kNumber, kBits, kHash };
  struct Steps {
    Form form;
    std::size_t faces;       // of the die: values, 2 for a bit, buckets
    Real keep;               // h
    random::Bernoulli coin;  // of bits: that one is flipped, (1 − h)/2; else that it is kept
    std::unique_ptr<Flat> bucket;  // of a hash: the permanent bucket
  };
  Longitudinal(ProtocolPointer once, ProtocolPointer permanent, Rational forever, Steps steps)
      : once_(std::move(once)),
        permanent_(std::move(permanent)),
        forever_(std::move(forever)),
        steps_(std::move(steps)) {}

  ProtocolPointer once_, permanent_;
  Rational forever_;
  Steps steps_;
};

}  // namespace discreet::local
