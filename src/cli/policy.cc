// discreet policy init|check: the owner's tools.
#include "discreet/render/policy.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/command.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/shell.h"
#include "discreet/cli/watchdog.h"
#include "discreet/policy/warnings.h"
#include "discreet/service/first_policy.h"
#include "discreet/service/survey.h"

namespace discreet::cli {
namespace {

struct Options {
  std::string file;
  service::Beginning beginning;
  std::string output, epsilon, analyst;
  bool json = false, force = false;
};

Status check(const Options& options) {
  const Interrupt tidy;
  const Watchdog watchdog;
  service::Survey survey = service::look_over(options.file);
  if (!survey.catalog) {
    // All that is wrong; the exit code is that of the first.
    const Code code = survey.problems.front().code;
    Error last = std::move(survey.problems.back());
    survey.problems.pop_back();
    for (const Error& problem : survey.problems)
      fmt::print(stderr, "discreet: {}\n", problem.text(Notation::kOptions));
    last.code = code;
    return tl::unexpected<Error>(std::move(last));
  }
  std::vector<std::string> warnings = policy::warnings(*survey.catalog);
  if (auto service = service::Service::open(options.file, {}, {}, service::Service::Runs::kHere))
    for (std::string& one : service::bound_warnings(**service, who({})))
      warnings.push_back(std::move(one));
  return print(options.json ? render::json(survey.policy, *survey.catalog, warnings)
                            : render::words(survey.policy, *survey.catalog, warnings));
}

std::string written_json(const Options& options, const service::Begun& begun) {
  nlohmann::ordered_json out;
  if (options.output.empty()) {
    out["text"] = begun.text;
  } else {
    out["policy"] = options.output;
  }
  out["tables"] = nlohmann::ordered_json::array();
  for (const policy::DraftTable& table : begun.draft.tables) {
    nlohmann::ordered_json one{{"name", table.name}, {"source", table.source}};
    if (!table.key.empty()) one["key"] = table.key;
    if (table.link)
      one["link"] = {{"column", table.link->column},
                     {"to", table.link->table + "." + table.link->target}};
    if (!table.is_in()) one["left_out"] = true;
    out["tables"].push_back(one);
  }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Status init(Options& options) {
  TRY(read_epsilon(options.beginning.epsilon, "budget-epsilon"));
  TRY(read_delta(options.beginning.delta, "budget-delta"));
  if (!options.output.empty()) {
    std::error_code unknown;
    if (!options.force && std::filesystem::exists(options.output, unknown))
      return bad_parameter("output", fmt::format("{} exists", quote(options.output)),
                           "a policy is not overwritten without " + named("force"));
    TRY(can_write("output", options.output));
    const std::filesystem::path output = std::filesystem::absolute(options.output);
    options.beginning.folder = output.parent_path().string();
    if (options.beginning.name.empty() && options.beginning.sources.size() > 1)
      options.beginning.name = output.stem().string();
  }
  std::optional<Rational> epsilon;
  if (!options.epsilon.empty()) {
    epsilon = TRY(read_epsilon(options.epsilon));
    if (options.output.empty())
      return bad_parameter("epsilon",
                           "measuring needs a ledger, and that stands beside the policy's file",
                           advise("output", "POLICY.toml"));
    if (*epsilon > TRY(read_epsilon(options.beginning.epsilon, "budget-epsilon")))
      return bad_parameter("epsilon",
                           fmt::format("found {}, more than the budget of {}", options.epsilon,
                                       options.beginning.epsilon),
                           advise("budget-epsilon", options.epsilon) + ", or measure with less");
  }
  auto begun = TRY(service::begin_policy(options.beginning));
  if (options.output.empty())
    return print(options.json ? written_json(options, begun) : begun.text);
  TRY(write_whole("output", options.output, begun.text));
  if (epsilon) {
    const Interrupt tidy;
    std::atomic<bool> reserving{false};
    const Watchdog watchdog(reserving, 0, Watchdog::Clock::now());
    service::Asking asking;
    asking.reserving = &reserving;
    asking.analyst = who(options.analyst);
    asking.watch.stop = &Interrupt::flag();
    auto service = TRY(service::Service::open(options.output, {}, asking.watch));
    const auto measures = TRY(service::measure(*service, begun.draft, *epsilon, asking));
    begun.text = policy::write(begun.draft, measures);
    TRY(policy::Policy::parse(begun.text, options.output, options.beginning.folder));
    TRY(write_whole("output", options.output, begun.text));
  }
  if (options.json) return print(written_json(options, begun));
  std::string left_out;
  for (const policy::DraftTable& table : begun.draft.tables)
    if (!table.is_in()) left_out += (left_out.empty() ? "" : ", ") + table.name;
  if (!left_out.empty())
    fmt::print(stderr, "note: left out, for it isn't known whose rows they are: {}\n",
               printable(left_out));
  return print(fmt::format("{}: read it through, then: discreet policy check {}\n",
                           printable(options.output), printable(shell_word(options.output))));
}

}  // namespace

void add_policy(CLI::App& app, Action& chosen) {
  CLI::App* policy = app.add_subcommand("policy", "the owner's policy: begin one, check one");
  policy->require_subcommand(1);
  policy->footer("Example:\n  discreet policy init visits.csv --key patient_id -o clinic.toml");
  auto options = std::make_shared<Options>();
  service::Beginning& beginning = options->beginning;
  CLI::App* begin =
      add_verb(*policy, "init",
               "write a first policy for files and databases; without --epsilon no row is read",
               "discreet policy init patients.csv visits.parquet --key patient_id -o clinic.toml");
  begin
      ->add_option("SOURCE", beginning.sources,
                   "the data: CSV, TSV, Parquet or JSON, file.duckdb#table, or file.duckdb for all "
                   "of its tables")
      ->required();
  begin
      ->add_option("--key", beginning.key,
                   "the column that says whose row it is; tables without it are linked by ids that "
                   "they share")
      ->required();
  begin->add_option("-o,--output", options->output,
                    "where to write the policy; standard output unless said");
  begin->add_option("--name", beginning.name, "its name; the file's unless said");
  begin->add_option("--unit", beginning.unit,
                    "a word for who is protected; after the key unless said, or person");
  begin->add_option(
      "--epsilon", options->epsilon,
      "measure, privately and with this ε of the new budget, how many rows a unit has "
      "and where values are, and write that in");
  begin->add_option("--as", options->analyst,
                    "whose budget measuring is charged to; the login name unless said");
  begin->add_option("--budget-epsilon", beginning.epsilon, "the budget's ε")->capture_default_str();
  begin->add_option("--budget-delta", beginning.delta, "the budget's δ")->capture_default_str();
  begin->add_flag("--force", options->force, "overwrite the policy that is there");
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
