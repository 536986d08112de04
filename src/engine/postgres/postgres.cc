#include "discreet/engine/postgres/postgres.h"

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/engine/failure.h"
#include "discreet/engine/postgres/connection.h"
#include "discreet/engine/postgres/dialect.h"
#include "discreet/engine/postgres/schema.h"
#include "discreet/engine/pushdown/bounding.h"
#include "discreet/engine/pushdown/contributions.h"
#include "discreet/engine/pushdown/rows.h"

namespace discreet::engine::postgres {

using std::string;
using Clock = Connection::Clock;

const bound::Hashing& Postgres::hashing() {
  static const bound::Lookup3 hashing;
  return hashing;
}

// A connection that is given back with its scope.
class Postgres::Taken {
 public:
  Taken(Postgres& owner, std::unique_ptr<Connection> connection)
      : owner_(&owner), connection_(std::move(connection)) {}
  Taken(Taken&& other) noexcept : owner_(other.owner_), connection_(std::move(other.connection_)) {
    other.owner_ = nullptr;
  }
  Taken& operator=(Taken&&) = delete;
  ~Taken() {
    if (owner_) owner_->give_back(std::move(connection_));
  }
  explicit operator bool() const { return connection_ != nullptr; }
  void replace(std::unique_ptr<Connection> other) { connection_ = std::move(other); }
  void drop() { connection_.reset(); }
  Connection& operator*() { return *connection_; }
  Connection* operator->() { return connection_.get(); }

 private:
  Postgres* owner_;
  std::unique_ptr<Connection> connection_;
};

Postgres::Postgres(policy::Policy policy, const Limits& limits)
    : policy_(std::move(policy)), queries_(std::max(1U, limits.queries)) {}
Postgres::~Postgres() = default;

Result<std::unique_ptr<Postgres>> Postgres::open(const policy::Policy& policy,
                                                 const Limits& limits) {
  if (!policy.server)
    return fail(Code::kUsage, "the policy names no server",
                "write engine = \"postgres\" and dsn = …");
  std::unique_ptr<Postgres> out(new Postgres(policy, limits));
  out->free_.push_back(TRY(Connection::open(policy.server->dsn)));
  return out;
}

Result<Postgres::Taken> Postgres::take(const Watch& watch) {
  const auto start = Clock::now();
  std::unique_ptr<Connection> connection;
  {
    std::unique_lock lock(mutex_);
    while (taken_ >= queries_) {
      freed_.wait_for(lock, std::chrono::milliseconds(50));
      if (watch.stop && watch.stop->load()) return was_interrupted();
      const std::chrono::duration<double> passed = Clock::now() - start;
      if (watch.timeout_seconds > 0 && passed.count() > watch.timeout_seconds)
        return took_too_long();
    }
    ++taken_;
    if (!free_.empty()) {
      connection = std::move(free_.back());
      free_.pop_back();
    }
  }
  Taken out(*this, std::move(connection));
  // It may have been lost since its last query: the server was started anew, say.
  if (!out || !TRY(out->answers(watch, start)))
    out.replace(TRY(Connection::open(policy_.server->dsn)));
  return out;
}

void Postgres::give_back(std::unique_ptr<Connection> connection) {
  const std::lock_guard lock(mutex_);
  --taken_;
  // One that was lost is forgotten: the next query opens another.
  if (connection && connection->sound()) free_.push_back(std::move(connection));
  freed_.notify_one();
}

Result<policy::Schemas> Postgres::schemas() {
  Taken connection = TRY(take({}));
  const auto unanswered = [] {
    return fail(Code::kFailure, "the server doesn't answer", "look with psql at the same address");
  };
  if (!connection->begin()) return unanswered();
  policy::Schemas out;
  for (const policy::TableRule& table : policy_.tables) {
    auto columns = columns_of(*connection, table);
    if (!columns) {
      connection->finish(false);
      return tl::unexpected(columns.error());
    }
    out.push_back(std::move(*columns));
  }
  if (!connection->finish(true)) return unanswered();
  return out;
}

Status Postgres::planned(const string& sql, std::size_t parameters) {
  {
    const std::lock_guard lock(mutex_);
    if (planned_.contains(sql)) return {};
  }
  Taken connection = TRY(take({}));
  if (!TRY(connection->plans({sql, std::vector<std::int64_t>(parameters), {}})))
    return fail(Code::kRefused, "the engine postgres can't run this question",
                "ask it in a simpler form; discreet policy check looks at the tables");
  const std::lock_guard lock(mutex_);
  constexpr std::size_t kMost = 1000;
  if (planned_.size() >= kMost) planned_.clear();
  planned_.insert(sql);
  return {};
}

Status Postgres::accepts(const plan::PlanPart& part, const policy::Catalog& catalog) {
  const string sql = TRY(sql_of(part, catalog));
  return planned(sql, part.direct ? 0 : std::tuple_size_v<decltype(bound::Secret::words)>);
}

Status Postgres::accepts_open(const sql::Relation& relation, const policy::Catalog& catalog) {
  const string sql = TRY(pushdown::open_rows(relation, Dialect(catalog)));
  return planned(sql, 0);
}

Result<string> Postgres::sql_of(const plan::PlanPart& part, const policy::Catalog& catalog) {
  return TRY(pushdown::bounded(part, Dialect(catalog))).sql;
}

Result<bound::Contributions> Postgres::run(const plan::PlanPart& part,
                                           const policy::Catalog& catalog,
                                           const bound::Secret& secret, const Watch& watch) {
  const auto start = Clock::now();
  const auto statement = TRY(pushdown::bounded(part, Dialect(catalog)));
  bound::Secret here = secret;
  here.hashing = &hashing();
  Connection::Query query{statement.sql, {}, pushdown::columns_of(statement, part)};
  if (!part.direct)  // what is promised to need no choice is given no secret to choose by
    for (const std::uint64_t word : secret.words)
      query.parameters.push_back(static_cast<std::int64_t>(word));
  Taken connection = TRY(take(watch));
  try {
    pushdown::Collector collector(part, statement, here);
    const bool ran = TRY(connection->run(
        query, watch, start, [&] { return unchanged(*connection, *part.select.input, catalog); },
        [&](const pushdown::Row& row) {
          collector.add(row);
          return collector.good();
        }));
    if (!ran || !collector.good()) return could_not_run();
    return collector.finish();
  } catch (...) {
    connection.drop();
    return could_not_run();
  }
}

Result<Rows> Postgres::run_open(const sql::Relation& relation, const policy::Catalog& catalog,
                                const Watch& watch) {
  const auto start = Clock::now();
  Connection::Query query{TRY(pushdown::open_rows(relation, Dialect(catalog))), {}, {}};
  for (const policy::Column& column : relation.columns)
    query.expected.push_back(pushdown::held_as(column.type));
  Taken connection = TRY(take(watch));
  try {
    Rows out;
    const bool ran = TRY(connection->run(
        query, watch, start, [&] { return unchanged(*connection, relation, catalog); },
        [&](const pushdown::Row& row) {
          out.emplace_back();
          for (std::size_t i = 0; i < relation.columns.size(); ++i)
            out.back().push_back(pushdown::value_of(row, i, relation.columns[i].type));
          return true;
        }));
    if (!ran) return could_not_run();
    return out;
  } catch (...) {
    connection.drop();
    return could_not_run();
  }
}

}  // namespace discreet::engine::postgres
