// A collation of the server's may take 'ana' and 'ANA' for one text. Units are told apart by bytes,
// so a column that leads to them must not be of such a collation: one person would be two.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/engine/postgres/postgres.h"
#include "discreet/ledger/testing/places.h"

namespace discreet::engine::postgres {
namespace {

using std::string;

class Collation : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = new ledger::testing::Postgres();
    server_->run(
        "CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
        "CREATE COLLATION strict (provider = icu, locale = 'und-u-ks-level2');"
        "CREATE DOMAIN name AS text COLLATE ci;"
        "CREATE TABLE blurred(id text COLLATE ci, other text COLLATE ci, cost float8);"
        "CREATE TABLE by_domain(id public.name, other text, cost float8);"
        "CREATE TABLE sharp(id text, other text COLLATE ci, cost float8);"
        "CREATE TABLE ordered(id text COLLATE strict, other varchar COLLATE \"C\", cost float8)");
  }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }

  // What is wrong with a policy of these tables; empty: nothing.
  static string wrong_with(const string& tables) {
    auto policy = policy::Policy::parse(
        fmt::format("[policy]\nname = \"p\"\nunit = \"patient\"\nengine = \"postgres\"\ndsn = "
                    "\"{}\"\nbudget = {{ epsilon = 10 }}\n{}",
                    server_->address(), tables),
        "p.toml", "/");
    if (!policy) return policy.error().text();
    auto engine = Postgres::open(*policy, {});
    if (!engine) return engine.error().text();
    auto schemas = (*engine)->schemas();
    if (!schemas) return schemas.error().text();
    const auto catalog = policy::make_catalog(*policy, std::move(*schemas));
    return catalog ? "" : catalog.error().text();
  }
  static string alone(const string& source) {
    return fmt::format("[tables.t]\nsource = \"{}\"\nkey = \"id\"\n", source);
  }
  // Rows of `source` belong to who `other` names, by `target` of `people`.
  static string linked(const string& source, const string& people, const string& target) {
    return fmt::format(
        "[tables.people]\nsource = \"{}\"\nkey = \"id\"\n[tables.t]\nsource = \"{}\"\nlink = {{ "
        "column = \"other\", to = \"people.{}\" }}\n",
        people, source, target);
  }

  static ledger::testing::Postgres* server_;
};
ledger::testing::Postgres* Collation::server_ = nullptr;

TEST_F(Collation, OfAKeyMustTellTextsApart) {
  EXPECT_EQ(wrong_with(alone("blurred")),
            "p.toml: tables.t: the column 'id' tells one patient from another, and the collation "
            "public.ci takes texts for equal that differ here (write alike what is equal, then "
            "ALTER TABLE public.blurred ALTER COLUMN id TYPE text COLLATE \"C\")");
  EXPECT_NE(wrong_with(alone("by_domain")).find("the collation public.ci"), string::npos);
  EXPECT_EQ(wrong_with(alone("ordered")), "");
  // What leads to nobody may be compared by bytes.
  EXPECT_EQ(wrong_with(alone("sharp")), "");
}

TEST_F(Collation, OfALinkAndItsTargetToo) {
  EXPECT_NE(wrong_with(linked("sharp", "ordered", "id")).find("tables.t: the column 'other'"),
            string::npos);
  EXPECT_NE(
      wrong_with(linked("ordered", "sharp", "other")).find("tables.people: the column 'other"),
      string::npos);
  EXPECT_EQ(wrong_with(linked("ordered", "sharp", "id")), "");
}

TEST_F(Collation, IsMendedByWhatIsAdvised) {
  server_->run("CREATE TABLE mended(id text COLLATE ci, other text, cost float8)");
  const string wrong = wrong_with(alone("mended"));
  const auto at = wrong.find("ALTER TABLE");
  ASSERT_NE(at, string::npos) << wrong;
  server_->run(wrong.substr(at, wrong.rfind(')') - at));
  EXPECT_EQ(wrong_with(alone("mended")), "");
}

}  // namespace
}  // namespace discreet::engine::postgres
