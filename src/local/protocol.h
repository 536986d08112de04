// A protocol of the local model (decks 002, 003): each person perturbs their own value before it
// leaves their hands, and whoever collects the reports sees nothing else.
//
//   #include "discreet/local/registry.h"
//   #include "discreet/random/generator.h"
//   ProtocolPointer flat = *find("flat")->make({.epsilon = 1, .domain = 16});
//   std::vector<Word> report(flat->constants().words);
//   const Value value = 3;
//   Status told = flat->perturb({&value, 1}, random::thread_generator(), report);  // the client
//   State state(*flat);
//   flat->count(report, state.counters);  // the collector
//   state.users += 1;
//
// What is proved: for any two values v, v' and any report r, P[r|v] ≤ e^ε·P[r|v']. Each protocol's
// header says why; tests compare `probability` on every pair of values and every report.
//
// A report is a fixed number of 32-bit words, whatever the protocol, and a collector's state is a
// list of counters that add up: so that reading, collecting, merging and storing are written once.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "discreet/base/ball.h"
#include "discreet/random/source.h"

namespace discreet::local {

// What a person holds: one of `domain` values by its number, from 0 on; or, where the protocol is
// about numbers, a place on the grid 0 … kScale from the lower bound to the upper one.
using Value = std::uint32_t;
inline constexpr Value kScale = Value{1} << 30;
inline constexpr std::size_t kMostValues = (std::size_t{1} << 31) - 2;

using Word = std::uint32_t;

// What reports can be asked for.
enum class Task {
  kFrequencies,  // how often each value occurs
  kMean,         // the mean of numbers
  kShape,        // how numbers are distributed: frequencies of neighbouring bins
};

// What a protocol is made of. Each takes what it needs.
struct Parameters {
  std::optional<Rational> epsilon = {};   // none for coins, whose ε follows from the coin
  std::size_t domain = 2;                 // how many values there are
  std::optional<Rational> heads = {};     // of coins: how likely the first one tells the truth
  std::size_t blocks = 1;                 // of hadamard
  std::optional<std::size_t> range = {};  // of local-hashing: how many values the hash has
};

// The public numbers of a protocol.
struct Constants {
  std::string_view name;
  Task task = Task::kFrequencies;
  Rational epsilon;        // never below the true one
  std::size_t domain = 2;  // 0 where there are numbers instead of values
  // P[a report supports v | v], P[it supports another value | v]; of numbers, what the paper calls
  // so.
  double p = 0, q = 0;
  // Of the estimate from one report: of a frequency that is 0, of a mean in the middle.
  double variance = 0;
  double bits = 0;        // what a report must carry
  std::size_t words = 1;  // what it takes in memory
  std::size_t counters = 0;
  std::vector<std::pair<std::string, double>> own =
      {};  // g, ω, C, b, …: the protocol's own constants
  // What counters hold; where each report adds 1 at most, what doubles count exactly.
  std::uint64_t most_reports = std::uint64_t{1} << 53;
};

// Why a report is refused.
enum class Fault { kNone, kMalformed, kWrongLength, kOutOfRange, kWrongProtocol, kDuplicated };
inline constexpr std::size_t kFaults = 6;

class State;
class Likelihood;

// How reports are written and what is counted of them: all that reading, collecting, merging and
// storing need to know.
class Reports {
 public:
  virtual ~Reports() = default;
  virtual const Constants& constants() const = 0;

  // A report as a line of text, without its end; and back. `read` trusts nothing: what it accepts
  // is a report that a client could have made. Words of a refused line mean nothing.
  virtual void write(std::span<const Word> report, std::string& line) const = 0;
  virtual Fault read(std::string_view line, std::span<Word> report) const = 0;

  // The collector: adds reports that a client or `read` made. Counters of several collectors are
  // added up.
  virtual void count(std::span<const Word> reports, std::span<std::uint64_t> counters) const = 0;
  // Whether so many reports can give these counters, of which there are as many as it takes. A
  // file can hold any numbers, and no sum of clients' reports may say what none of them could.
  virtual bool fits(std::span<const std::uint64_t> counters, std::uint64_t users) const = 0;
};

class Protocol : public Reports {
 public:
  // The client: one report for each value, one after the other. Exact, and the time it takes
  // depends on no value. Values that aren't in the domain are an error, before anything is drawn.
  virtual Status perturb(std::span<const Value> values, random::Source& source,
                         std::span<Word> reports) const = 0;

  // P[report | value], exactly.
  virtual Ball probability(Value value, std::span<const Word> report, long bits) const = 0;
  // Every report there is, for tests and audits; an error where there are more than a million.
  virtual Result<std::vector<Word>> outcomes() const = 0;
};
using ProtocolPointer = std::unique_ptr<const Protocol>;

// How far chance carries estimates by inversion.
struct Reach {
  double lowest = -INFINITY;  // at or below: too low for any frequency, with the chance asked for
  double nobody = INFINITY;   // at or above: too high for a value that nobody holds
};

// Those that tell how often values occur. A report supports a set of values, and is e^ε times as
// likely from each of them as from any other.
class FrequencyProtocol : public Protocol {
 public:
  // How many reports support each value: E = n·(q + (p − q)·f).
  virtual std::vector<double> supports(std::span<const std::uint64_t> counters) const = 0;
  // Of the estimate (C/n − q)/(p − q) from one report, were the frequencies these: where a report
  // supports v with p from those who hold it and with q from all others,
  //     (f·p(1−p) + (1−f)·q(1−q))/(p−q)².
  virtual std::vector<double> variances(std::span<const std::uint64_t> counters,
                                        std::span<const double> frequencies) const;
  // For one value, with this chance to be wrong.
  virtual Reach reach(std::span<const std::uint64_t> counters, std::uint64_t users,
                      double chance) const;
  // What the reports say of any distribution (likelihood.h). An error where it takes reports that
  // the state didn't keep.
  virtual Result<std::unique_ptr<Likelihood>> likelihood(const State& state) const = 0;
  // Whether `likelihood` needs the reports themselves, not only their counters.
  virtual bool likelihood_needs_reports() const { return false; }
};

// A number estimated, and how far it may be off.
struct Number {
  double value = 0;
  double stderr_ = 0;
};

// Those that tell the mean of numbers, as a place from 0 (lower bound) to 1 (upper bound).
class MeanProtocol : public Protocol {
 public:
  virtual Number mean(const State& state) const = 0;
};

// Those that tell how numbers are distributed: frequencies of `domain` bins of equal width. Each
// bin has `parts` of equal width, which is as finely as reports are counted.
class ShapeProtocol : public Protocol {
 public:
  virtual std::size_t parts() const = 0;
  // P[a report adds to that counter | a number that is uniform in that part of a bin].
  virtual double probability_of_counter(std::size_t part, std::size_t counter) const = 0;
  // Of distributions over all parts of all bins.
  virtual Result<std::unique_ptr<Likelihood>> likelihood(const State& state) const = 0;
};

}  // namespace discreet::local
