#include "discreet/service/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/policy/names.h"
#include "discreet/policy/toml_text.h"
#include "discreet/service/terms.h"

namespace discreet::service {

using std::string;

namespace {

constexpr const char* kData = "data";

bool is_json(const policy::TableRule& rule) {
  const auto* files = std::get_if<policy::Files>(&rule.from);
  return files && (files->form == policy::Form::kLines || files->form == policy::Form::kArray);
}

Status is_there(const string& file) {
  std::error_code error;
  if (std::filesystem::is_regular_file(file, error)) return {};
  return fail(Code::kFailure, fmt::format("there is no file {}", quote(file)));
}

}  // namespace

Result<TrainingTable> TrainingTable::of_file(
    const string& file, const std::vector<std::pair<string, policy::Type>>& types,
    const engine::Limits& limits) {
  TRY(is_there(file));
  TrainingTable out;
  out.name_ = kData;
  out.limits_ = limits;
  // The same readers as for queries, by a policy that says nothing but where the rows are. That its
  // table is public means here: nobody keeps an account of it.
  std::error_code ignored;
  const string real = std::filesystem::weakly_canonical(file, ignored).string();
  out.policy_ = TRY(policy::Policy::parse(
      fmt::format("[policy]\nname = \"data\"\nunit = \"row\"\nbudget = {{ epsilon = 1 }}\n"
                  "[tables.{}]\nsource = {}\npublic = true\n",
                  kData, policy::toml_text(real)),
      file, "/"));
  policy::TableRule& rule = out.policy_.tables.front();
  if (is_json(rule))
    for (const auto& [name, type] : types) rule.columns[name].type = type;
  auto schemas = TRY(TRY(engine::duckdb::Duckdb::open(out.policy_, limits))->schemas());
  for (const policy::StoredColumn& column : schemas.front()) {
    if (!column.as_text && column.type != policy::Type::kText) continue;
    const auto given = std::find_if(types.begin(), types.end(), [&](const auto& one) {
      return policy::same_name(one.first, column.name);
    });
    rule.columns[column.name].type = given == types.end() ? policy::Type::kDouble : given->second;
  }
  out.catalog_ = TRY(policy::make_catalog(out.policy_, std::move(schemas)));
  return out;
}

Result<TrainingTable> TrainingTable::of_policy(const string& path, const string& table,
                                               const engine::Limits& limits) {
  TrainingTable out;
  out.limits_ = limits;
  out.policy_ = TRY(policy::Policy::read(path));
  auto schemas = TRY(TRY(engine::duckdb::Duckdb::open(out.policy_, limits))->schemas());
  out.catalog_ = TRY(policy::make_catalog(out.policy_, std::move(schemas)));
  const policy::Table* found = out.catalog_.table(table);
  if (found == nullptr) {
    std::vector<string> names;
    for (const policy::Table& one : out.catalog_.tables) names.push_back(one.rule.name);
    return fail(
        Code::kUsage,
        fmt::format("found {}; accepted is a table of the policy {}", quote(table), quote(path)),
        did_you_mean(table, names));
  }
  out.name_ = found->rule.name;
  out.ledger_ = TRY(ledger::Ledger::open(TRY(terms_of(out.policy_))));
  return out;
}

ledger::Request TrainingTable::request_of(const TrainingCost& cost) const {
  ledger::Request request;
  request.analyst = cost.analyst;
  request.query = fmt::format("{} FROM {}", cost.what, name_);
  request.asked = request.query;
  request.plan = fmt::format("{} {} {}", request.query, privacy::describe(cost.event), cost.run);
  request.epsilon = cost.epsilon;
  request.delta = cost.delta;
  request.events = {{privacy::describe(cost.event), cost.epsilon, cost.delta, {}}};
  for (const policy::TableRule& table : policy_.tables) request.source_stamp += stamp(table.from);
  return request;
}

Status TrainingTable::reserve(const TrainingCost& cost) {
  if (!ledger_) return {};
  reservation_ = TRY(ledger_->reserve(request_of(cost)));
  progress_ = {};
  return {};
}

string TrainingTable::reservation() const {
  return reservation_ ? fmt::format("{}:{}", reservation_->record, reservation_->hash) : string();
}

Result<std::optional<std::uint64_t>> TrainingTable::resume(const TrainingCost& cost,
                                                           const string& text,
                                                           const string& checkpoint) {
  if (!ledger_ && text.empty()) return std::nullopt;
  ledger::Reservation found;
  const std::size_t colon = text.find(':');
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + std::min(colon, text.size()), found.record);
  if (!ledger_ || colon == string::npos || error != std::errc() || end != text.data() + colon)
    return fail(Code::kRefused, "what was begun has nothing reserved in this ledger to go on with");
  found.hash = text.substr(colon + 1);
  progress_ = TRY(ledger_->resume(found, request_of(cost), checkpoint));
  reservation_ = std::move(found);
  return progress_.begun;
}

Status TrainingTable::advance(std::uint64_t begun, const string& checkpoint,
                              ledger::Ledger::Going going) {
  if (!ledger_) return {};
  if (!reservation_)
    return fail(Code::kFailure, "steps were counted before anything was reserved for them");
  progress_ = TRY(ledger_->advance(*reservation_, progress_, begun, checkpoint, going));
  return {};
}

Result<engine::duckdb::Matrix> TrainingTable::read(
    const std::vector<engine::duckdb::MatrixColumn>& columns, const engine::Watch& watch,
    random::Source& source) {
  if (ledger_ && !reservation_)
    return fail(Code::kFailure, "rows were asked for before anything was reserved for them");
  return engine::duckdb::read_matrix(
      policy_, catalog_, {name_, columns}, limits_, watch, source,
      ledger_ ? engine::Reserved::kStays : engine::Reserved::kNothing);
}

Result<std::optional<ledger::Receipt>> TrainingTable::commit(const string& result) {
  if (!ledger_ || !reservation_) return std::nullopt;
  return TRY(ledger_->commit(*reservation_, result, progress_.record));
}

}  // namespace discreet::service
