// tests/private-trino, running as long as the object lives: a Trino of the test's own.
//
//   const PrivateTrino& server = PrivateTrino::one();
//   if (!server.running()) GTEST_SKIP() << server.why_not();
//   server.run("CREATE SCHEMA memory.clinic");
//
// A server takes half a minute to start, so the tests of one program share one.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace discreet::engine::testing {

class PrivateTrino {
 public:
  static const PrivateTrino& one();
  ~PrivateTrino();
  PrivateTrino(const PrivateTrino&) = delete;
  PrivateTrino& operator=(const PrivateTrino&) = delete;

  bool running() const { return !url_.empty(); }
  // What is missing on this machine: Java, or what `make trino` fetches.
  const std::string& why_not() const { return why_not_; }
  const std::string& url() const { return url_; }
  // Runs SQL as anybody may there, and waits for its end; fails the test where it fails.
  void run(const std::string& sql) const;

 private:
  PrivateTrino();
  std::string url_, why_not_;
  pid_t process_ = -1;
  int in_ = -1, out_ = -1;
};

}  // namespace discreet::engine::testing
