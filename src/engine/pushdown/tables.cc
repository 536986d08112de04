#include "discreet/engine/pushdown/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/policy/names.h"

namespace discreet::engine::pushdown {

using std::string;

string other_table(const policy::ServerTable& wanted, const std::vector<string>& tables,
                   const std::vector<string>& schemas, const string& accepted) {
  const bool known = std::find(schemas.begin(), schemas.end(), wanted.schema) != schemas.end();
  const string near =
      known ? did_you_mean(wanted.table, tables) : did_you_mean(wanted.schema, schemas);
  if (near.empty()) return accepted;
  return known ? near : fmt::format("there is no schema '{}': {}", wanted.schema, near);
}

namespace {

Status reads_type(const policy::StoredColumn& stored, const policy::ColumnRule& rule,
                  const string& place, const string& engine, const ReadColumn& read) {
  if (!rule.type || !stored.unreadable.empty()) return {};
  // A range alone says "a number", and what is never cast has words of its own (make_catalog).
  const bool stays = *rule.type == policy::Type::kDouble && stored.type == policy::Type::kInt;
  if (stays || !policy::can_cast(stored.type, *rule.type)) return {};
  policy::StoredColumn as_declared = stored;
  as_declared.type = *rule.type;
  if (read(as_declared)) return {};
  const bool by_type = !rule.range && !rule.values;
  return fail(Code::kUsage,
              fmt::format("{}{}: the source holds {}, which the engine {} can't read as {}", place,
                          by_type ? ".type" : "", with_article(stored.type), engine,
                          with_article(*rule.type)),
              fmt::format("leave it out, or store it in a column of type {}", name_of(*rule.type)));
}

}  // namespace

Status reads_types(const policy::Policy& policy, const policy::Schemas& schemas,
                   const string& engine, const ReadColumn& read) {
  for (std::size_t i = 0; i < schemas.size(); ++i)
    for (const policy::StoredColumn& stored : schemas[i])
      for (const auto& [name, rule] : policy.tables[i].columns)
        if (policy::same_name(name, stored.name))
          TRY(reads_type(
              stored, rule,
              fmt::format("{}: tables.{}.columns.{}", policy.path, policy.tables[i].name, name),
              engine, read));
  return {};
}

}  // namespace discreet::engine::pushdown
