// DuckDB as everybody has it, unlocked: tests make files with it, and ask it for what is exact.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace discreet::service::testing {

inline constexpr const char* kNull = "(nothing)";

class PlainDuckdb {
 public:
  PlainDuckdb();
  ~PlainDuckdb();
  PlainDuckdb(const PlainDuckdb&) = delete;
  PlainDuckdb& operator=(const PlainDuckdb&) = delete;

  // The rows, every cell as text, NULL as kNull. A mistake fails the test.
  std::vector<std::vector<std::string>> run(const std::string& sql);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace discreet::service::testing
