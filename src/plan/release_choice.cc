#include "discreet/plan/release_choice.h"

#include <cmath>

#include "discreet/base/try.h"
#include "discreet/mechanism/exponential.h"
#include "discreet/mechanism/gap/smooth_quantile.h"
#include "discreet/mechanism/gap/stable_mode.h"
#include "discreet/plan/methods.h"

namespace discreet::plan {
namespace {

namespace gap = mechanism::gap;
using Cells = std::vector<Cell>;

class Chooser {
 public:
  Chooser(const PlanPart& part, std::size_t statistic, const std::vector<std::size_t>& groups,
          const bound::Contributions& contributions, random::Source& source)
      : part_(part),
        index_(statistic),
        one_(part.statistics[statistic]),
        slot_(part.slots[*one_.slot]),
        groups_(groups),
        contributions_(contributions),
        source_(source) {}

  // Rank errors and counts: a score's change weighs as much in one group as spread over several, so
  // Δ is that of all.
  Result<Cells> exponential() const {
    mechanism::SelectionParameters parameters{
        .epsilon = one_.epsilon,
        .sensitivity = Rational(one_.total),
        .candidates = mechanism::Candidates::numbered(static_cast<std::size_t>(slot_.leaves)),
        .monotone = one_.scoring.kind == bound::Scoring::Kind::kMode};
    auto mechanism = TRY(mechanism::Exponential::create(parameters));
    return in_each([&](std::size_t group) -> Result<Cell> {
      auto scores = TRY(contributions_.scores(index_, group));
      auto chosen = TRY(mechanism.release(scores, source_));
      return Cell{Value::integer(static_cast<std::int64_t>(chosen.value())), {}};
    });
  }

  Result<Cells> smooth() const {
    const gap::Range range = TRY(gap::Range::create(slot_.low, slot_.high));
    const auto mechanism =
        TRY(gap::SmoothQuantile::create({.noise = {.epsilon = one_.epsilon / in_groups(),
                                                   .delta = one_.delta / in_groups(),
                                                   .optimised = one_.delta > 0},
                                         .quantile = one_.share,
                                         .range = range,
                                         .unit = {.rows = rows()}}));
    return in_each([&](std::size_t group) -> Result<Cell> {
      const auto values = TRY(contributions_.ordered(index_, group, range));
      return on_grid(TRY(mechanism.release(values, source_)).value());
    });
  }

  // How much noise there is, is public: so is how far off an answer may be.
  Result<Cells> proposed(const Rational& confidence) const {
    const auto mechanism = TRY(proposed_mechanism(part_, one_));
    const gap::Range& range = mechanism.parameters().range;
    const double margin = std::ldexp(to_double(mechanism.error(1 - confidence)), one_.exponent);
    return in_each([&](std::size_t group) -> Result<Cell> {
      const auto values = TRY(contributions_.ordered(index_, group, range));
      const auto told = TRY(mechanism.release(values, source_));
      if (!told.value()) return withheld();
      Cell out = on_grid(*told.value());
      out.interval = {out.value.real - margin, out.value.real + margin};
      return out;
    });
  }

  // Of a public list.
  Result<Cells> stable_choice() const {
    const gap::StableMode mechanism = TRY(stable_mode());
    return in_each([&](std::size_t group) -> Result<Cell> {
      const auto counts = TRY(contributions_.scores(index_, group));
      const auto told = TRY(mechanism.release(counts, source_));
      if (!told.value()) return withheld();
      return Cell{Value::integer(static_cast<std::int64_t>(*told.value())), {}};
    });
  }

  Result<Cells> stable_word() const {
    const gap::StableMode mechanism = TRY(stable_mode());
    return in_each([&](std::size_t group) -> Result<Cell> {
      const auto words = TRY(contributions_.words(index_, group));
      const auto told = TRY(mechanism.release(words, source_));
      // It comes as a text; once it is out, it is read as what it was.
      const auto value = Value::read(told.value(), slot_.value.type);
      return Cell{value.value_or(Value::none(slot_.value.type)), {}};
    });
  }

 private:
  template <class Each>
  Result<Cells> in_each(const Each& each) const {
    Cells out;
    for (const std::size_t group : groups_) out.push_back(TRY(each(group)));
    return out;
  }

  Result<gap::StableMode> stable_mode() const {
    return gap::StableMode::create(
        {.test = {.epsilon = one_.epsilon / in_groups(), .delta = one_.delta / in_groups()},
         .rows_per_unit = rows()});
  }

  Rational in_groups() const { return Rational(part_.bounds.most_groups()); }
  std::int64_t rows() const { return one_.sensitivity.get_si(); }
  static Cell withheld() { return {Value::none(Type::kDouble), {}}; }
  Cell on_grid(std::int64_t value) const {
    return {Value::number(std::ldexp(static_cast<double>(value), one_.exponent)), {}};
  }

  const PlanPart& part_;
  std::size_t index_;
  const Statistic& one_;
  const Slot& slot_;
  const std::vector<std::size_t>& groups_;
  const bound::Contributions& contributions_;
  random::Source& source_;
};

}  // namespace

Result<Cells> release_choice(const PlanPart& part, std::size_t statistic,
                             const std::vector<std::size_t>& groups,
                             const bound::Contributions& contributions, const Rational& confidence,
                             random::Source& source) {
  const Chooser chooser(part, statistic, groups, contributions, source);
  const Statistic& one = part.statistics[statistic];
  switch (one.noise) {
    case Noise::kExponential:
      return chooser.exponential();
    case Noise::kSmooth:
      return chooser.smooth();
    case Noise::kProposed:
      return chooser.proposed(confidence);
    case Noise::kStable:
      return part.slots[*one.slot].kind == Slot::Kind::kWord ? chooser.stable_word()
                                                             : chooser.stable_choice();
    case Noise::kLaplace:
    case Noise::kGaussian:
      break;
  }
  return fail(Code::kFailure, "a number was to be chosen; nothing is shown",
              "please report this query");
}

}  // namespace discreet::plan
