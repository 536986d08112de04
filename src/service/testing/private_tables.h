// Tables about people, whatever engine they are in, and what questions about them answer.
//
//   PrivateTables tables;
//   tables.fill({{"visits", "SELECT 7 AS id"}}, nullptr);  // DuckDB's SQL, in a file
//   auto counts = tables.ask("SELECT COUNT(*) FROM visits");  // 1, nearly
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "discreet/service/service.h"
#include "discreet/service/testing/elsewhere.h"

namespace discreet::service::testing {

class PrivateTables {
 public:
  // Of each table one group and one row of a person count.
  struct Made {
    std::string name, sql, rule = "key = \"id\"";
  };
  // Nowhere else: in a file.
  void fill(const std::vector<Made>& tables, const Elsewhere* elsewhere);

  // The answer's rows, with noise far below 1; none where the question is refused.
  std::vector<std::vector<policy::Value>> rows(const std::string& question);
  // … the last column's numbers.
  std::vector<double> ask(const std::string& question);
  const std::string& refusal() const { return refusal_; }

 private:
  ledger::testing::Folder folder_;
  std::unique_ptr<Service> service_;
  std::string refusal_;
};

}  // namespace discreet::service::testing
