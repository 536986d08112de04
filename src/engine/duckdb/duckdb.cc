#include "discreet/engine/duckdb/duckdb.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "discreet/base/try.h"
#include "discreet/engine/duckdb/database.h"
#include "discreet/engine/duckdb/dialect.h"
#include "discreet/engine/duckdb/parquet_footer.h"
#include "discreet/engine/duckdb/plan_sql.h"
#include "discreet/engine/duckdb/result.h"
#include "discreet/engine/duckdb/schema.h"
#include "discreet/engine/passes.h"
#include "discreet/plan/group_keys.h"
#include "discreet/plan/held.h"
#include "discreet/plan/shape.h"

namespace discreet::engine::duckdb {

using std::string;

namespace {

// The tables of a relation whose key column, as their Parquet files' footers say, is never NULL: a
// plan that needs no unit then need not read it.
std::set<string> complete_tables(const sql::Relation& relation, const policy::Catalog& catalog) {
  std::set<string> out;
  if (relation.kind == sql::Relation::Kind::kScan && relation.has_unit) {
    const policy::Table& table = *catalog.table(relation.table);
    const auto* files = std::get_if<policy::Files>(&table.rule.from);
    if (!files || files->form != policy::Form::kParquet) return out;
    for (std::size_t i = 0; i < table.stored.size(); ++i)
      // A key that is read through a function may be missing although the file has a value.
      if (table.columns[i].is_key && table.stored[i].same_type &&
          never_null(files->paths, table.stored[i].name))
        out.insert(relation.table);
  }
  for (const sql::RelationPtr& input : relation.inputs) out.merge(complete_tables(*input, catalog));
  return out;
}

// What DuckDB has added up, group by group; nothing where it isn't what was planned.
Result<bound::Contributions> read_totals(const Seat& seat, const plan::PlanPart& part,
                                         const bound::Shape& shape, bound::Groups& groups,
                                         duckdb_result& result) {
  const std::size_t keys = part.select.keys.size();
  std::vector<duckdb_type> types = {DUCKDB_TYPE_BIGINT};
  for (const sql::Expr& key : part.select.keys) types.push_back(travels_as(key.type));
  types.resize(types.size() + part.statistics.size(), DUCKDB_TYPE_HUGEINT);
  if (!has_types(result, types)) return seat.broken();
  bound::Added added{{}, std::vector<std::vector<bound::Wide>>(part.statistics.size())};
  while (duckdb_data_chunk chunk = duckdb_fetch_chunk(result)) {
    const auto column = [&](std::size_t i) { return duckdb_data_chunk_get_vector(chunk, i); };
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk); ++row) {
      bound::KeyBytes key;
      for (std::size_t i = 0; i < keys; ++i)
        plan::write_key(key, read_value(column(i + 1), row, part.select.keys[i].type));
      const std::uint32_t group = groups.number(key.view());
      if (group == bound::kNoGroup) continue;
      // Several of DuckDB's groups can be one of ours: 0 and −0, say.
      added.units.resize(std::max<std::size_t>(added.units.size(), group + 1));
      added.units[group] += read_value(column(0), row, policy::Type::kInt).whole;
      for (std::size_t t = 0; t < added.totals.size(); ++t) {
        added.totals[t].resize(added.units.size());
        added.totals[t][group] += read_hugeint(column(keys + 1 + t), row);
      }
    }
    duckdb_destroy_data_chunk(&chunk);
  }
  return bound::sorted_contributions(groups, shape, std::move(added));
}

// One row a unit: DuckDB's own aggregation adds up what each brings.
Result<bound::Contributions> run_direct(Seat& seat, const plan::PlanPart& part,
                                        const policy::Catalog& catalog, const bound::Secret& secret,
                                        const Watch& watch) {
  const bound::Shape shape = plan::shape_of(part);
  const std::vector<string> names = seat.grid_functions({shape.slots.begin(), shape.slots.end()});
  if (names.size() != shape.slots.size()) return seat.broken();
  const DuckdbDialect dialect(catalog, seat.rows_function(),
                              complete_tables(*part.select.input, catalog));
  const string text = direct_sql(part, dialect, names);
  if (text.empty()) return seat.broken();
  ResultHolder holder;
  const bool ran = TRY(seat.watched(text, watch, holder.result));
  if (!ran) return seat.broken();
  bound::Groups groups(secret);
  if (part.all_public && !plan::close_groups(part, groups)) return seat.broken();
  return read_totals(seat, part, shape, groups, holder.result);
}

// What collected rows may take. Every thread fills a few megabytes of its own before anything can
// be dropped.
std::size_t memory_for_rows(const Limits& limits) {
  constexpr std::size_t kEachThread = std::size_t{8} << 20;
  return std::max(limits.memory / 8 * kEighthsForRows / limits.queries,
                  kEachThread * (limits.threads + 1));
}

// Feeds a part's rows to a bounder.
class RowsFeed {
 public:
  RowsFeed(Seat& seat, bound::Bounder& bounder, const plan::PlanPart& part,
           const policy::Catalog& catalog)
      : seat_(seat),
        feed_{&bounder,
              part.select.input->unit_type == policy::Type::kText,
              {},
              part.select.keys.size(),
              {}} {
    string arguments = "u";
    for (std::size_t i = 0; i < part.select.keys.size(); ++i) {
      feed_.kinds.push_back(plan::key_column(part.select.keys[i].type));
      arguments += fmt::format(", k{}", i);
    }
    for (std::size_t i = 0; i < part.slots.size(); ++i) {
      feed_.kinds.push_back(plan::slot_column(part.slots[i]));
      arguments += fmt::format(", s{}", i);
    }
    const string name = seat.feed_function(feed_);
    ready_ = !name.empty() && (!part.all_public || plan::close_groups(part, bounder.groups()));
    text_ = fmt::format("SELECT max({}({})) FROM ({})", name, arguments,
                        rows_sql(part, DuckdbDialect(catalog, seat.rows_function()), true));
  }
  RowsFeed(const RowsFeed&) = delete;
  RowsFeed& operator=(const RowsFeed&) = delete;

  // All rows once. False: the engine ended it.
  Result<bool> read(const Watch& watch) {
    if (!ready_) return seat_.broken();
    ResultHolder holder;
    const bool ran = TRY(seat_.watched(text_, watch, holder.result, start_));
    if (feed_.failed) return seat_.broken();
    return ran;
  }

 private:
  Seat& seat_;
  Feed feed_;
  string text_;
  bool ready_ = false;
  const Seat::Clock::time_point start_ = Seat::Clock::now();
};

Result<bound::Contributions> run_bounded(Seat& seat, const Limits& limits,
                                         const plan::PlanPart& part, const policy::Catalog& catalog,
                                         const bound::Secret& secret, const Watch& watch) {
  bound::Bounder bounder(plan::shape_of(part), secret, memory_for_rows(limits));
  RowsFeed feed(seat, bounder, part, catalog);
  const auto read = [&](const Watch& pass) { return feed.read(pass); };
  auto found = TRY(in_passes(bounder, limits.threads, watch, read));
  if (!found) return seat.broken();
  return std::move(*found);
}

policy::StoredColumn text_column(const string& name) {
  policy::StoredColumn column;
  column.name = name;
  column.as_text = column.same_type = true;
  return column;
}

// A JSON file's names are the policy's: finding them would mean reading rows.
std::set<string> names_in_policy(const policy::Policy& policy, const policy::TableRule& table) {
  std::set<string> names;
  if (!table.key.empty()) names.insert(table.key);
  if (table.link) names.insert(table.link->column);
  for (const auto& [name, rule] : table.columns) names.insert(name);
  for (const policy::TableRule& other : policy.tables)
    if (other.link && other.link->table == table.name) names.insert(other.link->target);
  return names;
}

}  // namespace

Duckdb::Duckdb(policy::Policy policy, std::unique_ptr<Database> database)
    : policy_(std::move(policy)), database_(std::move(database)) {}
Duckdb::~Duckdb() = default;

Result<std::unique_ptr<Duckdb>> Duckdb::open(const policy::Policy& policy, const Limits& limits) {
  auto database = TRY(Database::open(policy, limits));
  return std::unique_ptr<Duckdb>(new Duckdb(policy, std::move(database)));
}

Result<policy::Schemas> Duckdb::schemas(const Watch& watch) {
  const auto seat = TRY(database_->take(watch, Reserved::kNothing));
  policy::Schemas out;
  for (const policy::TableRule& table : policy_.tables) {
    std::vector<policy::StoredColumn> columns;
    const string source = source_of(table, {}, "");
    const auto* files = std::get_if<policy::Files>(&table.from);
    if (!files) {
      columns = TRY(duckdb_columns(seat->connection(), table, source,
                                   attached_name(std::get<policy::DuckdbTable>(table.from).file)));
    } else {
      switch (files->form) {
        case policy::Form::kComma:
        case policy::Form::kTab:
          for (const string& name : TRY(csv_header(table))) columns.push_back(text_column(name));
          break;
        case policy::Form::kLines:
        case policy::Form::kArray:
          for (const string& name : names_in_policy(policy_, table))
            columns.push_back(text_column(name));
          break;
        case policy::Form::kParquet:
          columns = TRY(parquet_columns(seat->connection(), table, source));
      }
    }
    out.push_back(std::move(columns));
  }
  return out;
}

string Duckdb::sql_of(const plan::PlanPart& part, const policy::Catalog& catalog) {
  return rows_sql(part, DuckdbDialect(catalog, "rows"), true);
}

Result<bound::Contributions> Duckdb::run(const plan::PlanPart& part, const policy::Catalog& catalog,
                                         const bound::Secret& secret, const Watch& watch) {
  const auto seat = TRY(database_->take(watch));
  try {
    return part.direct ? run_direct(*seat, part, catalog, secret, watch)
                       : run_bounded(*seat, database_->limits(), part, catalog, secret, watch);
  } catch (...) {
    return seat->broken();
  }
}

// Reads what a survey and its answer need, in passes if it doesn't fit into memory at once. The
// rows of the last pass are held: the next sum begins with them.
class Duckdb::HoldsRows final : public PartReader {
 public:
  HoldsRows(Duckdb& engine, const plan::PlanPart& part, const policy::Catalog& catalog,
            const bound::Secret& secret)
      : engine_(engine), held_(plan::held_part(part)), catalog_(catalog), secret_(secret) {}

  Result<bound::Contributions> run(const plan::PlanPart& part, const Watch& watch) override {
    auto places = plan::held_places(held_, part);
    if (!places) {
      bounder_.reset();
      pass_.reset();
      seat_.reset();
      return engine_.run(part, catalog_, secret_, watch);
    }
    if (!seat_) seat_.emplace(TRY(engine_.database_->take(watch)));
    try {
      return add_up(plan::shape_of(part), *places, watch);
    } catch (...) {
      return (*seat_)->broken();
    }
  }

 private:
  Result<bound::Contributions> add_up(const bound::Shape& shape,
                                      const std::vector<std::size_t>& places, const Watch& watch) {
    const Limits& limits = engine_.database_->limits();
    if (!bounder_)
      bounder_ =
          std::make_unique<bound::Bounder>(plan::shape_of(held_), secret_, memory_for_rows(limits));
    RowsFeed feed(**seat_, *bounder_, held_, catalog_);
    const auto read = [&](const Watch& pass) { return feed.read(pass); };
    for (;;) {
      bound::Bounder::Sum sum(*bounder_, shape, places);
      Pass last{Pass::End::kWhole, 1};
      const std::uint32_t first = pass_.value_or(0);
      for (std::uint32_t i = 0; i < passes_ && last.end == Pass::End::kWhole; ++i) {
        const std::uint32_t pass = (first + i) % passes_;
        if (pass != pass_) {
          bounder_->forget_rows();
          pass_.reset();
          last = TRY(read_pass(*bounder_, pass, passes_, watch, read));
          if (last.end == Pass::End::kWhole) pass_ = pass;
        }
        if (last.end == Pass::End::kWhole) sum.add(limits.threads);
      }
      if (last.end == Pass::End::kWhole) {
        (*seat_)->clear();
        return sum.finish();
      }
      const auto more = last.end == Pass::End::kFull ? more_passes(passes_, last) : std::nullopt;
      if (!more) return (*seat_)->broken();
      passes_ = *more;
    }
  }

  Duckdb& engine_;
  const plan::PlanPart held_;
  const policy::Catalog& catalog_;
  const bound::Secret secret_;
  // Held rows take the memory of a query, and so its seat.
  std::optional<Database::Taken> seat_;
  std::unique_ptr<bound::Bounder> bounder_;
  std::uint32_t passes_ = 1;
  std::optional<std::uint32_t> pass_;  // the one whose rows are held
};

std::unique_ptr<PartReader> Duckdb::reader(const plan::PlanPart& part,
                                           const policy::Catalog& catalog,
                                           const bound::Secret& secret) {
  if (part.direct) return Engine::reader(part, catalog, secret);
  return std::make_unique<HoldsRows>(*this, part, catalog, secret);
}

Result<Rows> Duckdb::run_open(const sql::Relation& relation, const policy::Catalog& catalog,
                              const Watch& watch) {
  const auto seat = TRY(database_->take(watch, Reserved::kNothing));
  string items;
  for (std::size_t i = 0; i < relation.columns.size(); ++i)
    items += fmt::format("{}{}", items.empty() ? "" : ", ",
                         travelling(fmt::format("c{}", i), relation.columns[i].type));
  ResultHolder holder;
  const bool ran =
      TRY(seat->watched(fmt::format("SELECT {} FROM ({})", items,
                                    print(relation, DuckdbDialect(catalog, seat->rows_function()))),
                        watch, holder.result));
  if (!ran) return seat->broken();
  std::vector<duckdb_type> types;
  for (const policy::Column& column : relation.columns) types.push_back(travels_as(column.type));
  if (!has_types(holder.result, types)) return seat->broken();
  Rows out;
  while (duckdb_data_chunk chunk = duckdb_fetch_chunk(holder.result)) {
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk); ++row) {
      out.emplace_back();
      for (std::size_t i = 0; i < relation.columns.size(); ++i)
        out.back().push_back(
            read_value(duckdb_data_chunk_get_vector(chunk, i), row, relation.columns[i].type));
    }
    duckdb_destroy_data_chunk(&chunk);
  }
  return out;
}

}  // namespace discreet::engine::duckdb
