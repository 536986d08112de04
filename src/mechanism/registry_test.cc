// Every mechanism in the registry, held to its guarantee by name: what an auditor does.
#include "discreet/mechanism/registry.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism {
namespace {

// Parameters and an input that fit every entry.
Parameters parameters_for(const Entry& entry, const Rational& epsilon) {
  Parameters p;
  p.epsilon = epsilon;
  const auto takes = [&](std::string_view name) {
    return std::count(entry.required.begin(), entry.required.end(), name) +
               std::count(entry.optional.begin(), entry.optional.end(), name) >
           0;
  };
  if (takes("sensitivity")) p.sensitivity = 1;
  if (takes("delta")) p.delta = Rational(1, 1000);
  if (takes("max")) p.max = 12;
  if (takes("threshold")) p.threshold = 3, p.positives = 1;
  if (takes("values")) p.labels = {"yes", "no", "perhaps"};
  return p;
}
Input input_for(const Entry& entry) {
  if (entry.input == "choice") return {.numbers = {}, .choice = "yes"};
  if (entry.input == "value") return {.numbers = {5}, .choice = {}};
  return {.numbers = {5, 3, 0}, .choice = {}};
}

std::map<std::string, Ball> by_output(const Pmf& pmf) {
  std::map<std::string, Ball> out;
  for (const Mass& row : pmf.rows) out[row.cell + " " + row.output] = row.probability;
  return out;
}

TEST(Registry, EveryMechanismKeepsItsGuaranteeOnAWorstNeighbour) {
  for (const Entry& entry : registry()) {
    for (const Rational& epsilon : {Rational(1, 2), Rational(1), Rational(3)}) {
      const auto mechanism = entry.make(parameters_for(entry, epsilon));
      ASSERT_TRUE(mechanism.has_value()) << entry.name << ": " << mechanism.error().text();
      const privacy::Guarantee guarantee = (*mechanism)->guarantee();
      EXPECT_EQ(guarantee.epsilon, epsilon) << entry.name;
      const Input input = input_for(entry), other = (*mechanism)->neighbour(input);
      const Window window = entry.input == "value" || entry.input == "counts"
                                ? Window{.from = -120, .to = 130}
                                : Window{};
      const auto p = by_output(*(*mechanism)->pmf(input, window)),
                 q = by_output(*(*mechanism)->pmf(other, window));
      // of a histogram the first cell is the one that changes; the others are the same in both
      std::vector<Ball> left, right;
      for (const auto& [output, probability] : p) {
        ASSERT_TRUE(q.contains(output)) << entry.name << output;
        if (entry.input == "counts" && !output.starts_with("0 ")) continue;
        left.push_back(probability), right.push_back(q.at(output));
      }
      EXPECT_LE(testing::delta_above(left, right, epsilon), guarantee.delta.get_d() + 1e-16)
          << entry.name;
      // and the neighbour is a bad one: the guarantee is used to a good part
      EXPECT_GT(testing::delta_below(left, right, epsilon / 4), guarantee.delta.get_d())
          << entry.name;
    }
  }
}

TEST(Registry, ReleasesAreAmongTheOutputs) {
  random::testing::Seeded source(3);
  for (const Entry& entry : registry()) {
    const auto mechanism = entry.make(parameters_for(entry, 1));
    const auto pmf = (*mechanism)->pmf(input_for(entry), {});
    std::set<std::string> outputs;
    for (const Mass& row : pmf->rows) outputs.insert(row.output);
    for (int i = 0; i < 50; ++i) {
      const auto answer =
          (*mechanism)->release(Exact<Input>::from_private(input_for(entry)), source);
      ASSERT_TRUE(answer.has_value()) << entry.name;
      if (entry.input != "counts") {
        EXPECT_TRUE(outputs.contains(answer->value)) << entry.name << " " << answer->value;
      }
    }
    const auto accuracy = (*mechanism)->accuracy(input_for(entry), Rational(1, 20));
    ASSERT_TRUE(accuracy.has_value()) << entry.name;
    EXPECT_GE(accuracy->bound, 0);
  }
}

TEST(Registry, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const Entry& entry : registry()) {
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_EQ(find(entry.name), &entry);
    EXPECT_FALSE(entry.make(Parameters{}).has_value())
        << entry.name << " has a default for epsilon";
  }
  EXPECT_EQ(find("no-such"), nullptr);
}

TEST(Registry, NumbersAsJson) {
  EXPECT_EQ(json_number(Rational(1, 4)), "0.25");
  EXPECT_EQ(json_number(Rational(1, 3)), "0.3333333333333333");
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "\"inf\"");
  EXPECT_EQ(json_string("a\"b\xff"), "\"a\\\"b\uFFFD\"");
}

}  // namespace
}  // namespace discreet::mechanism
