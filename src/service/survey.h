// A policy looked at with its sources, and everything that is wrong with them: an owner who mends
// one thing at a time would come back for each. No row is read.
//
//   Survey survey = look_over("clinic.toml");
//   for (const Error& problem : survey.problems) problem.text();
//   if (survey.catalog) survey.catalog->tables.size();
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "discreet/policy/catalog.h"

namespace discreet::service {

struct Survey {
  policy::Policy policy;
  std::optional<policy::Catalog> catalog;  // where there are no problems
  std::vector<Error> problems;
};

Survey look_over(const std::string& policy_path);

// The columns of one of the policy's tables, whatever is wrong with the others.
Result<std::vector<policy::StoredColumn>> columns_of(const policy::Policy& policy,
                                                     std::size_t table);
Result<policy::Catalog> catalog_of(const policy::Policy& policy);

}  // namespace discreet::service
