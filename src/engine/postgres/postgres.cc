#include "discreet/engine/postgres/postgres.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "discreet/base/try.h"
#include "discreet/engine/failure.h"
#include "discreet/engine/postgres/connection.h"
#include "discreet/engine/postgres/dialect.h"
#include "discreet/engine/postgres/schema.h"
#include "discreet/engine/postgres/stored_type.h"
#include "discreet/engine/postgres/together.h"
#include "discreet/engine/pushdown/bounding.h"
#include "discreet/engine/pushdown/contributions.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/engine/pushdown/rows.h"
#include "discreet/engine/pushdown/tables.h"

namespace discreet::engine::postgres {

using std::string;

const bound::Hashing& Postgres::hashing() {
  static const bound::Lookup3 hashing;
  return hashing;
}

// A connection that is given back with its scope.
class Postgres::Taken {
 public:
  Taken(Postgres& owner, std::unique_ptr<Connection> connection, bool counted)
      : owner_(&owner), connection_(std::move(connection)), counted_(counted) {}
  Taken(Taken&& other) noexcept
      : owner_(other.owner_), connection_(std::move(other.connection_)), counted_(other.counted_) {
    other.owner_ = nullptr;
  }
  Taken& operator=(Taken&&) = delete;
  ~Taken() {
    if (owner_) owner_->give_back(std::move(connection_), counted_);
  }
  explicit operator bool() const { return connection_ != nullptr; }
  void replace(std::unique_ptr<Connection> other) { connection_ = std::move(other); }
  void drop() { connection_.reset(); }
  Connection& operator*() { return *connection_; }
  Connection* operator->() { return connection_.get(); }

 private:
  Postgres* owner_;
  std::unique_ptr<Connection> connection_;
  bool counted_;
};

Postgres::Postgres(policy::Policy policy, const Limits& limits)
    : policy_(std::move(policy)), queries_(std::max(1U, limits.queries)) {
  free_.reserve(queries_);  // giving one back can't fail
}
Postgres::~Postgres() = default;

Result<std::unique_ptr<Postgres>> Postgres::open(const policy::Policy& policy, const Limits& limits,
                                                 const Watch& watch) {
  if (!policy.server)
    return fail(Code::kUsage, "the policy names no server",
                "write engine = \"postgres\" and dsn = …");
  std::unique_ptr<Postgres> out(new Postgres(policy, limits));
  const Waiting waiting{.watch = watch};
  auto connection = TRY(Connection::open(policy.server->dsn, waiting, policy.server->shown));
  constexpr std::int64_t kMost = 8;
  const std::int64_t workers =
      connection->setting("max_parallel_workers_per_gather", waiting).value_or(0);
  if (!connection->sound()) return connection->unanswered();
  out->shares_ = std::bit_floor(static_cast<unsigned>(std::clamp<std::int64_t>(workers, 1, kMost)));
  out->free_.push_back(std::move(connection));
  return out;
}

Result<Postgres::Taken> Postgres::take(const Waiting& waiting) {
  std::unique_ptr<Connection> connection;
  {
    std::unique_lock lock(mutex_);
    while (taken_ >= queries_) {
      freed_.wait_for(lock, std::chrono::milliseconds(50));
      if (waiting.stopped()) return was_interrupted(waiting.reserved);
      if (waiting.late()) return took_too_long(waiting.reserved);
    }
    ++taken_;
    connection = one_that_is_free();
  }
  Taken out(*this, std::move(connection), true);
  // It may have been lost since its last query: the server was started anew, say.
  if (!out || !TRY(out->answers(waiting)))
    out.replace(TRY(Connection::open(policy_.server->dsn, waiting, policy_.server->shown)));
  return out;
}

std::unique_ptr<Connection> Postgres::one_that_is_free() {
  if (free_.empty()) return nullptr;
  auto out = std::move(free_.back());
  free_.pop_back();
  return out;
}

std::optional<Postgres::Taken> Postgres::take_another(const Waiting& waiting) {
  try {
    std::unique_lock lock(mutex_);
    Taken out(*this, one_that_is_free(), false);
    lock.unlock();
    if (out && out->answers(waiting).value_or(false)) return out;
    auto opened = Connection::open(policy_.server->dsn, waiting, policy_.server->shown);
    if (!opened) return std::nullopt;
    out.replace(std::move(*opened));
    return out;
  } catch (...) {  // no memory for it, say
    return std::nullopt;
  }
}

// What isn't kept is closed once nobody is held up by that.
void Postgres::give_back(std::unique_ptr<Connection> connection, bool counted) {
  const std::lock_guard lock(mutex_);
  if (counted) --taken_;
  // One that was lost is forgotten: the next query opens another. So is one that no query would
  // wait for: a server, or a role on it, has so many for everybody.
  if (connection && connection->sound() && free_.size() + taken_ < queries_)
    free_.push_back(std::move(connection));
  freed_.notify_one();
}

Result<policy::Schemas> Postgres::schemas(const Watch& watch) {
  const Waiting waiting{.watch = watch};
  Taken connection = TRY(take(waiting));
  if (!connection->begin(waiting)) return connection->unanswered();
  policy::Schemas out;
  for (const policy::TableRule& table : policy_.tables) {
    auto columns = columns_of(*connection, table);
    if (!columns) {
      connection->finish(false);
      if (!connection->sound()) return connection->unanswered();
      return tl::unexpected(columns.error());
    }
    add_labels(*connection, table, *columns);
    out.push_back(std::move(*columns));
  }
  if (!connection->finish(true)) return connection->unanswered();
  const policy::Catalog none;
  TRY(pushdown::reads_types(policy_, out, "postgres", [&](const policy::StoredColumn& column) {
    return read_column(column, Dialect(none));
  }));
  return out;
}

Status Postgres::planned(const string& sql, std::size_t parameters, const Watch& watch) {
  {
    const std::lock_guard lock(mutex_);
    if (planned_.contains(sql)) return {};
  }
  const Waiting waiting{.watch = watch};
  Taken connection = TRY(take(waiting));
  if (!TRY(connection->plans({sql, std::vector<std::int64_t>(parameters), {}}, waiting)))
    return fail(Code::kRefused, "the engine postgres can't run this question",
                "ask it in a simpler form; discreet policy check looks at the tables");
  const std::lock_guard lock(mutex_);
  constexpr std::size_t kMost = 1000;
  if (planned_.size() >= kMost) planned_.clear();
  planned_.insert(sql);
  return {};
}

namespace {

bool in_shares(const plan::PlanPart& part) {
  return pushdown::comes_in_shares(part) && pushdown::reads_one_table(part);
}

// Does something when its scope is left, in whichever way.
template <class Action>
class AtLast {
 public:
  explicit AtLast(Action action) : action_(action) {}
  ~AtLast() { action_(); }
  AtLast(const AtLast&) = delete;
  AtLast& operator=(const AtLast&) = delete;

 private:
  const Action action_;
};

// The one table that such a part reads.
string locked(const plan::PlanPart& part, const policy::Catalog& catalog) {
  const sql::Relation* at = part.select.input.get();
  while (at->kind != sql::Relation::Kind::kScan) at = at->inputs.front().get();
  const auto& source = std::get<policy::ServerTable>(catalog.table(at->table)->rule.from);
  return pushdown::quote_name(source.schema) + "." + pushdown::quote_name(source.table);
}

}  // namespace

Status Postgres::accepts(const plan::PlanPart& part, const policy::Catalog& catalog,
                         const Watch& watch) {
  const string sql = TRY(sql_of(part, catalog));
  constexpr std::size_t kOfAShare = 2;
  const std::size_t parameters = part.direct ? 0
                                             : std::tuple_size_v<decltype(bound::Secret::words)> +
                                                   (in_shares(part) ? kOfAShare : 0);
  return planned(sql, parameters, watch);
}

Status Postgres::accepts_open(const sql::Relation& relation, const policy::Catalog& catalog,
                              const Watch& watch) {
  const string sql = TRY(pushdown::open_rows(relation, Dialect(catalog)));
  return planned(sql, 0, watch);
}

Result<string> Postgres::sql_of(const plan::PlanPart& part, const policy::Catalog& catalog) {
  return TRY(pushdown::bounded(part, Dialect(catalog))).sql;
}

struct Postgres::Running {
  const Connection::Query& query;
  const string table;
  const Waiting& waiting;
  const std::function<bool()> as_planned;  // whether the table still is, as the first sees it
  const Connection::EachRow each;
};

Result<bound::Contributions> Postgres::run(const plan::PlanPart& part,
                                           const policy::Catalog& catalog,
                                           const bound::Secret& secret, const Watch& watch) {
  const Waiting waiting{.watch = watch, .reserved = Reserved::kStays};
  const auto statement = TRY(pushdown::bounded(part, Dialect(catalog)));
  bound::Secret here = secret;
  here.hashing = &hashing();
  Connection::Query query{statement.sql, {}, pushdown::columns_of(statement, part)};
  if (!part.direct)  // what is promised to need no choice is given no secret to choose by
    for (const std::uint64_t word : secret.words)
      query.parameters.push_back(static_cast<std::int64_t>(word));
  if (in_shares(part)) query.parameters.insert(query.parameters.end(), {0, 0});
  Taken first = TRY(take(waiting));
  try {
    pushdown::Collector collector(part, statement, here);
    std::mutex adding;
    const auto add = [&](const pushdown::Row& row) {
      const std::lock_guard lock(adding);
      collector.add(row);
      return collector.good();
    };
    const auto as_planned = [&] { return unchanged(*first, *part.select.input, catalog); };
    const auto ran =
        in_shares(part) && shares_ > 1
            ? run_shares(first, {query, locked(part, catalog), waiting, as_planned, add})
            : std::optional<Result<bool>>();
    const bool done =
        ran ? TRY(Result<bool>(*ran)) : TRY(first->run(query, waiting, as_planned, add));
    if (!done || !collector.good()) return could_not_run();
    return collector.finish();
  } catch (...) {
    first.drop();
    return could_not_run();
  }
}

// Whoever has a connection works on the share that is next. All read what there is at one moment;
// the first connection holds the table's definition until all are done. Nothing where the server
// can't do that (of a materialized view, say), and nothing was read.
std::optional<Result<bool>> Postgres::run_shares(Taken& first, const Running& running) {
  std::optional<string> moment;
  if (first->begin_at("", running.table, running.waiting) && running.as_planned())
    moment = first->moment();
  if (!moment) {
    auto ended = first->end(false);
    if (!ended || !first->sound()) return ended;
    return std::nullopt;
  }
  std::atomic<unsigned> next = 0;
  // Nothing where there was none left to do.
  const auto work = [&](Connection& connection) -> std::optional<bool> {
    const AtLast none_left([&] { next = shares_; });
    std::optional<bool> done;
    for (unsigned share = next++; share < shares_; share = next++) {
      done = true;
      Connection::Query own = running.query;
      own.parameters.end()[-2] = shares_ - 1;
      own.parameters.end()[-1] = share;
      if (!connection.statement(own, running.each)) return false;  // what is left has no use
    }
    return done;
  };
  std::atomic<bool> too_late = false;  // to come and help
  Waiting joining = running.waiting, silent = running.waiting;
  joining.watch.progress = silent.watch.progress = {};
  joining.watch.stop = &too_late;
  std::vector<Result<bool>> ended(shares_, true);
  bool ok = false;
  const bool whole = together(shares_ - 1, [&](unsigned who) {
    if (who == 0) {
      const AtLast done([&] { too_late = true; });
      ok = work(*first).value_or(true);
      return;
    }
    // Where the server lets us have no other, or none that sees the same moment (another host, a
    // replica), those that there are do it all: whoever has had no share can't fail.
    auto another = take_another(joining);
    if (!another) return;
    const bool joined = (*another)->begin_at(*moment, "", silent);
    const auto done = joined ? work(**another) : std::nullopt;
    const auto end = (*another)->end(done.value_or(joined));
    if (done) ended[who] = end;
  });
  ended[0] = first->end(ok);
  for (Result<bool>& one : ended)
    if (!one || !*one) return one;
  return whole;
}

Result<Rows> Postgres::run_open(const sql::Relation& relation, const policy::Catalog& catalog,
                                const Watch& watch) {
  const Waiting waiting{.watch = watch};
  Connection::Query query{TRY(pushdown::open_rows(relation, Dialect(catalog))), {}, {}};
  for (const policy::Column& column : relation.columns)
    query.expected.push_back(pushdown::held_as(column.type));
  Taken connection = TRY(take(waiting));
  try {
    Rows out;
    const bool ran = TRY(connection->run(
        query, waiting, [&] { return unchanged(*connection, relation, catalog); },
        [&](const pushdown::Row& row) {
          out.emplace_back();
          for (std::size_t i = 0; i < relation.columns.size(); ++i)
            out.back().push_back(pushdown::value_of(row, i, relation.columns[i].type));
          return true;
        }));
    if (!ran) return could_not_run(Reserved::kNothing);
    return out;
  } catch (...) {
    connection.drop();
    return could_not_run(Reserved::kNothing);
  }
}

}  // namespace discreet::engine::postgres
