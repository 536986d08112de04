// Records of several attributes: a person holds one value of each, and reports under one ε for all.
//
//   #include "discreet/random/generator.h"
//   auto records = *Records::create(*find("flat"), {.epsilon = 1}, {4, 16, 2}, By::kSampling);
//   const std::vector<Value> record = {3, 11, 0};
//   std::vector<Word> report(records->constants().words);
//   Status told = records->perturb(record, random::thread_generator(), report);
//   State state(*records);
//   records->count(report, state.counters);
//   state.users += 1;
//   std::vector<Estimate> estimates = *records->estimate(state, {.method = Method::kSimplex});
//
// Sampling: everyone reports one of the m attributes with the whole ε and says which. Splitting:
// everyone reports all of them, each with ε/m. For small ε a protocol's variance goes as 1/ε², so
// that splitting multiplies it by m² and sampling, where an attribute has n/m reports, by m: that
// is why sampling is the one to take (Nguyên et al. 2016; Arcolezi et al. 2021).
//
// What is proved: sampling: the attribute j is drawn uniformly whatever the record is, so
// P[(j, r)|x] = P_j[r|x_j]/m, at most e^ε apart for any two records. Splitting: the parts are
// perturbed independently, so P[r|x] = Π_j P_j[r_j|x_j], and the ε_j of the parts add up to ε.
//
// Those who reported an attribute are a sample of everyone, so its frequencies are off by more than
// the protocol's noise: see records_sample.h.
#pragma once

#include "discreet/local/estimate.h"
#include "discreet/local/registry.h"

namespace discreet::local {

enum class By { kSampling, kSplitting };
Result<By> read_by(std::string_view name);
std::string_view name_of(By by);

inline constexpr std::size_t kMostAttributes = 1024;

class Records final : public Reports {
 public:
  // One instance of the protocol an attribute, each with its own domain; ε is for the whole record.
  static Result<std::unique_ptr<Records>> create(const Entry& entry, const Parameters& parameters,
                                                 const std::vector<std::size_t>& domains, By by);

  const Constants& constants() const override { return constants_; }
  std::size_t attributes() const { return parts_.size(); }
  const FrequencyProtocol& attribute(std::size_t j) const { return *parts_[j]; }
  By by() const { return by_; }

  // The client: m values a record, one record after the other.
  Status perturb(std::span<const Value> records, random::Source& source,
                 std::span<Word> reports) const;

  // "index<tab>report" of a sampled attribute, counted from 0; all reports with tabs between them.
  void write(std::span<const Word> report, std::string& line) const override;
  Fault read(std::string_view line, std::span<Word> report) const override;
  // First how many reported each attribute, then each attribute's own counters.
  void count(std::span<const Word> reports, std::span<std::uint64_t> counters) const override;
  bool fits(std::span<const std::uint64_t> counters, std::uint64_t users) const override;

  // P[report | record], exactly; and every report there is, for tests and audits.
  Ball probability(std::span<const Value> record, std::span<const Word> report, long bits) const;
  Result<std::vector<Word>> outcomes() const;

  // What the collector knows of one attribute.
  State state_of(std::size_t j, const State& state) const;
  // One estimate an attribute, of the frequencies among all who reported anything. One that nobody
  // drew has no users and infinite errors: nothing is known of it.
  Result<std::vector<Estimate>> estimate(const State& state, const EstimateOptions& options) const;
  // Whether some attribute's likelihood takes the reports themselves.
  bool likelihood_needs_reports() const;

 private:
  Records(std::vector<std::unique_ptr<const FrequencyProtocol>> parts, By by);
  std::span<const Word> part(std::size_t j, std::span<const Word> report) const;

  std::vector<std::unique_ptr<const FrequencyProtocol>> parts_;
  By by_;
  std::string name_;  // what constants_.name shows
  Constants constants_;
  std::vector<std::size_t> words_at_, counters_at_;  // where each attribute's begin
};

}  // namespace discreet::local
