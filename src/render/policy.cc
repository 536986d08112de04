#include "discreet/render/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "discreet/ledger/account.h"
#include "discreet/policy/toml_text.h"
#include "discreet/present/table.h"

namespace discreet::render {

using Json = nlohmann::ordered_json;
using std::string;

namespace {

// "key patient_id", as --json has had it.
string owner_of(const policy::TableRule& rule) {
  if (rule.is_public) return "public";
  if (rule.link)
    return fmt::format("linked by {} to {}.{}", rule.link->column, rule.link->table,
                       rule.link->target);
  return fmt::format("key {}", rule.key);
}

string protection_of(const policy::TableRule& rule, const string& unit) {
  if (rule.is_public) return "public";
  if (rule.link) return fmt::format("{} by way of {}", unit, rule.link->table);
  return fmt::format("{} ({})", unit, rule.key);
}

// "rows of visits and patients belong to the patient in patient_id; …": tables that say the same
// share a clause.
string belonging(const policy::Catalog& catalog) {
  std::vector<std::pair<string, std::vector<string>>> clauses;
  for (const policy::Table& table : catalog.tables) {
    const policy::TableRule& rule = table.rule;
    string says = fmt::format("belong to the {} in {}", catalog.unit, rule.key);
    if (rule.is_public) says = "are public";
    if (rule.link)
      says = fmt::format("belong to the {} of the row of {} whose {} is their {}", catalog.unit,
                         rule.link->table, rule.link->target, rule.link->column);
    const auto same = std::find_if(clauses.begin(), clauses.end(),
                                   [&](const auto& clause) { return clause.first == says; });
    if (same == clauses.end()) {
      clauses.push_back({says, {rule.name}});
    } else {
      same->second.push_back(rule.name);
    }
  }
  string out;
  for (const auto& [says, names] : clauses) {
    out += out.empty() ? "rows of " : "; rows of ";
    for (std::size_t i = 0; i < names.size(); ++i)
      out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    out += " " + says;
  }
  return out;
}

string counted(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// What of a unit's rows counts in an answer.
string bounds(const policy::TableRule& rule, const string& unit) {
  if (rule.is_public) return "    anybody may see these rows; they are answered exactly\n";
  std::vector<string> said;
  if (rule.max_groups)
    said.push_back(fmt::format("{} (max_groups)", counted(*rule.max_groups, "group")));
  if (rule.max_rows_per_group)
    said.push_back(
        fmt::format("{} in each (max_rows_per_group)", counted(*rule.max_rows_per_group, "row")));
  if (rule.max_rows)
    said.push_back(
        fmt::format("{} in all groups together (max_rows)", counted(*rule.max_rows, "row")));
  string out;
  if (!said.empty())
    out +=
        fmt::format("    of one {}, an answer counts at most {}\n", unit, fmt::join(said, " and "));
  if (!rule.max_rows && !rule.rows_per_unit && !(rule.max_groups && rule.max_rows_per_group))
    out += fmt::format(
        "    how much {}of one {} an answer counts isn't declared: each question finds it out, "
        "with a tenth of its ε\n",
        said.empty() ? "" : "more ", unit);
  if (rule.rows_per_unit)
    out += fmt::format("    the owner promises that no {} has more than {}\n", unit,
                       counted(*rule.rows_per_unit, "row"));
  return out;
}

string values_of(const policy::Column& column) {
  constexpr std::size_t kShown = 8;
  string out = "one of";
  for (std::size_t i = 0; i < column.domain->size(); ++i) {
    if (i == kShown) return out + fmt::format(", and {} more", column.domain->size() - i);
    out += (i > 0 ? ", " : " ") + (*column.domain)[i].show();
  }
  return out;
}

string declared(const policy::Column& column) {
  if (column.is_key) return "the unit: never shown";
  if (column.hidden) return "hidden: it may stand in WHERE and COUNT, not in the answer";
  string out;
  if (column.domain) out = values_of(column);
  if (column.range)
    out += fmt::format("{}{} to {}", out.empty() ? "" : "; ",
                       policy::end_text(column.range->low, column.type),
                       policy::end_text(column.range->high, column.type));
  return out;
}

string columns_text(const policy::Table& table, bool with_hidden) {
  present::Table out({{"column"}, {"type"}, {"declared"}});
  for (const policy::Column& column : table.columns)
    if (with_hidden || !column.hidden)
      out.add({column.name, string(name_of(column.type)), declared(column)});
  return out.text();
}

string indented(const string& text) {
  string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += "    " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

// Dates as dates; numbers as JSON has them.
Json end_json(const Rational& end, policy::Type type) {
  if (policy::is_time(type)) return policy::end_text(end, type);
  return to_double(end);
}

}  // namespace

string words(const policy::Policy& policy, const policy::Catalog& catalog,
             const std::vector<string>& warnings) {
  const auto amount = [](const Rational& value) {
    return ledger::short_text(value, Rounding::kDown);
  };
  string out = fmt::format("Each {} is protected: {}.\n", policy.unit, belonging(catalog));
  out += fmt::format("All answers together may cost ε {} and δ {}, {}", amount(policy.epsilon),
                     amount(policy.delta),
                     policy.renewal_seconds
                         ? fmt::format("every {} days", *policy.renewal_seconds / 86'400)
                         : "for the life of the data");
  if (policy.max_epsilon_per_query)
    out += fmt::format("; one answer at most ε {}", amount(*policy.max_epsilon_per_query));
  if (policy.max_delta_per_query)
    out += fmt::format("; one answer at most δ {}", amount(*policy.max_delta_per_query));
  out += ".\n";
  std::set<string> advice;
  for (const policy::Table& table : catalog.tables) {
    out += fmt::format("\n  {} ({})\n{}{}", table.rule.name, table.rule.source,
                       bounds(table.rule, policy.unit), indented(columns_text(table, true)));
    for (const policy::Unreadable& column : table.unreadable) {
      const bool anew = advice.insert(column.hint).second;  // a long one is read once
      out += fmt::format("    {} can't be asked about: it is {}{}\n", column.name, column.why,
                         anew ? fmt::format(" ({})", column.hint) : "");
    }
  }
  if (!warnings.empty()) out += "\n";
  for (const string& warning : warnings) out += fmt::format("warning: {}\n", warning);
  return out;
}

string json(const policy::Policy& policy, const policy::Catalog& catalog,
            const std::vector<string>& warnings) {
  Json out{
      {"name", policy.name},
      {"unit", policy.unit},
      {"budget", {{"epsilon", to_double(policy.epsilon)}, {"delta", to_double(policy.delta)}}}};
  for (const policy::Table& table : catalog.tables) {
    Json one{
        {"name", table.rule.name}, {"source", table.rule.source}, {"owner", owner_of(table.rule)}};
    for (const policy::Column& column : table.columns) {
      Json about{{"name", column.name}, {"type", name_of(column.type)}};
      if (column.range)
        about["range"] = {end_json(column.range->low, column.type),
                          end_json(column.range->high, column.type)};
      if (column.domain) about["values"] = column.domain->size();
      if (column.hidden) about["hidden"] = true;
      one["columns"].push_back(about);
    }
    out["tables"].push_back(one);
  }
  out["warnings"] = warnings;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

string tables(const policy::Catalog& catalog) {
  present::Table out({{"table"}, {"protects"}, {"columns", present::Align::kRight}});
  for (const policy::Table& table : catalog.tables) {
    std::size_t seen = 0;
    for (const policy::Column& column : table.columns) seen += !column.hidden;
    out.add({table.rule.name, protection_of(table.rule, catalog.unit), std::to_string(seen)});
  }
  return out.text();
}

string columns(const policy::Table& table) { return columns_text(table, false); }

}  // namespace discreet::render
