#include "discreet/service/survey.h"

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/engine/open.h"
#include "discreet/policy/problems.h"

namespace discreet::service {

Result<std::vector<policy::StoredColumn>> columns_of(const policy::Policy& policy,
                                                     std::size_t table) {
  policy::Policy alone = policy;
  alone.tables = {policy.tables[table]};
  auto engine = TRY(engine::open(alone, {}));
  auto schemas = TRY(engine->schemas());
  return std::move(schemas.front());
}

Result<policy::Catalog> catalog_of(const policy::Policy& policy) {
  auto engine = TRY(engine::open(policy, {}));
  auto schemas = TRY(engine->schemas());
  return policy::make_catalog(policy, std::move(schemas));
}

Survey look_over(const std::string& policy_path) {
  Survey out;
  out.policy = policy::read_with_problems(policy_path, out.problems);
  auto catalog = catalog_of(out.policy);
  if (catalog) {
    if (out.problems.empty()) out.catalog = std::move(*catalog);
    return out;
  }
  // An engine stops at the first source that it can't read: each alone tells of itself.
  const std::size_t before = out.problems.size();
  for (std::size_t i = 0; i < out.policy.tables.size(); ++i)
    if (auto columns = columns_of(out.policy, i); !columns) {
      // Several tables of one database have one reason.
      const bool told =
          std::any_of(out.problems.begin(), out.problems.end(),
                      [&](const Error& other) { return other.text() == columns.error().text(); });
      if (!told) out.problems.push_back(std::move(columns.error()));
    }
  // A link to a table that couldn't be read is that table's problem.
  if (out.problems.size() == before && before == 0)
    out.problems.push_back(std::move(catalog.error()));
  return out;
}

}  // namespace discreet::service
