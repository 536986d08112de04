// A public table, whatever engine it is in, and what questions about it answer.
//
//   OpenTable table(folder, "", "letters.duckdb#letters");
//   table.rows("SELECT k FROM open");
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "discreet/ledger/testing/places.h"
#include "discreet/service/service.h"

namespace discreet::service::testing {

class OpenTable {
 public:
  // Where it is: lines of a policy, nothing for a file. It is called `open` in questions.
  OpenTable(const ledger::testing::Folder& folder, const std::string& where,
            const std::string& source);

  // Why a question is refused; nothing where it isn't.
  std::string refusal(const std::string& question) const;
  // The rows, sorted; doubles to their last bit. An error fails the test.
  std::vector<std::vector<policy::Value>> rows(const std::string& question) const;

 private:
  std::unique_ptr<Service> service_;
};

}  // namespace discreet::service::testing
