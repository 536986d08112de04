#include "discreet/engine/trino/trino.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "discreet/base/try.h"
#include "discreet/bound/xxhash.h"
#include "discreet/engine/failure.h"
#include "discreet/engine/pushdown/bounding.h"
#include "discreet/engine/pushdown/contributions.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/engine/pushdown/rows.h"
#include "discreet/engine/pushdown/tables.h"
#include "discreet/engine/trino/dialect.h"
#include "discreet/engine/trino/problem.h"
#include "discreet/engine/trino/schema.h"
#include "discreet/engine/trino/statement.h"
#include "discreet/engine/trino/stored_type.h"

namespace discreet::engine::trino {

using std::string;

const bound::Hashing& Trino::hashing() {
  static const bound::Xxh64 hashing;
  return hashing;
}

namespace {

CellType cell_of(pushdown::Held held) {
  switch (held) {
    case pushdown::Held::kWhole:
      return CellType::kWhole;
    case pushdown::Held::kReal:
      return CellType::kReal;
    case pushdown::Held::kText:
      return CellType::kText;
    case pushdown::Held::kWide:
      break;
  }
  return CellType::kWide;
}

// A row of a page, whose types were looked at.
class CellRow final : public pushdown::Row {
 public:
  explicit CellRow(const Cell* cells) : cells_(cells) {}
  bool is_null(std::size_t column) const override { return cells_[column].null; }
  std::int64_t whole(std::size_t column) const override { return cells_[column].whole; }
  double real(std::size_t column) const override { return cells_[column].real; }
  std::string_view text(std::size_t column) const override { return cells_[column].text; }
  bound::Wide wide(std::size_t column) const override { return cells_[column].wide; }

 private:
  const Cell* cells_;
};

bound::Secret with_hashing(const bound::Secret& secret) {
  bound::Secret out = secret;
  out.hashing = &Trino::hashing();
  return out;
}

}  // namespace

Trino::Trino(policy::Policy policy, Address address, Credentials credentials)
    : policy_(std::move(policy)),
      address_(std::move(address)),
      credentials_(std::move(credentials)) {}

Result<std::unique_ptr<Trino>> Trino::open(const policy::Policy& policy, const Limits& /*limits*/) {
  if (!policy.server || policy.server->kind != policy::Server::Kind::kTrino)
    return fail(Code::kUsage, "the policy names no Trino", "write engine = \"trino\" and url = …");
  const policy::Server& server = *policy.server;
  Address address = TRY(policy::read_address(server.url));
  return std::unique_ptr<Trino>(
      new Trino(policy, std::move(address),
                {server.user, server.password, server.token, server.certificate}));
}

Result<policy::Schemas> Trino::schemas(const Watch& watch) {
  Http http(address_, credentials_);
  policy::Schemas out;
  for (const policy::TableRule& table : policy_.tables)
    out.push_back(TRY(columns_of(http, policy_.server->catalog, table, watch)));
  const policy::Catalog none;
  TRY(pushdown::reads_types(policy_, out, "trino", [&](const policy::StoredColumn& column) {
    return read_column(column, Dialect(none, policy_.server->catalog, with_hashing({})));
  }));
  return out;
}

Status Trino::explained(const string& statement, const Watch& watch) {
  Http http(address_, credentials_);
  bool valid = false;
  Watch silent = watch;
  silent.progress = {};
  const auto ended =
      trino::run(http, {statement, {}, {}, {CellType::kText}, {}}, silent, [&](const Cell* row) {
        valid = !row[0].null;
        return true;
      });
  if (!ended && ended.error().kind != Failed::Kind::kBroken)
    return problem(ended.error(), address_, Reserved::kNothing);
  if (valid) return {};
  // No row was read: its name for what is wrong can tell of none.
  return fail(
      Code::kRefused,
      fmt::format(
          "the engine trino can't run this question{}",
          ended || ended.error().name.empty() ? "" : fmt::format(" ({})", ended.error().name)),
      "ask it in a simpler form; discreet policy check looks at the tables");
}

Status Trino::validated(const Printed& printed, bool large, const policy::Catalog& catalog,
                        const Watch& watch) {
  const auto sql_for = [&](Dialect::Share share) {
    return printed(Dialect(catalog, policy_.server->catalog, with_hashing({}), share));
  };
  const string sql = TRY(sql_for({}));
  if (lambdas_in({sql}) > kMostLambdas)
    return not_here("calculations that are nested so deep",
                    "nest fewer of ROUND, LEAST, GREATEST, comparisons and casts");
  {
    const std::lock_guard lock(mutex_);
    if (valid_.contains(sql)) return {};
  }
  // Not only TYPE VALIDATE, which doesn't plan: a plan that can't be made is found here too.
  TRY(explained("EXPLAIN " + sql, watch));
  if (large) TRY(explained("EXPLAIN ANALYZE " + TRY(sql_for({.nothing = true})), watch));
  const std::lock_guard lock(mutex_);
  constexpr std::size_t kMost = 1000;
  if (valid_.size() >= kMost) valid_.clear();
  valid_.insert(sql);
  return {};
}

Result<string> Trino::sql_of(const plan::PlanPart& part, const policy::Catalog& catalog,
                             const string& trino_catalog) {
  return TRY(pushdown::bounded(part, Dialect(catalog, trino_catalog, with_hashing({})))).sql;
}

namespace {

// A worker makes a method of each expression, and Java's have an end, which no plan tells of: of
// longer ones than this, in characters, it is tried. (From about 14,000 on it is too much.)
constexpr std::size_t kSurelyFits = 5'000;

}  // namespace

Status Trino::accepts(const plan::PlanPart& part, const policy::Catalog& catalog,
                      const Watch& watch) {
  // Java's text of a double isn't what an answer shows.
  for (const plan::Slot& slot : part.slots)
    if (slot.kind == plan::Slot::Kind::kWord && slot.value.type == policy::Type::kDouble)
      return not_here("the most frequent of numbers with a point",
                      "ROUND isn't enough: CAST them to BIGINT");
  const Dialect dialect(catalog, policy_.server->catalog, with_hashing({}));
  const std::size_t columns = part.select.input->columns.size();
  std::size_t size = pushdown::size_of(*part.select.input, dialect);
  for (const sql::Expr& key : part.select.keys) size += pushdown::size_of(key, columns, dialect);
  for (const plan::Slot& slot : part.slots) size += pushdown::size_of(slot.value, columns, dialect);
  return validated(
      [&](const Dialect& share) -> Result<string> {
        return TRY(pushdown::bounded(part, share)).sql;
      },
      size > kSurelyFits, catalog, watch);
}

Status Trino::accepts_open(const sql::Relation& relation, const policy::Catalog& catalog,
                           const Watch& watch) {
  const Dialect dialect(catalog, policy_.server->catalog, with_hashing({}));
  return validated([&](const Dialect& share) { return pushdown::open_rows(relation, share); },
                   pushdown::size_of(relation, dialect) > kSurelyFits, catalog, watch);
}

namespace {

// What is left of the time, and how far all shares are.
Watch of_a_share(const Watch& watch, std::chrono::steady_clock::time_point start, unsigned share,
                 unsigned shares) {
  Watch out = watch;
  if (watch.timeout_seconds > 0) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    out.timeout_seconds = std::max(watch.timeout_seconds - passed.count(), 1e-9);
  }
  if (watch.progress)
    out.progress = [&watch, share, shares](double percent) {
      watch.progress((100.0 * share + std::max(0.0, percent)) / shares);
    };
  return out;
}

// The server's memory, or what it gives a query of it, is too small for all units at once.
bool memory_is_short(const Failed& failed) {
  return failed.kind == Failed::Kind::kBroken &&
         (failed.name == "EXCEEDED_LOCAL_MEMORY_LIMIT" ||
          failed.name == "EXCEEDED_GLOBAL_MEMORY_LIMIT" || failed.name == "CLUSTER_OUT_OF_MEMORY");
}

}  // namespace

Result<bound::Contributions> Trino::run(const plan::PlanPart& part, const policy::Catalog& catalog,
                                        const bound::Secret& secret, const Watch& watch) {
  const bound::Secret chosen = with_hashing(secret);
  const auto start = std::chrono::steady_clock::now();
  constexpr unsigned kMostShares = 1024;
  try {
    for (unsigned shares = 1;; shares *= 2) {
      const pushdown::Statement planned =
          TRY(pushdown::bounded(part, Dialect(catalog, policy_.server->catalog, chosen)));
      pushdown::Collector collector(part, planned, chosen);
      if (!collector.good()) return could_not_run();
      tl::expected<void, Failed> ended;
      for (unsigned share = 0; share < shares && ended; ++share) {
        Statement statement;
        statement.sql = TRY(pushdown::bounded(part, Dialect(catalog, policy_.server->catalog,
                                                            chosen, {share, shares})))
                            .sql;
        for (const pushdown::Held held : pushdown::columns_of(planned, part))
          statement.types.push_back(cell_of(held));
        if (watch.pass) watch.pass(share, shares);
        Http http(address_, credentials_);
        ended = trino::run(http, statement, of_a_share(watch, start, share, shares),
                           [&](const Cell* row) {
                             collector.add(CellRow(row));
                             return collector.good();
                           });
      }
      if (ended) return collector.finish();
      if (!memory_is_short(ended.error()) || !pushdown::comes_in_shares(part) ||
          shares >= kMostShares)
        return problem(ended.error(), address_);
    }
  } catch (...) {
    return could_not_run();
  }
}

Result<Rows> Trino::run_open(const sql::Relation& relation, const policy::Catalog& catalog,
                             const Watch& watch) {
  Statement statement;
  statement.sql = TRY(
      pushdown::open_rows(relation, Dialect(catalog, policy_.server->catalog, with_hashing({}))));
  for (const policy::Column& column : relation.columns) {
    const policy::Type type = pushdown::travels_as(column.type);
    statement.types.push_back(type == policy::Type::kText     ? CellType::kText
                              : type == policy::Type::kDouble ? CellType::kReal
                                                              : CellType::kWhole);
  }
  if (statement.types.empty()) statement.types.push_back(CellType::kWhole);
  try {
    Rows out;
    Http http(address_, credentials_);
    const auto ended = trino::run(http, statement, watch, [&](const Cell* row) {
      out.emplace_back();
      for (std::size_t i = 0; i < relation.columns.size(); ++i) {
        policy::Value value = policy::Value::none(relation.columns[i].type);
        value.null = row[i].null;
        value.whole = row[i].whole;
        value.real = row[i].real;
        value.string = row[i].text;
        out.back().push_back(std::move(value));
      }
      return true;
    });
    if (!ended) return problem(ended.error(), address_, Reserved::kNothing);
    return out;
  } catch (...) {
    return could_not_run(Reserved::kNothing);
  }
}

}  // namespace discreet::engine::trino
