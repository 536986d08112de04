#include "discreet/policy/trino_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "discreet/policy/policy.h"

namespace discreet::policy {
namespace {

using std::string;

TrinoKeys keys() {
  TrinoKeys out;
  out.url = "https://Trino.example.org/";
  out.catalog = "Hive";
  out.user = "discreet";
  return out;
}

string refusal(const TrinoKeys& some, const string& directory = "/nowhere") {
  const auto server = trino_server(some, directory);
  return server ? "" : server.error().parameter + ": " + server.error().text();
}

TEST(TrinoServer, HasAnIdentityWithoutSecrets) {
  setenv("DISCREET_TEST_SECRET", "hunter2", 1);
  TrinoKeys some = keys();
  some.password = "env:DISCREET_TEST_SECRET";
  const auto server = trino_server(some, "/nowhere");
  ASSERT_TRUE(server);
  EXPECT_EQ(server->kind, Server::Kind::kTrino);
  EXPECT_EQ(server->identity, "trino://trino.example.org:443/hive");
  EXPECT_EQ(server->url, "https://trino.example.org:443");
  EXPECT_EQ(server->schema, "default");
  EXPECT_EQ(server->password, "hunter2");
  EXPECT_TRUE(server->token.empty());
}

TEST(TrinoServer, ASecretComesFromAFile) {
  string folder = std::filesystem::temp_directory_path() / "discreet-policy.XXXXXX";
  ASSERT_TRUE(mkdtemp(folder.data()));
  std::ofstream(folder + "/token") << "e30.e30.x\n";
  std::ofstream(folder + "/lines") << "a\nb\n";
  std::ofstream(folder + "/nothing") << "\n";
  TrinoKeys some = keys();
  some.token = "file:token";
  EXPECT_EQ(trino_server(some, folder)->token, "e30.e30.x");
  for (const char* name : {"file:lines", "file:nothing", "file:missing"}) {
    some.token = name;
    EXPECT_FALSE(trino_server(some, folder)) << name;
  }
  some.token = "file:nothing";
  EXPECT_NE(refusal(some, folder).find("/nothing' is empty"), string::npos)
      << refusal(some, folder);
  std::filesystem::remove_all(folder);
}

TEST(TrinoServer, RefusesWhatItDoesNotUnderstand) {
  TrinoKeys some = keys();
  some.url.clear();
  EXPECT_NE(refusal(some).find("has no url"), string::npos);
  some = keys();
  some.catalog.clear();
  EXPECT_NE(refusal(some).find("has no catalog"), string::npos);
  some = keys();
  some.user.clear();
  EXPECT_NE(refusal(some).find("has no user"), string::npos);
  some = keys();
  some.url = "trino.example.org";
  EXPECT_TRUE(refusal(some).starts_with("url: "));
  some = keys();
  some.user = "ana\r\nX-Trino-Role: admin";
  EXPECT_TRUE(refusal(some).starts_with("user: "));
  some = keys();
  some.certificate = "missing.pem";
  EXPECT_TRUE(refusal(some).starts_with("certificate: "));
}

TEST(TrinoServer, SecretsAreNeitherInThePolicyNorSentInTheClearNorShown) {
  setenv("DISCREET_TEST_SECRET", "hunter2", 1);
  TrinoKeys some = keys();
  some.password = "hunter2";
  EXPECT_TRUE(refusal(some).starts_with("password: "));
  EXPECT_EQ(refusal(some).find("hunter2"), string::npos);
  some.password = "env:DISCREET_TEST_SECRET";
  some.url = "http://trino.example.org";
  EXPECT_TRUE(refusal(some).starts_with("url: "));
  EXPECT_EQ(refusal(some).find("hunter2"), string::npos);
  some = keys();
  some.password = some.token = "env:DISCREET_TEST_SECRET";
  EXPECT_TRUE(refusal(some).starts_with("token: "));
  some.token = "env:DISCREET_TEST_NOT_THERE";
  some.password.clear();
  EXPECT_TRUE(refusal(some).starts_with("token: "));
}

TEST(TrinoServer, AnswersDoNotCrossTheNetworkInTheClear) {
  TrinoKeys some = keys();
  for (const char* url : {"http://trino.example.org", "http://10.0.0.7:8080"}) {
    some.url = url;
    EXPECT_TRUE(refusal(some).starts_with("url: ")) << url;
  }
  for (const char* url : {"http://localhost:8080", "http://127.0.0.1", "http://[::1]:8080",
                          "https://trino.example.org"}) {
    some.url = url;
    EXPECT_TRUE(trino_server(some, "/")) << url;
  }
}

// In a policy: keys of one engine are refused for another, and names of tables know no capitals.
TEST(TrinoServer, StandsInAPolicy) {
  const auto parsed = [](const string& lines) {
    return Policy::parse(fmt::format("[policy]\nname = \"p\"\nunit = \"patient\"\nbudget = {{ "
                                     "epsilon = 1 }}\n{}\n[tables.visits]\nsource = "
                                     "\"Clinic.Visits\"\nkey = \"id\"\n",
                                     lines),
                         "p.toml", "/nowhere");
  };
  const string good =
      "engine = \"trino\"\nurl = \"https://h\"\ncatalog = \"hive\"\nuser = \"ana\"\n";
  const auto policy = parsed(good);
  ASSERT_TRUE(policy);
  EXPECT_EQ(identities(policy->tables[0].from).front(), "trino://h:443/hive#clinic.visits");
  for (const char* bad : {"url = \"https://h\"\n", "user = \"ana\"\n", "engine = \"trino\"\n",
                          "engine = \"trion\"\n"})
    EXPECT_FALSE(parsed(bad)) << bad;
  EXPECT_FALSE(parsed(good + "dsn = \"postgresql://h/d\"\n"));
  EXPECT_FALSE(parsed("engine = \"postgres\"\ndsn = \"postgresql://h/d\"\nurl = \"https://h\"\n"));
  EXPECT_NE(parsed("engine = \"trion\"\n").error().text().find("trino"), string::npos);
}

}  // namespace
}  // namespace discreet::policy
