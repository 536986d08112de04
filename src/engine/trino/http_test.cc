#include "discreet/engine/trino/http.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "discreet/engine/testing/fake_server.h"

namespace discreet::engine::trino {
namespace {

using policy::read_address;
using std::string;
using testing::FakeServer;

TEST(Http, SecretsGoOverTlsOnly) {
  const auto handler = [](const FakeServer::Request&) { return FakeServer::page("{}"); };
  FakeServer plain(handler), tls(handler, true);
  Exchange exchange;
  exchange.path = "/v1/info";
  Credentials password{"ana", "hunter2", {}, tls.certificate()};
  Credentials token{"ana", {}, "e30.e30.x", tls.certificate()};
  for (const Credentials& who : {password, token}) {
    Http open(*read_address(plain.url()), who);
    ASSERT_TRUE(open.send(exchange, {}));
    EXPECT_EQ(plain.requests().back().header("Authorization"), "");
  }
  {
    Http http(*read_address(tls.url()), password);
    const auto answer = http.send(exchange, {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_TRUE(answer->json);
    EXPECT_EQ(tls.requests().back().header("Authorization"), "Basic YW5hOmh1bnRlcjI=");
    EXPECT_EQ(tls.requests().back().header("X-Trino-User"), "ana");
  }
  Http http(*read_address(tls.url()), token);
  ASSERT_TRUE(http.send(exchange, {}));
  EXPECT_EQ(tls.requests().back().header("Authorization"), "Bearer e30.e30.x");
}

TEST(Http, ACertificateOfNobodyIsRefused) {
  const auto handler = [](const FakeServer::Request&) { return FakeServer::page("{}"); };
  FakeServer tls(handler, true), other(handler, true);
  Exchange exchange;
  exchange.path = "/v1/info";
  const auto why = [&](const string& url, const string& certificate) {
    Http http(*read_address(url), {"ana", "hunter2", {}, certificate});
    const auto answer = http.send(exchange, {});
    EXPECT_FALSE(answer);
    return answer ? std::optional<NoAnswer>() : answer.error();
  };
  EXPECT_EQ(why(tls.url(), ""), NoAnswer::kUntrusted);
  EXPECT_EQ(why(tls.url(), other.certificate()), NoAnswer::kUntrusted);
  EXPECT_EQ(why(tls.url(), "/nonexistent"), NoAnswer::kUntrusted);
  // … for another host than this one
  EXPECT_EQ(why(fmt::format("https://127.0.0.1:{}", tls.port()), tls.certificate()),
            NoAnswer::kUntrusted);
  EXPECT_TRUE(tls.requests().empty());  // nothing was said before
}

TEST(Http, RedirectsAndProxiesLeadNowhere) {
  FakeServer elsewhere([](const FakeServer::Request&) { return FakeServer::page("{}"); });
  FakeServer server([&](const FakeServer::Request&) {
    return FakeServer::answer(302, "", "text/html",
                              fmt::format("Location: {}/v1/info\r\n", elsewhere.url()));
  });
  setenv("http_proxy", elsewhere.url().c_str(), 1);
  setenv("all_proxy", elsewhere.url().c_str(), 1);
  Http http(*read_address(server.url()), {});
  Exchange exchange;
  exchange.path = "/v1/info";
  const auto answer = http.send(exchange, {});
  unsetenv("http_proxy");
  unsetenv("all_proxy");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 302);
  EXPECT_TRUE(elsewhere.requests().empty());
}

}  // namespace
}  // namespace discreet::engine::trino
