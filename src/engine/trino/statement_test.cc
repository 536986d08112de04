#include "discreet/engine/trino/statement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "discreet/engine/testing/fake_server.h"

namespace discreet::engine::trino {
namespace {

using policy::read_address;
using std::string;
using testing::FakeServer;
using Kind = Failed::Kind;

constexpr const char* kColumns = R"("columns":[{"name":"n","type":"bigint"}])";

string link(int number) {
  return fmt::format("http://elsewhere.example/v1/statement/executing/q/s/{}", number);
}
// A page of one query, with a link to the next unless it is the last.
string page(int next, const string& more = "", const string& state = "RUNNING") {
  return FakeServer::page(
      fmt::format(R"({{"id":"q",{}{}{}"stats":{{"state":"{}","progressPercentage":{}}}}})",
                  next > 0 ? fmt::format("\"nextUri\":\"{}\",", link(next)) : "", more,
                  more.empty() ? "" : ",", state, next > 0 ? 50 : 100));
}
string rows(const string& data) { return fmt::format("{},\"data\":{}", kColumns, data); }
string last(const string& data) { return page(0, rows(data), "FINISHED"); }

// A talk with a server that says these things in turn (to what isn't a DELETE), then nothing more.
struct Talked {
  tl::expected<void, Failed> ended;
  std::vector<std::int64_t> found;
  std::vector<FakeServer::Request> requests;
  std::vector<double> progress;
  int waits = 0;
};

Patience quick() {
  Patience out;
  out.tries = 3;
  out.wait = [](std::chrono::milliseconds, const Leave& leave) { return !leave.asked(); };
  return out;
}

Talked talk(const std::vector<string>& answers, Patience patience = quick(), Watch watch = {}) {
  std::atomic<std::size_t> next = 0;
  FakeServer server([&](const FakeServer::Request& request) -> string {
    if (request.verb == "DELETE") return FakeServer::answer(204, "");
    const std::size_t here = next++;
    return here < answers.size() ? answers[here] : "";
  });
  Talked out;
  Statement statement;
  statement.sql = "SELECT n FROM t";
  statement.catalog = "memory";
  statement.schema = "clinic";
  statement.types = {CellType::kWhole};
  const auto wait = patience.wait;
  patience.wait = [&](std::chrono::milliseconds length, const Leave& leave) {
    ++out.waits;
    return wait(length, leave);
  };
  watch.progress = [&](double percent) { out.progress.push_back(percent); };
  Http http(*read_address(server.url()),
            {.user = "ana", .password = {}, .token = {}, .certificate = {}});
  out.ended = run(
      http, statement, watch,
      [&](const Cell* row) {
        out.found.push_back(row[0].whole);
        return true;
      },
      patience);
  out.requests = server.requests();
  return out;
}

bool cancelled(const Talked& talked) { return talked.requests.back().verb == "DELETE"; }

TEST(Statement, FollowsTheLinksOfOneServer) {
  const Talked talked = talk({page(1, "", "QUEUED"), page(2, rows("[[1],[2]]")), page(3),
                              page(4, rows("[]")), last("[[3]]")});
  ASSERT_TRUE(talked.ended);
  EXPECT_EQ(talked.found, (std::vector<std::int64_t>{1, 2, 3}));
  ASSERT_EQ(talked.requests.size(), 5U);
  const FakeServer::Request& first = talked.requests[0];
  EXPECT_EQ(first.verb + first.path, "POST/v1/statement");
  EXPECT_EQ(first.body, "SELECT n FROM t");
  EXPECT_EQ(first.header("X-Trino-User"), "ana");
  EXPECT_EQ(first.header("X-Trino-Catalog"), "memory");
  EXPECT_EQ(first.header("X-Trino-Schema"), "clinic");
  EXPECT_EQ(first.header("X-Trino-Time-Zone"), "UTC");
  EXPECT_EQ(first.header("X-Trino-Source"), "discreet");
  // Links name another host: it is this server that is asked.
  EXPECT_EQ(talked.requests[4].verb + talked.requests[4].path, "GET/v1/statement/executing/q/s/4");
  EXPECT_EQ(talked.progress.back(), 100);
}

TEST(Statement, GatewaysAreTriedAgain) {
  const string busy = FakeServer::answer(503, "busy", "text/html");
  for (const int status : {502, 503, 504}) {
    const string once = FakeServer::answer(status, "", "text/html");
    const Talked talked = talk({once, page(1), once, once, last("[[7]]")});
    EXPECT_TRUE(talked.ended) << status;
    EXPECT_EQ(talked.found, std::vector<std::int64_t>{7});
    EXPECT_EQ(talked.waits, 3);
  }
  EXPECT_EQ(talk({busy, busy, busy, page(1), last("[[7]]")}).ended.error().kind,
            Kind::kUnreachable);
  const Talked late = talk({page(1), busy, busy, busy, last("[[7]]")});
  EXPECT_EQ(late.ended.error().kind, Kind::kBroken);
  EXPECT_TRUE(cancelled(late));
}

// A page can be fetched twice, a statement must not be sent twice.
TEST(Statement, ABrokenConnectionIsTriedAgainForPagesOnly) {
  const Talked page_cut = talk({page(1), "",
                                "HTTP/1.1 200 x\r\nContent-Type: application/json\r\n"
                                "Content-Length: 500\r\n\r\n{\"id\"",
                                last("[[7]]")});
  EXPECT_TRUE(page_cut.ended);
  EXPECT_EQ(page_cut.found, std::vector<std::int64_t>{7});
  const Talked post_cut = talk({"", page(1), last("[[7]]")});
  EXPECT_FALSE(post_cut.ended);
  EXPECT_EQ(post_cut.requests.size(), 1U);
}

TEST(Statement, OtherAnswersEndIt) {
  for (const int status : {301, 302, 307, 308, 400, 404, 410, 500, 201, 204}) {
    const string other =
        FakeServer::answer(status, "{}", "application/json", "Location: /v1/statement/x\r\n");
    const Talked talked = talk({page(1), other, last("[[7]]")});
    EXPECT_EQ(talked.ended.error().kind, Kind::kBroken) << status;
    EXPECT_TRUE(cancelled(talked));
    EXPECT_TRUE(talked.found.empty());
    EXPECT_EQ(talk({other, last("[[7]]")}).ended.error().kind, Kind::kNotTrino) << status;
  }
  for (const int status : {401, 403})
    EXPECT_EQ(talk({FakeServer::answer(status, "{}")}).ended.error().kind, Kind::kUnknown);
  EXPECT_EQ(talk({FakeServer::answer(200, "<html>", "text/html")}).ended.error().kind,
            Kind::kNotTrino);
  EXPECT_EQ(talk({"SSH-2.0-x\r\n"}).ended.error().kind, Kind::kNotTrino);
}

TEST(Statement, NobodyThereIsSaid) {
  int port = 0;
  {
    port = FakeServer([](const auto&) { return ""; }).port();
  }
  Http http(*read_address(fmt::format("http://127.0.0.1:{}", port)), {});
  const auto ended = run(
      http, {"SELECT 1", {}, {}, {CellType::kWhole}, {}}, {}, [](const Cell*) { return true; },
      quick());
  EXPECT_EQ(ended.error().kind, Kind::kUnreachable);
}

// An error's name is kept, its message isn't; rows that came before it were no answer.
TEST(Statement, AnErrorIsNoAnswer) {
  const Talked talked =
      talk({page(1, rows("[[41]]")),
            page(0, R"("error":{"message":"41","errorName":"DIVISION_BY_ZERO"})", "FAILED")});
  EXPECT_EQ(talked.ended.error().kind, Kind::kBroken);
  EXPECT_EQ(talked.ended.error().name, "DIVISION_BY_ZERO");
}

// What looks like an end and isn't one: each of these would pass as a whole answer.
TEST(Statement, OnlyAFinishedQueryIsWhole) {
  EXPECT_TRUE(talk({page(1), last("[[7]]")}).ended);
  for (const char* state : {"FAILED", "RUNNING", "CANCELED", ""})
    EXPECT_EQ(talk({page(1), page(0, rows("[[7]]"), state)}).ended.error().kind, Kind::kBroken)
        << state;
  // no columns were ever said
  EXPECT_FALSE(talk({page(1), page(0, "", "FINISHED")}).ended);
  EXPECT_TRUE(talk({page(1, kColumns), page(0, "", "FINISHED")}).ended);
  // another query's page
  const string other = FakeServer::page(
      fmt::format(R"({{"id":"other",{},"stats":{{"state":"FINISHED"}}}})", rows("[[7]]")));
  EXPECT_EQ(talk({page(1), other}).ended.error().kind, Kind::kBroken);
}

TEST(Statement, LinksLeadToStatementsOnly) {
  for (const char* bad :
       {"http://h/v1/query/q", "http://h/v1/statement/../x", "ftp", "http://h", "/v1/statement/x",
        "http://h/v1/statement/a b", "http://h/v1/statement/a\\r\\nX: y", "file:///v1/statement/x/",
        "http://h/v1/statementx/1", "http://h/v1/statement/é"}) {
    const string json =
        fmt::format(R"({{"id":"q","nextUri":"{}","stats":{{"state":"RUNNING"}}}})", bad);
    const Talked talked = talk({FakeServer::page(json), last("[[7]]")});
    // file:// names no host; its path is one of a statement, asked of our server
    if (string(bad).starts_with("file:")) {
      EXPECT_EQ(talked.requests[1].path, "/v1/statement/x/");
      continue;
    }
    EXPECT_FALSE(talked.ended) << bad;
    EXPECT_EQ(talked.requests.size(), 1U) << bad;
  }
}

// Endless, huge, slow: each ends by a limit, and the server is told.
TEST(Statement, WhatHasNoEndIsEnded) {
  Patience patience = quick();
  patience.pages = 20;
  const std::vector<string> endless(100, page(1));
  const Talked talked = talk(endless, patience);
  EXPECT_EQ(talked.ended.error().kind, Kind::kBroken);
  EXPECT_EQ(talked.requests.size(), 21U);
  EXPECT_TRUE(cancelled(talked));

  patience = quick();
  patience.page_bytes = 1000;
  const Talked huge = talk({page(1), last("[[" + string(2000, '1') + "]]")}, patience);
  EXPECT_EQ(huge.ended.error().kind, Kind::kBroken);
  EXPECT_TRUE(cancelled(huge));
  // … also where it doesn't say how long it is
  const Talked unsaid = talk(
      {page(1), "HTTP/1.1 200 x\r\nContent-Type: application/json\r\n\r\n" + string(5000, ' ')},
      patience);
  EXPECT_EQ(unsaid.ended.error().kind, Kind::kBroken);

  patience = quick();
  patience.all_bytes = 500;
  const Talked many = talk(endless, patience);
  EXPECT_EQ(many.ended.error().kind, Kind::kBroken);
  EXPECT_LT(many.requests.size(), 10U);
  EXPECT_TRUE(cancelled(many));
}

TEST(Statement, WhoeverTakesRowsCanEndIt) {
  FakeServer server([](const FakeServer::Request& request) -> string {
    return request.verb == "DELETE" ? FakeServer::answer(204, "") : page(1, rows("[[1],[2]]"));
  });
  Http http(*read_address(server.url()), {});
  int taken = 0;
  const auto ended = run(
      http, {"SELECT 1", {}, {}, {CellType::kWhole}, {}}, {},
      [&](const Cell*) { return ++taken < 2; }, quick());
  EXPECT_EQ(ended.error().kind, Kind::kBroken);
  EXPECT_EQ(taken, 2);
  EXPECT_EQ(server.requests().back().verb, "DELETE");
}

// Ctrl-C and timeouts come while the server is silent.
TEST(Statement, ASilentServerIsLeft) {
  std::atomic<bool> stop = false;
  FakeServer server([&](const FakeServer::Request& request) -> string {
    if (request.verb == "DELETE") return FakeServer::answer(204, "");
    if (request.verb == "POST") return page(1);
    stop = true;
    return FakeServer::hold();
  });
  const Statement statement{"SELECT 1", {}, {}, {CellType::kWhole}, {}};
  const auto take = [](const Cell*) { return true; };
  Watch watch;
  watch.stop = &stop;
  {
    Http http(*read_address(server.url()), {});
    EXPECT_EQ(run(http, statement, watch, take).error().kind, Kind::kStopped);
    EXPECT_EQ(server.requests().back().verb, "DELETE");
    EXPECT_EQ(server.requests().back().path, "/v1/statement/executing/q/s/1");
  }
  watch.stop = nullptr;
  watch.timeout_seconds = 0.01;
  Http http(*read_address(server.url()), {});
  EXPECT_EQ(run(http, statement, watch, take).error().kind, Kind::kLate);
  EXPECT_EQ(server.requests().back().verb, "DELETE");
  // The server has a limit of its own, should our DELETE not arrive.
  for (const FakeServer::Request& one : server.requests())
    if (one.verb == "POST" && !one.header("X-Trino-Session").empty()) {
      EXPECT_EQ(one.header("X-Trino-Session"), "query_max_run_time=2s");
      return;
    }
  FAIL() << "no limit was sent";
}

TEST(Statement, HeadersCannotBeSmuggled) {
  FakeServer server([](const FakeServer::Request&) { return last("[[1]]"); });
  Http http(*read_address(server.url()),
            {.user = "ana\r\nX-Trino-Role: admin", .password = {}, .token = {}, .certificate = {}});
  EXPECT_FALSE(run(
      http, {"SELECT 1", {}, {}, {CellType::kWhole}, {}}, {}, [](const Cell*) { return true; },
      quick()));
  EXPECT_TRUE(server.requests().empty());
}

}  // namespace
}  // namespace discreet::engine::trino
