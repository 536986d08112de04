#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/entry.h"
#include "discreet/mechanism/laplace.h"
#include "discreet/mechanism/named.h"
#include "discreet/mechanism/number_mechanism.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

// How many cells there are is seen once the counts are: it is public, but comes with them.
class Histogram final : public Mechanism, private Door {
 public:
  explicit Histogram(const Parameters& p)
      : epsilon_(*p.number("epsilon")), relation_(p.relation()), labels_(p.labels("labels")) {}

  privacy::Guarantee guarantee() const override { return {epsilon_, 0, relation_}; }
  // Of two cells or more: with one cell it costs no more.
  privacy::Event event() const override {
    auto two = additive(2);
    return two ? two->event() : Mechanism::event();
  }

  Result<Pmf> pmf(const Value& input, const Window& window) const override {
    const std::vector<std::int64_t> counts = TRY(points(input));
    const Additive cells = TRY(additive(counts.size()));
    const std::size_t most = std::max<std::size_t>(1, kMostRows / counts.size());
    Pmf out;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::string name = i < labels_.size() ? labels_[i] : std::to_string(i);
      TRY(add_masses(cells, counts[i], window, most, Label{i, name}, out));
    }
    out.tail = div(out.tail, Ball(static_cast<long>(counts.size())), kBits);
    return out;
  }

  Result<Accuracy> accuracy(const std::optional<Value>& input,
                            const Rational& beta) const override {
    const std::vector<std::int64_t> counts = TRY(points(input.value_or(Numbers{})));
    const Additive cells = TRY(additive(counts.size()));
    return Accuracy{to_double(cells.accuracy(beta), Rounding::kUp),
                    laplace_figures(cells, epsilon_, cells.noise().scale() * epsilon_, beta)};
  }

  Result<Answer> release(const Exact<Value>& input, random::Source& source) const override {
    std::vector<std::int64_t> counts = TRY(points(open(input)));
    const Additive cells = TRY(additive(counts.size()));
    auto released = TRY(
        cells.release(Exact<std::vector<std::int64_t>>::from_private(std::move(counts)), source));
    const auto moved = [&](const Rational& shift) {
      Numbers out;
      for (const std::int64_t z : released.value())
        out.push_back(Rational(Integer(static_cast<long>(z))) + shift);
      return out;
    };
    const Rational error = released.margin()->error;
    return Answer{moved(0), std::pair<Value, Value>(moved(-error), moved(error))};
  }

  // The cells are alike: it is the first that changes, and the second where a unit is replaced.
  Result<std::vector<Value>> neighbours(const Value& input) const override {
    const Numbers counts = TRY(value_as<Numbers>("counts", input));
    std::vector<Value> out;
    for (const long change : {1L, -1L}) {
      Numbers other = counts;
      if (!other.empty()) other[0] += change;
      if (relation_ == privacy::Relation::kSubstitute && other.size() > 1) other[1] -= change;
      out.emplace_back(std::move(other));
    }
    return out;
  }

 private:
  Result<Additive> additive(std::uint64_t cells) const {
    return histogram({.epsilon = epsilon_, .cells = cells, .relation = relation_});
  }
  Result<std::vector<std::int64_t>> points(const Value& input) const {
    const Numbers counts = TRY(value_as<Numbers>("counts", input));
    if (counts.empty()) return bad_parameter("counts", "found none; accepted is one or more");
    TRY(check_names(labels_, counts.size(), "counts"));
    std::vector<std::int64_t> out;
    for (const Rational& count : counts) {
      if (count.get_den() != 1) return bad_parameter("counts", "accepted are whole numbers");
      out.push_back(Grid::integers().round(count));
    }
    return out;
  }

  Rational epsilon_;
  privacy::Relation relation_;
  std::vector<std::string> labels_;
};

Result<MechanismPointer> make(const Parameters& p) {
  TRY(histogram({.epsilon = *p.number("epsilon"), .cells = 1, .relation = p.relation()}));
  return std::make_unique<Histogram>(p);
}

}  // namespace

Entry histogram_entry() {
  return {.name = "histogram",
          .title = "How many units in each of disjoint cells",
          .deck = "002",
          .input = {"counts", Kind::kNumbers, "the exact counts, separated by commas"},
          .output = Kind::kNumbers,
          .parameters = {required(kEpsilon), kLabels, kRelation},
          .example = "--counts 12,40,7 --epsilon 0.5",
          .trials = {{{{"epsilon", 1}}, {Numbers{5, 3, 0}}, {-120, 130}},
                     {{{"epsilon", 1}, {"relation", privacy::Relation::kSubstitute}},
                      {Numbers{5, 3, 0}},
                      {-200, 210}}},
          .accuracy_of_input = true,
          .maker = make};
}

}  // namespace discreet::mechanism
