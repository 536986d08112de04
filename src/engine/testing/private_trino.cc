#include "discreet/engine/testing/private_trino.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "discreet/engine/trino/http.h"

namespace discreet::engine::testing {

using std::string;
using Json = nlohmann::json;

namespace {

// What a command says, and whether it ended well.
bool said(const char* command, string& out) {
  FILE* pipe = popen(command, "r");
  if (!pipe) return false;
  std::array<char, 512> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe)) out += buffer.data();
  return pclose(pipe) == 0;
}

}  // namespace

const PrivateTrino& PrivateTrino::one() {
  static const PrivateTrino server;
  return server;
}

PrivateTrino::PrivateTrino() {
  if (!said(DISCREET_SOURCE "/setup/trino/run --check 2>&1", why_not_)) return;
  why_not_.clear();
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) return;
  process_ = fork();
  if (process_ == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    execl(DISCREET_SOURCE "/tests/private-trino", "private-trino", "--workers", "1", nullptr);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  in_ = to[1];
  out_ = from[0];
  string line;
  for (char c = 0; read(out_, &c, 1) == 1 && c != '\n';) line += c;
  const Json shown = Json::parse(line, nullptr, false);
  EXPECT_TRUE(shown.is_object()) << "Trino could not be started";
  if (shown.is_object()) url_ = shown.value("url", "");
}

PrivateTrino::~PrivateTrino() {
  if (process_ <= 0) return;
  close(in_);
  close(out_);
  int status = 0;
  waitpid(process_, &status, 0);
}

void PrivateTrino::run(const string& sql) const {
  trino::Http http(*policy::read_address(url_), {"test", {}, {}, {}});
  trino::Exchange exchange;
  exchange.verb = trino::Exchange::Verb::kPost;
  exchange.path = "/v1/statement";
  exchange.body = sql;
  while (true) {
    const auto answer = http.send(exchange, {});
    ASSERT_TRUE(answer);
    const Json page = Json::parse(answer->body, nullptr, false);
    ASSERT_TRUE(page.is_object()) << answer->body;
    ASSERT_FALSE(page.contains("error")) << page["error"].value("message", "") << "\n" << sql;
    if (!page.contains("nextUri")) return;
    exchange = {};
    exchange.path = *trino::next_path(page["nextUri"].get<string>());
  }
}

}  // namespace discreet::engine::testing
