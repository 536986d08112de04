#include "discreet/mechanism/testing/entry_checks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/privacy/accountant.h"
#include "discreet/privacy/expression.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism::testing {
namespace {

const Rational kEpsilons[] = {Rational(1, 2), Rational(1), Rational(3)};
constexpr int kSamples = 4000;
constexpr double kRoundingOff = 1e-12;

MechanismPointer made(const Entry& entry, const Trial& trial, const Rational& epsilon) {
  Parameters parameters = trial.parameters;
  parameters.set("epsilon", epsilon);
  auto out = entry.make(parameters);
  EXPECT_TRUE(out.has_value()) << entry.name << ": " << (out ? "" : out.error().text());
  return out ? std::move(*out) : nullptr;
}

// Probabilities by output; of a histogram one such list for each cell, which are independent.
using ByOutput = std::map<Value, Ball>;
std::map<std::size_t, ByOutput> cells_of(const Pmf& pmf) {
  std::map<std::size_t, ByOutput> out;
  for (const Mass& row : pmf.rows) {
    ByOutput& cell = out[row.cell ? row.cell->index : 0];
    EXPECT_FALSE(cell.contains(row.output)) << "an output is listed twice";
    cell[row.output] = row.probability;
  }
  return out;
}

// The same by the cells' names, where they have one: neighbours may have other cells, and one that
// isn't there tells nothing.
std::map<std::string, ByOutput> named_cells(const Pmf& pmf, const Pmf& neighbours) {
  std::map<std::string, ByOutput> out;
  const auto name_of = [](const Mass& row) {
    return row.cell ? row.cell->name.value_or(std::to_string(row.cell->index)) : std::string();
  };
  for (const Mass& row : pmf.rows) out[name_of(row)][row.output] = row.probability;
  for (const Mass& row : neighbours.rows)
    if (row.cell && row.cell->name && !out.contains(name_of(row)))
      out[name_of(row)][Nothing{}] = Ball(1);
  return out;
}

// How far two distributions are apart: the δ that ε leaves, from above and below.
struct Apart {
  double above = 0, below = 0;
};

// One cell's distributions on two neighbours, outcome by outcome.
using Pair = std::pair<std::vector<Ball>, std::vector<Ball>>;
constexpr std::size_t kMostJoint = 250'000;

std::vector<Ball> joint(const std::vector<Ball>& a, const std::vector<Ball>& b) {
  std::vector<Ball> out;
  out.reserve(a.size() * b.size());
  for (const Ball& p : a)
    for (const Ball& q : b) out.push_back(mul(p, q, kBits));
  return out;
}

// Cells are independent: the distribution of those that differ is their product. Where it has too
// many outcomes, from above each cell has its share of ε, and the δs add up (basic composition);
// from below, what is seen in one cell is seen.
Apart together(const std::vector<Pair>& changed, const Rational& epsilon) {
  std::size_t outcomes = 1;
  for (const auto& [left, right] : changed)
    outcomes = std::min(outcomes * left.size(), kMostJoint + 1);
  Apart out;
  if (outcomes > kMostJoint) {
    const Rational share = epsilon / Rational(Integer(static_cast<unsigned long>(changed.size())));
    for (const auto& [left, right] : changed) {
      out.above += delta_above(left, right, share);
      out.below = std::max(out.below, delta_below(left, right, epsilon));
    }
    return out;
  }
  Pair all{{Ball(1)}, {Ball(1)}};
  for (const auto& [left, right] : changed)
    all = {joint(all.first, left), joint(all.second, right)};
  return {delta_above(all.first, all.second, epsilon), delta_below(all.first, all.second, epsilon)};
}

Apart apart(const Pmf& one, const Pmf& other, const Rational& epsilon) {
  const auto p = named_cells(one, other), q = named_cells(other, one);
  EXPECT_EQ(p.size(), q.size());
  std::vector<Pair> changed;
  for (const auto& [cell, outputs] : p) {
    std::vector<Ball> left, right;
    bool differ = false;
    // An output that isn't listed is impossible, where all that are possible are.
    const auto of = [](const ByOutput& all, const Value& output, const Pmf& pmf) {
      const auto found = all.find(output);
      const bool surely_nothing = all.size() == 1 && all.contains(Nothing{});
      EXPECT_TRUE(found != all.end() || surely_nothing || pmf.tail.upper() <= 0)
          << "neighbours list other outputs";
      return found == all.end() ? Ball(0) : found->second;
    };
    ByOutput both = outputs;
    both.insert(q.at(cell).begin(), q.at(cell).end());
    for (const auto& [output, _] : both) {
      left.push_back(of(outputs, output, one));
      right.push_back(of(q.at(cell), output, other));
      differ |= left.back().middle() != right.back().middle();
    }
    if (differ) changed.emplace_back(std::move(left), std::move(right));
  }
  return together(changed, epsilon);
}

// Calls each(trial, mechanism, input, neighbour, how far they are apart at ε).
template <class Each>
void for_each_pair(const Entry& entry, const Rational& made_with, const Rational& epsilon,
                   const Each& each) {
  for (const Trial& trial : entry.trials) {
    const MechanismPointer mechanism = made(entry, trial, made_with);
    if (mechanism == nullptr) return;
    for (const Value& input : trial.inputs) {
      const auto neighbours = mechanism->neighbours(input);
      ASSERT_TRUE(neighbours.has_value()) << entry.name << ": " << neighbours.error().text();
      EXPECT_FALSE(neighbours->empty()) << entry.name;
      const auto p = mechanism->pmf(input, trial.window);
      ASSERT_TRUE(p.has_value()) << entry.name << ": " << p.error().text();
      for (const Value& other : *neighbours) {
        const auto q = mechanism->pmf(other, trial.window);
        ASSERT_TRUE(q.has_value()) << entry.name << ": " << q.error().text();
        each(trial, *mechanism, apart(*p, *q, epsilon));
      }
    }
  }
}

// The p-value of released values under the distribution that a mechanism states, cell by cell.
double fit(const Pmf& pmf, const std::map<std::size_t, std::map<Value, double>>& counts) {
  double worst = 1;
  for (const auto& [cell, outputs] : cells_of(pmf)) {
    std::vector<double> found, expected;
    double listed = 0;
    for (const auto& [output, probability] : outputs) {
      const auto at = counts.at(cell).find(output);
      found.push_back(at == counts.at(cell).end() ? 0 : at->second);
      expected.push_back(probability.middle());
      listed += found.back();
    }
    found.push_back(kSamples - listed);
    expected.push_back(std::max(0.0, pmf.tail.middle()));
    worst = std::min(worst, random::testing::goodness_of_fit(found, expected));
  }
  return worst;
}

// A vector is counted cell by cell; of a histogram whose bins may be withheld, so is what isn't
// there.
void count(const Value& value, const Pmf& pmf,
           std::map<std::size_t, std::map<Value, double>>& counts) {
  const bool cells = !pmf.rows.empty() && pmf.rows[0].cell.has_value();
  if (const auto* bins = std::get_if<Counts>(&value); cells && bins != nullptr) {
    std::map<std::size_t, std::string> names;
    for (const Mass& row : pmf.rows) names[row.cell->index] = row.cell->name.value_or("");
    for (const auto& [index, name] : names) {
      const auto shown = bins->find(name);
      const bool there = shown != bins->end();
      counts[index]
            [there ? Value(Rational(Integer(static_cast<long>(shown->second)))) : Nothing{}] += 1;
    }
    return;
  }
  const Numbers* numbers = std::get_if<Numbers>(&value);
  if (!cells || numbers == nullptr) {
    counts[0][value] += 1;
    return;
  }
  for (std::size_t i = 0; i < numbers->size(); ++i) counts[i][(*numbers)[i]] += 1;
}

privacy::AccountOptions options_for(const Mechanism& mechanism) {
  privacy::AccountOptions out;
  if (mechanism.guarantee().relation == privacy::Relation::kSubstitute)
    out.adjacency = privacy::Adjacency::kSubstitute;
  return out;
}

ParameterValue something_excluded(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::kPositive:
    case ParameterKind::kWhole:
      return 0;
    case ParameterKind::kProbability:
      return 1;
    case ParameterKind::kNotNegative:
      return -1;
    case ParameterKind::kNumber:
    case ParameterKind::kRelation:
    case ParameterKind::kLabels:
    case ParameterKind::kChoice:
    case ParameterKind::kRange:
      return true;
    case ParameterKind::kFlag:
      return 1;
  }
  return true;
}

}  // namespace

void check_description(const Entry& entry) {
  EXPECT_FALSE(entry.name.empty() || entry.title.empty() || entry.example.empty()) << entry.name;
  EXPECT_FALSE(entry.input.name.empty() || entry.input.help.empty()) << entry.name;
  EXPECT_FALSE(entry.trials.empty()) << entry.name;
  EXPECT_FALSE(entry.make({}).has_value()) << entry.name << " has a default for epsilon";
  for (const Parameter& parameter : entry.parameters) {
    EXPECT_FALSE(parameter.help.empty()) << entry.name << " " << parameter.name;
    EXPECT_FALSE(parameter.required && !parameter.fallback.empty())
        << entry.name << " " << parameter.name;
    EXPECT_EQ(entry.parameter(parameter.name), &parameter) << "twice: " << parameter.name;
  }
  for (const Trial& trial : entry.trials) {
    EXPECT_TRUE(trial.parameters.has("epsilon")) << entry.name;
    EXPECT_FALSE(trial.inputs.empty()) << entry.name;
    for (const Value& input : trial.inputs) EXPECT_EQ(kind_of(input), entry.input.kind);
    made(entry, trial, 1);
  }
}

void check_parameters(const Entry& entry) {
  const Parameters& good = entry.trials.at(0).parameters;
  for (const Parameter& parameter : entry.parameters) {
    Parameters bad = good;
    bad.set(parameter.name, something_excluded(parameter));
    const auto refused = entry.make(bad);
    ASSERT_FALSE(refused.has_value()) << entry.name << " " << parameter.name;
    EXPECT_EQ(refused.error().code, Code::kUsage);
    EXPECT_EQ(refused.error().parameter, parameter.name) << refused.error().text();
    EXPECT_NE(refused.error().message.text().find(accepted(parameter)), std::string::npos)
        << refused.error().message;
    if (parameter.required) {
      Parameters less;
      for (const auto& [name, value] : good.all())
        if (name != parameter.name) less.set(name, value);
      EXPECT_FALSE(entry.make(less).has_value()) << entry.name << " " << parameter.name;
    }
  }
  Parameters misspelt = good;
  misspelt.set("epsilom", 1);
  const auto refused = entry.make(misspelt);
  ASSERT_FALSE(refused.has_value()) << entry.name;
  EXPECT_NE(refused.error().hint.text().find("'epsilon'"), std::string::npos)
      << refused.error().text();
}

void check_guarantee(const Entry& entry) {
  if (!entry.has_pmf) return;
  for (const Rational& epsilon : kEpsilons) {
    for_each_pair(
        entry, epsilon, epsilon, [&](const Trial&, const Mechanism& mechanism, const Apart& pair) {
          const privacy::Guarantee guarantee = mechanism.guarantee();
          EXPECT_EQ(guarantee.epsilon, epsilon) << entry.name;
          EXPECT_LE(pair.above, guarantee.delta.get_d() + 1e-16) << entry.name << " at " << epsilon;
        });
  }
}

void check_broken_twin(const Entry& entry) {
  if (!entry.has_pmf) return;
  for (const Rational& epsilon : kEpsilons) {
    bool caught = false;
    for_each_pair(entry, epsilon * entry.twin, epsilon,
                  [&](const Trial&, const Mechanism& mechanism, const Apart& pair) {
                    caught |= pair.below > mechanism.guarantee().delta.get_d() + 1e-16;
                  });
    EXPECT_TRUE(caught) << entry.name << ": no trial tells " << epsilon << " from "
                        << epsilon * entry.twin;
  }
}

void check_samples(const Entry& entry) {
  std::uint64_t seed = 1;
  bool caught = false;
  for (const Trial& trial : entry.trials) {
    const MechanismPointer mechanism = made(entry, trial, 1), twin = made(entry, trial, entry.twin);
    ASSERT_TRUE(mechanism != nullptr && twin != nullptr);
    for (const Value& input : trial.inputs) {
      random::testing::Seeded source(seed++);
      const auto exact = Exact<Value>::from_private(input);
      if (!entry.has_pmf) {
        ASSERT_TRUE(mechanism->release(exact, source).has_value()) << entry.name;
        continue;
      }
      const Pmf pmf = *mechanism->pmf(input, trial.window);
      std::map<std::size_t, std::map<Value, double>> counts;
      for (int i = 0; i < kSamples; ++i) {
        const auto answer = mechanism->release(exact, source);
        ASSERT_TRUE(answer.has_value()) << entry.name << ": " << answer.error().text();
        const bool withheld = kind_of(answer->value) == Kind::kNothing;
        EXPECT_TRUE(kind_of(answer->value) == entry.output || (withheld && entry.may_withhold))
            << entry.name;
        if (answer->interval) {
          EXPECT_LE(answer->interval->first, answer->value) << entry.name;
          EXPECT_LE(answer->value, answer->interval->second) << entry.name;
        }
        count(answer->value, pmf, counts);
      }
      EXPECT_GT(fit(pmf, counts), random::testing::kFalseAlarm) << entry.name;
      caught |= fit(*twin->pmf(input, trial.window), counts) < random::testing::kFalseAlarm;
    }
  }
  EXPECT_TRUE(caught || !entry.has_pmf) << entry.name << ": the samples fit a twin's distribution";
}

void check_event(const Entry& entry) {
  for (const Trial& trial : entry.trials) {
    const MechanismPointer mechanism = made(entry, trial, 1);
    ASSERT_TRUE(mechanism != nullptr);
    const privacy::Guarantee guarantee = mechanism->guarantee();
    const privacy::Event event = mechanism->event();
    const std::string text = privacy::describe(event);
    ASSERT_TRUE(privacy::check(event).has_value()) << entry.name << " " << text;
    const auto read = privacy::parse_event(text);
    ASSERT_TRUE(read.has_value()) << entry.name << ": " << read.error().text();
    EXPECT_EQ(privacy::describe(*read), text);

    const auto cost = privacy::account_epsilon(*read, guarantee.delta, options_for(*mechanism));
    ASSERT_TRUE(cost.has_value()) << entry.name << ": " << cost.error().text();
    const double epsilon = guarantee.epsilon.get_d();
    EXPECT_GE(cost->value.upper, epsilon * (1 - 1e-6)) << entry.name << " " << text;
    EXPECT_LE(cost->value.upper, epsilon * (1 + 1e-2)) << entry.name << " " << text;
  }
  if (!entry.has_pmf) return;
  // What the accountant says that ε leaves, once for each trial's event.
  std::map<std::string, double> left;
  for_each_pair(entry, 1, 1, [&](const Trial&, const Mechanism& mechanism, const Apart& pair) {
    const std::string text = privacy::describe(mechanism.event());
    if (!left.contains(text)) {
      const auto delta = privacy::account_delta(mechanism.event(), 1, options_for(mechanism));
      ASSERT_TRUE(delta.has_value()) << entry.name << ": " << delta.error().text();
      left[text] = delta->value.upper;
    }
    EXPECT_GE(left[text] + kRoundingOff, pair.below) << entry.name << " " << text;
  });
}

void check_accuracy(const Entry& entry) {
  for (const Trial& trial : entry.trials) {
    const MechanismPointer mechanism = made(entry, trial, 1);
    ASSERT_TRUE(mechanism != nullptr);
    for (const Value& input : trial.inputs) {
      const auto often = mechanism->accuracy(input, Rational(1, 2)),
                 surely = mechanism->accuracy(input, Rational(1, 1000));
      ASSERT_TRUE(often.has_value() && surely.has_value()) << entry.name;
      EXPECT_GE(often->bound, 0) << entry.name;
      EXPECT_GE(surely->bound, often->bound) << entry.name;
    }
    // What isn't private is the same for neighbours: it may be shown to anybody.
    for (const Value& input : trial.inputs) {
      if (entry.accuracy_is_private) break;
      const auto here = mechanism->accuracy(input, Rational(1, 20));
      const auto neighbours = mechanism->neighbours(input);
      ASSERT_TRUE(here.has_value() && neighbours.has_value()) << entry.name;
      for (const Value& other : *neighbours) {
        const auto there = mechanism->accuracy(other, Rational(1, 20));
        ASSERT_TRUE(there.has_value()) << entry.name;
        EXPECT_EQ(here->bound, there->bound) << entry.name;
        EXPECT_EQ(here->figures, there->figures) << entry.name;
      }
    }
    const auto without = mechanism->accuracy(std::nullopt, Rational(1, 20));
    EXPECT_EQ(without.has_value(), !entry.accuracy_of_input) << entry.name;
  }
}

namespace {

// Is nobody in it? None of what isn't a set of units.
std::optional<std::size_t> size_of(const Value& value) {
  if (const auto* numbers = std::get_if<Numbers>(&value)) return numbers->size();
  if (const auto* rows = std::get_if<Rows>(&value)) return rows->size();
  if (const auto* counts = std::get_if<Counts>(&value)) return counts->size();
  return {};
}

// Values of the same shape that somebody could have brought: far out, and finer than any grid.
enum class Odd { kLarge, kNegative, kFine };
Rational odd(Odd kind) {
  const Integer large = Integer(1) << 400;
  if (kind == Odd::kFine) return Rational(1, large + 1);
  return Rational(kind == Odd::kLarge ? large : Integer(-large));
}
std::vector<Value> odd_ones(const Value& input, Odd kind) {
  std::vector<Value> out;
  if (const auto* number = std::get_if<Rational>(&input)) {
    out.emplace_back(Rational(*number + odd(kind)));
  } else if (const auto* numbers = std::get_if<Numbers>(&input)) {
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      Numbers other = *numbers;
      other[i] += odd(kind);
      out.emplace_back(std::move(other));
    }
  } else if (const auto* counts = std::get_if<Counts>(&input); counts && kind == Odd::kLarge) {
    for (const auto& [name, count] : *counts) {
      Counts other = *counts;
      other[name] = std::int64_t{1} << 62;
      other[std::string(100'000, 'x')] = 1;
      out.emplace_back(std::move(other));
    }
  } else if (const auto* labels = std::get_if<Labels>(&input); labels && kind == Odd::kLarge) {
    for (std::size_t i = 0; i < labels->size(); ++i) {
      Labels other = *labels;
      other[i].name = std::string(100'000, 'x');
      out.emplace_back(std::move(other));
    }
  }
  return out;
}

}  // namespace

void check_inputs(const Entry& entry) {
  random::testing::Seeded source(1);
  bool nobody = false, comes_and_goes = false;
  for (const Trial& trial : entry.trials) {
    const MechanismPointer mechanism = made(entry, trial, 1);
    ASSERT_TRUE(mechanism != nullptr);
    const auto said = [&](const Value& input) {
      const auto answer = mechanism->release(Exact<Value>::from_private(input), source);
      return answer ? std::string() : answer.error().text();
    };
    // What is said of odd values by their kind and place: an answer (nothing here) or an error.
    std::map<std::pair<Odd, std::size_t>, std::set<std::string>> told;
    for (const Value& input : trial.inputs) {
      nobody |= size_of(input) == std::size_t{0};
      EXPECT_EQ(said(input), "") << entry.name;
      const auto neighbours = mechanism->neighbours(input);
      ASSERT_TRUE(neighbours.has_value()) << entry.name;
      for (const Value& other : *neighbours) {
        comes_and_goes |= size_of(input) != size_of(other);
        EXPECT_EQ(said(other), "") << entry.name;
      }
      for (const Odd kind : {Odd::kLarge, Odd::kNegative, Odd::kFine}) {
        const std::vector<Value> others = odd_ones(input, kind);
        for (std::size_t i = 0; i < others.size(); ++i) told[{kind, i}].insert(said(others[i]));
      }
    }
    // One that takes whole numbers, or none below 0, refuses all others alike.
    for (const auto& [place, errors] : told) {
      EXPECT_EQ(errors.size(), 1u) << entry.name;
      EXPECT_LT(errors.begin()->size(), 200u) << entry.name << ": " << *errors.begin();
      if (place.first == Odd::kLarge) {
        EXPECT_EQ(*errors.begin(), "") << entry.name;
      }
    }
  }
  EXPECT_TRUE(nobody || !comes_and_goes)
      << entry.name << ": units come and go, and no trial has nobody in it";
}

void check_entry(const Entry& entry) {
  SCOPED_TRACE(std::string(entry.name));
  check_description(entry);
  check_parameters(entry);
  check_guarantee(entry);
  check_broken_twin(entry);
  check_samples(entry);
  check_event(entry);
  check_accuracy(entry);
  check_inputs(entry);
}

}  // namespace discreet::mechanism::testing
