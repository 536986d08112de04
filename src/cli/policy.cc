// discreet policy init|check: the owner's tools.
#include <fmt/format.h>
#include <strings.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/cli/command.h"
#include "discreet/cli/out_file.h"
#include "discreet/engine/duckdb/sniff.h"
#include "discreet/service/service.h"

namespace discreet::cli {
namespace {

struct Options {
  std::string file, key, output, name, unit = "person", epsilon = "1", delta = "1e-6";
  bool json = false;
};

std::string describe(const policy::Table& table) {
  if (table.rule.is_public) return "public";
  if (table.rule.link)
    return fmt::format("linked by {} to {}.{}", table.rule.link->column, table.rule.link->table,
                       table.rule.link->target);
  return fmt::format("key {}", table.rule.key);
}

Status check(const Options& options) {
  auto service = TRY(service::Service::open(options.file, {}));
  const policy::Policy& policy = service->policy();
  if (options.json) {
    nlohmann::ordered_json out{
        {"name", policy.name},
        {"unit", policy.unit},
        {"budget", {{"epsilon", to_double(policy.epsilon)}, {"delta", to_double(policy.delta)}}}};
    for (const policy::Table& table : service->catalog().tables) {
      nlohmann::ordered_json one{
          {"name", table.rule.name}, {"source", table.rule.source}, {"owner", describe(table)}};
      for (const policy::Column& column : table.columns) {
        nlohmann::ordered_json about{{"name", column.name}, {"type", name_of(column.type)}};
        if (column.range)
          about["range"] = {to_double(column.range->low), to_double(column.range->high)};
        if (column.domain) about["values"] = column.domain->size();
        if (column.hidden) about["hidden"] = true;
        one["columns"].push_back(about);
      }
      out["tables"].push_back(one);
    }
    return print(out.dump() + "\n");
  }
  std::string out = fmt::format("{}: protects each {}; budget ε = {}, δ = {}\n", policy.name,
                                policy.unit, to_decimal(policy.epsilon), to_decimal(policy.delta));
  for (const policy::Table& table : service->catalog().tables) {
    out += fmt::format("  {} ({}, {})\n", table.rule.name, table.rule.source, describe(table));
    if (!table.rule.is_public && !table.rule.max_groups)
      out += "    max_groups is not declared: 1\n";
    if (!table.rule.is_public && !table.rule.max_rows_per_group)
      out += "    max_rows_per_group is not declared: 1\n";
    for (const policy::Column& column : table.columns) {
      out += fmt::format("    {}: {}", column.name, name_of(column.type));
      if (column.range)
        out += fmt::format(", range {} to {}", to_text(to_double(column.range->low)),
                           to_text(to_double(column.range->high)));
      if (column.domain) out += fmt::format(", {} public values", column.domain->size());
      if (column.hidden) out += ", hidden";
      if (column.is_key) out += ", the key";
      out += "\n";
    }
  }
  return print(out);
}

std::string toml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

Status init(const Options& options) {
  if (!options.output.empty() && std::filesystem::exists(options.output))
    return bad_parameter("output", fmt::format("'{}' exists", options.output),
                         "a policy is not overwritten");
  auto columns = TRY(engine::duckdb::sniff(options.file));
  std::vector<std::string> names;
  bool known = false;
  for (const engine::duckdb::SniffedColumn& column : columns) {
    known |= strcasecmp(column.name.c_str(), options.key.c_str()) == 0;
    names.push_back(column.name);
  }
  if (!known)
    return bad_parameter("key", fmt::format("'{}' has no column '{}'", options.file, options.key),
                         did_you_mean(options.key, names));
  auto epsilon = TRY(read_epsilon(options.epsilon));
  auto delta = TRY(read_delta(options.delta));
  const std::filesystem::path source(options.file);
  const std::string name = options.name.empty() ? source.stem().string() : options.name;
  const std::string relative =
      options.output.empty()
          ? options.file
          : std::filesystem::proximate(options.file,
                                       std::filesystem::absolute(options.output).parent_path())
                .string();
  std::string out = fmt::format(
      "# Who is protected, and what may be spent. Read it through: the bounds and the budget are "
      "yours to decide.\n"
      "[policy]\nname = {}\nunit = {}\nbudget = {{ epsilon = {}, delta = {} }}   # for the life of "
      "this data\n\n"
      "[tables.{}]\nsource = {}\nkey = {}\nmax_groups = 1            # groups that one {} may "
      "count in\nmax_rows_per_group = 1    # rows that one {} may have in a group\n",
      toml_text(name), toml_text(options.unit), options.epsilon, options.delta,
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
              std::string::npos
          ? name
          : toml_text(name),
      toml_text(relative), toml_text(options.key), options.unit, options.unit);
  for (const auto& [column, type, unreadable] : columns) {
    if (!unreadable.empty()) {
      out += fmt::format("# {} is {}\n", toml_text(column), unreadable);
      continue;
    }
    if (strcasecmp(column.c_str(), options.key.c_str()) == 0) {
      if (type != policy::Type::kText)
        out += fmt::format("columns.{} = {{ type = \"{}\" }}\n", toml_text(column), name_of(type));
      continue;
    }
    out += fmt::format("columns.{} = {{ type = \"{}\" }}", toml_text(column), name_of(type));
    if (policy::is_number(type)) out += "   # add range = [lowest, highest] to allow SUM and AVG";
    if (type == policy::Type::kText) out += "   # add values = [\"…\"] if they are public";
    out += "\n";
  }
  if (options.output.empty()) return print(out);
  TRY(write_whole("output", options.output, out));
  return options.json ? print(fmt::format("{{\"policy\":{}}}\n", policy::json_text(options.output)))
                      : print(fmt::format("{}: read it through, then: discreet policy check {}\n",
                                          options.output, options.output));
}

}  // namespace

void add_policy(CLI::App& app, Action& chosen) {
  CLI::App* policy = app.add_subcommand("policy", "the owner's policy: begin one, check one");
  policy->require_subcommand(1);
  policy->footer("Example:\n  discreet policy init visits.csv --key patient_id -o clinic.toml");
  auto options = std::make_shared<Options>();
  CLI::App* begin = add_verb(*policy, "init", "write a first policy for a file",
                             "discreet policy init visits.csv --key patient_id -o clinic.toml");
  begin->add_option("FILE", options->file, "the data: CSV, Parquet or JSON")->required();
  begin->add_option("--key", options->key, "the column that says whose row it is")->required();
  begin->add_option("-o,--output", options->output,
                    "where to write the policy; standard output unless said");
  begin->add_option("--name", options->name, "its name; the file's unless said");
  begin->add_option("--unit", options->unit, "a word for who is protected")->capture_default_str();
  begin->add_option("--epsilon", options->epsilon, "the budget's ε")->capture_default_str();
  begin->add_option("--delta", options->delta, "the budget's δ")->capture_default_str();
  begin->add_flag("--json", options->json, "say what was written as JSON");
  begin->callback([options, &chosen] { chosen = [options] { return init(*options); }; });
  CLI::App* test =
      add_verb(*policy, "check", "read a policy and its sources' schemas, and say what they mean",
               "discreet policy check clinic.toml");
  test->add_option("FILE", options->file, "the policy")->required();
  test->add_flag("--json", options->json, "as one object");
  test->callback([options, &chosen] { chosen = [options] { return check(*options); }; });
}

}  // namespace discreet::cli
