#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/mechanism/additive.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/gap/groups_parameters.h"
#include "discreet/mechanism/gap/truncated_histogram.h"

namespace discreet::mechanism {
namespace {

using gap::TruncatedHistogram;

constexpr long kBits = 128;
const Rational kUnlisted(1, 1'000'000'000);

class Truncated final : public Mechanism, private Door {
 public:
  Truncated(TruncatedHistogram histogram, const Parameters& p)
      : histogram_(std::move(histogram)),
        per_unit_(p.whole("bins-per-unit").value_or(1)),
        relation_(p.relation()) {}

  privacy::Guarantee guarantee() const override { return histogram_.guarantee(); }
  privacy::Event event() const override { return histogram_.event(); }
  Figures figures() const override {
    return {{"threshold", static_cast<double>(histogram_.threshold())}};
  }

  // Bin by bin: nothing, or a number from the threshold on.
  Result<Pmf> pmf(const Value& input, const Window& window) const override {
    const Counts counts = TRY(value_as<Counts>("counts", input));
    const std::size_t most = kMostRows / std::max<std::size_t>(1, counts.size());
    Pmf out;
    std::size_t index = 0;
    for (const auto& [name, units] : counts) add_bin({index++, name}, units, window, most, out);
    if (!counts.empty()) out.tail = div(out.tail, Ball(static_cast<long>(counts.size())), kBits);
    out.figures = figures();
    return out;
  }

  // Of one bin: how many there are is private.
  Result<Accuracy> accuracy(const std::optional<Value>&, const Rational& beta) const override {
    Accuracy out{histogram_.accuracy(beta).get_d()};
    out.figures = {
        {"shown_from", static_cast<double>(TRY(histogram_.cutoff().units_for(1 - beta)))},
        {"deck_bound", histogram_.all_shown_from(-std::log(2 * to_double(beta)), 1)},
        {"threshold", static_cast<double>(histogram_.threshold())}};
    return out;
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    Counts counts = TRY(value_as<Counts>("counts", open(input)));
    const auto released =
        TRY(histogram_.release(Exact<Counts>::from_private(std::move(counts)), source));
    const std::int64_t error = released.margin()->error.get_num().get_si();
    const auto moved = [&](std::int64_t by) {
      Counts out = released.value();
      for (auto& [name, shown] : out) shown = saturating_add(shown, by);
      return out;
    };
    Answer answer{released.value()};
    answer.interval.emplace(moved(-error), moved(error));
    return answer;
  }

  // A unit in as many bins as it may be in, one after the other; in those that are there with 0
  // too, or else in one that nobody is in. Where it is replaced, it leaves the last ones.
  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const Counts counts = TRY(value_as<Counts>("counts", input));
    std::vector<Value> out;
    const auto add_from = [&](const Counts& from, std::size_t first) {
      for (const std::int64_t by : {1, -1}) {
        Counts other = from;
        const bool there = moved(other, first, by, per_unit_);
        const bool replaced =
            relation_ == privacy::Relation::kAddRemove ||
            moved(other, first + static_cast<std::size_t>(per_unit_), -by, per_unit_);
        if (there && replaced) out.emplace_back(std::move(other));
      }
    };
    for (std::size_t first = 0; first < counts.size(); ++first) add_from(counts, first);
    const auto is_there = [](const auto& bin) { return bin.second > 0; };
    if (std::all_of(counts.begin(), counts.end(), is_there)) {
      Counts more = counts;
      more.emplace("~", 0);
      add_from(more, counts.size());
    }
    return out;
  }

 private:
  // So many bins from this one on, around the end; false where one would have fewer than 0.
  static bool moved(Counts& counts, std::size_t first, std::int64_t by, std::int64_t bins) {
    const std::size_t size = counts.size();
    for (std::size_t k = 0; k < std::min(size, static_cast<std::size_t>(bins)); ++k) {
      auto bin = counts.begin();
      std::advance(bin, (first + k) % size);
      bin->second += by;
      if (bin->second < 0) return false;
    }
    return true;
  }

  void add_bin(const Label& bin, std::int64_t units, const Window& window, std::size_t most,
               Pmf& out) const {
    const gap::Cutoff& cutoff = histogram_.cutoff();
    const Ball keep = cutoff.keep(units, kBits);
    out.rows.push_back({Nothing{}, sub(Ball(1), keep, kBits), bin});
    const Integer reach = cutoff.noise().quantile(kUnlisted), center(static_cast<long>(units));
    const Integer least(static_cast<long>(cutoff.threshold()));
    const Integer first = window.from ? ceiling(*window.from) : Integer(center - reach);
    const Integer last = window.to ? floor_of(*window.to) : Integer(center + reach);
    Ball listed(0);
    std::size_t rows = 0;
    for (Integer shown = std::max(first, least); shown <= last && rows < most; ++shown, ++rows) {
      const Ball mass = units < 1 ? Ball(0) : cutoff.noise().mass(shown - center, kBits);
      listed = add(listed, mass, kBits);
      out.rows.push_back({Rational(shown), mass, bin});
    }
    out.tail = add(out.tail, sub(keep, listed, kBits), kBits);
  }

  TruncatedHistogram histogram_;
  std::int64_t per_unit_;
  privacy::Relation relation_;
};

Result<MechanismPointer> make(const Parameters& p) {
  TruncatedHistogram histogram =
      TRY(TruncatedHistogram::create({.epsilon = *p.number("epsilon"),
                                      .delta = *p.number("delta"),
                                      .bins_per_unit = p.whole("bins-per-unit").value_or(1),
                                      .relation = p.relation()}));
  return std::make_unique<Truncated>(std::move(histogram), p);
}

// Bins of nobody, of one, and around the thresholds of every ε that is tried.
std::vector<Trial> trials() {
  const Window window{-100, 160};
  Parameters one{{"epsilon", 1}, {"delta", Rational(1, 50)}}, two = one, replaced = one;
  two.set("bins-per-unit", 2);
  replaced.set("relation", privacy::Relation::kSubstitute);
  const Counts counts{{"a", 3}, {"b", 6}, {"c", 1}, {"d", 0}};
  return {{one, {Counts{}, Counts{{"a", 1}, {"b", 0}}, counts}, window},
          {two, {Counts{}, counts}, window},
          {replaced, {counts}, window}};
}

}  // namespace

Entry truncated_histogram_entry() {
  return {.name = "truncated-histogram",
          .title = "How many units have each value, of values that nobody listed",
          .deck = "004",
          .input = {"counts", Kind::kCounts, "how many units have each value: 'a=120,b=90,c=3'"},
          .output = Kind::kCounts,
          .parameters = {required(kEpsilon), required(kDelta), gap::kBinsPerUnit, kRelation},
          .example = "--counts tea=120,milk=31,absinthe=1 --epsilon 1 --delta 1e-6",
          .trials = trials(),
          .maker = make};
}

}  // namespace discreet::mechanism
