// Every mechanism in the registry, held to what its entry says: what an auditor does. The checks
// are made from the entries (testing/entry_checks.h); nothing here knows a mechanism by name.
#include "discreet/mechanism/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "discreet/mechanism/testing/entry_checks.h"

namespace discreet::mechanism {
namespace {

class Registered : public ::testing::TestWithParam<const Entry*> {};

TEST_P(Registered, DescribesItself) { testing::check_description(*GetParam()); }
TEST_P(Registered, ChecksItsParameters) { testing::check_parameters(*GetParam()); }
TEST_P(Registered, KeepsItsGuaranteeOnAllNeighbours) { testing::check_guarantee(*GetParam()); }
TEST_P(Registered, ABrokenTwinIsCaught) { testing::check_broken_twin(*GetParam()); }
TEST_P(Registered, SamplesFollowItsDistribution) { testing::check_samples(*GetParam()); }
TEST_P(Registered, ItsEventCostsNoLess) { testing::check_event(*GetParam()); }
TEST_P(Registered, IsAsAccurateAsItSays) { testing::check_accuracy(*GetParam()); }
TEST_P(Registered, TakesWhateverSomebodyBrings) { testing::check_inputs(*GetParam()); }

std::vector<const Entry*> all() {
  std::vector<const Entry*> out;
  for (const Entry& entry : registry()) out.push_back(&entry);
  return out;
}
std::string word(const ::testing::TestParamInfo<const Entry*>& info) {
  std::string out(info.param->name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}
INSTANTIATE_TEST_SUITE_P(All, Registered, ::testing::ValuesIn(all()), word);

TEST(Registry, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const Entry& entry : registry()) {
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_EQ(find(entry.name), &entry);
  }
  EXPECT_EQ(find("no-such"), nullptr);
}

// The bag and the descriptions, where a caller's mistakes end.
TEST(Registry, ParametersAreTakenByKind) {
  const Entry& truncated = *find("truncated-geometric");
  EXPECT_TRUE(truncated.make({{"epsilon", 1}, {"max", Rational(5)}}).has_value());
  EXPECT_FALSE(truncated.make({{"epsilon", 1}, {"max", Rational(5, 2)}}).has_value());
  EXPECT_FALSE(truncated.make({{"epsilon", 1}, {"max", true}}).has_value());
  const auto missing = find("laplace")->make({{"epsilon", 1}});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().text(),
            "sensitivity: missing; accepted is a number above 0, such as 1 "
            "or 0.5");
  const auto typo = find("laplace")->make({{"epsilon", 1}, {"sensitivity", 1}, {"grit", 1}});
  ASSERT_FALSE(typo.has_value());
  EXPECT_EQ(typo.error().hint, "did you mean 'grid'?");
}

// An input of another kind is an error that says nothing of the value.
TEST(Registry, InputsOfAnotherKindAreRefused) {
  for (const Entry& entry : registry()) {
    const auto mechanism = *entry.make(entry.trials.at(0).parameters);
    const Value odd = Rows{{Rational(123457)}};
    for (const Error& error :
         {mechanism->pmf(odd, {}).error(), mechanism->neighbours(odd).error()}) {
      EXPECT_EQ(error.code, Code::kUsage) << entry.name;
      EXPECT_NE(error.message.text().find("found rows"), std::string::npos) << error.message;
      EXPECT_EQ(error.message.text().find("123457"), std::string::npos) << error.message;
    }
  }
}

}  // namespace
}  // namespace discreet::mechanism
