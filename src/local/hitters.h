// Heavy hitters: the words that many people have, where nobody knows which words there are. Prefix
// extension (Bassily, Nissim, Stemmer and Thakurta 2017; Wang, Li and Jha 2018, "PEM").
//
//   #include "discreet/local/hitters_find.h"
//   #include "discreet/random/generator.h"
//   auto hitters = *Hitters::create({.epsilon = 2, .bytes = 8});
//   const std::vector<std::string_view> words = {"berlin"};
//   std::vector<Word> report(hitters->constants().words);
//   Status told = hitters->perturb(words, random::thread_generator(), report);  // the client
//   State state(*hitters);
//   state.keeps = true;
//   state.reports = report;
//   hitters->count(report, state.counters);
//   state.users = 1;
//   Found found = *find_hitters(*hitters, state, {.top = 20});  // the collector
//
// Nobody has to answer twice. A client draws a level k, from 1 byte to all, and a hash; hashes the
// first k bytes of its word into g buckets (prefix.h), and says level, hash and, by the flat
// mechanism, the bucket. The collector finds prefixes that stand out among those of level 1,
// extends each by every byte, looks for the longer ones among the reports of level 2, and so on.
//
// What is proved: level and hash are drawn whatever the word is, and given them the report is the
// flat mechanism's on g values: P[r|w]/P[r|w'] ≤ e^ε, reached. g is the whole number with the least
// variance, next to e^ε + 1 (Wang, Blocki, Li and Jha 2017): 4e^ε/(e^ε − 1)² for a report of a
// level.
//
// A report supports a prefix that its hash puts into the bucket it says: with p = e^ε/(e^ε + g − 1)
// if the person has it, and with 1/g otherwise.
#pragma once

#include "discreet/local/flat.h"
#include "discreet/local/prefix.h"

namespace discreet::local {

struct HitterParameters {
  std::optional<Rational> epsilon = {};
  std::size_t bytes = 8;  // of a word; what is longer is cut
};

// The words of a report.
struct HitterReport {
  std::size_t level = 0;  // from 0 on: of a prefix of level + 1 bytes
  PrefixHash hash = {};
  Word bucket = 0;
};

class Hitters final : public Reports {
 public:
  static Result<std::unique_ptr<Hitters>> create(const HitterParameters& parameters);

  const Constants& constants() const override { return constants_; }
  std::size_t bytes() const { return bytes_; }  // as many levels
  std::size_t buckets() const { return flat_->constants().domain; }

  // The client: one report a word, any bytes but zero. The time it takes depends on no word, once
  // they are padded.
  Status perturb(std::span<const std::string_view> words, random::Source& source,
                 std::span<Word> reports) const;

  // "level a b bucket", all from 0 on.
  void write(std::span<const Word> report, std::string& line) const override;
  Fault read(std::string_view line, std::span<Word> report) const override;
  // How many reports there are of each level. The reports themselves have to be kept.
  void count(std::span<const Word> reports, std::span<std::uint64_t> counters) const override;
  bool fits(std::span<const std::uint64_t> counters, std::uint64_t users) const override;

  static HitterReport unpack(std::span<const Word> report);
  static void pack(const HitterReport& from, std::span<Word> report);

  // P[bucket | word, level and hash], exactly; those have the same probability from every word.
  Ball probability(const PaddedWord& word, const HitterReport& report, long bits) const;

 private:
  Hitters(std::unique_ptr<const Flat> flat, std::size_t bytes);

  std::unique_ptr<const Flat> flat_;  // over the buckets
  std::size_t bytes_;
  Constants constants_;
};

// The number of buckets with the least variance for ε, at most 2^30.
std::size_t best_buckets(const Rational& epsilon);

}  // namespace discreet::local
