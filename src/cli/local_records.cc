// discreet local records VERB PROTOCOL …: records of several attributes under one ε.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/local_client.h"
#include "discreet/cli/local_collect.h"
#include "discreet/cli/local_result.h"
#include "discreet/cli/local_rounds.h"
#include "discreet/cli/numbers_file.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/watchdog.h"
#include "discreet/local/checks.h"
#include "discreet/local/reader.h"
#include "discreet/local/records.h"
#include "discreet/present/progress.h"
#include "discreet/present/table.h"
#include "discreet/random/generator.h"

namespace discreet::cli {
namespace {

struct RecordsOptions {
  std::string protocol, epsilon, domains, by = "sampling", blocks, range;
};

void add_records_options(CLI::App& verb, RecordsOptions& options) {
  std::string names;
  for (const local::Entry& entry : local::registry())
    if (entry.task == local::Task::kFrequencies)
      names += (names.empty() ? "" : ", ") + std::string(entry.name);
  verb.add_option("PROTOCOL", options.protocol, names)->required();
  verb.add_option("--epsilon", options.epsilon, "ε of a whole record")->required();
  verb.add_option("--domains", options.domains,
                  "how many values each attribute has, such as 4,16,2; they are numbered from 0")
      ->required();
  verb.add_option("--by", options.by,
                  "sampling: a person reports one of the m attributes, drawn at random, with the "
                  "whole ε, and the variance grows as m. splitting: all of them with ε/m each, and "
                  "it grows as m²")
      ->capture_default_str();
  add_own_options(verb, options.blocks, options.range);
}

Result<std::unique_ptr<local::Records>> make_records(const RecordsOptions& options) {
  const local::Entry* entry = TRY(local::require(options.protocol));
  const Rational epsilon = TRY(read_report_epsilon(options.epsilon));
  const local::By by = TRY(local::read_by(options.by));
  std::vector<std::size_t> domains;
  for (const std::string& each : split_list(options.domains))
    domains.push_back(
        static_cast<std::size_t>(TRY(read_integer("domains", each, 2, local::kMostValues))));
  local::Parameters parameters{.epsilon = epsilon};
  TRY(read_own_parameters(options.blocks, options.range, {entry}, parameters));
  return local::Records::create(*entry, parameters, domains, by);
}

class RecordClient final : public Client {
 public:
  explicit RecordClient(const local::Records& records) : records_(records) {}

  void clear() override { values_.clear(); }

  bool read(std::string_view line) override {
    const std::size_t before = values_.size();
    for (std::size_t j = 0;; ++j) {
      const std::size_t end = std::min(line.find(','), line.size());
      local::Value value = 0;
      if (j == records_.attributes() ||
          local::read_index(line.substr(0, end), domain(j), value) != local::Fault::kNone) {
        values_.resize(before);
        return false;
      }
      values_.push_back(value);
      if (end == line.size()) break;
      line.remove_prefix(end + 1);
    }
    if (values_.size() == before + records_.attributes()) return true;
    values_.resize(before);
    return false;
  }

  Status perturb(std::string& text) override {
    const std::size_t words = records_.constants().words;
    reports_.resize(values_.size() / records_.attributes() * words);
    TRY(records_.perturb(values_, random::thread_generator(), reports_));
    for (std::size_t at = 0; at < reports_.size(); at += words) {
      records_.write(std::span(reports_).subspan(at, words), text);
      text += '\n';
    }
    return {};
  }

  Error refuse(const std::string& place, std::uint64_t line,
               std::string_view found) const override {
    const std::vector<std::string_view> columns = split(found);
    std::string what = fmt::format(
        "{}, line {}: found {} {}; accepted are {} values with commas between them", place, line,
        columns.size(), columns.size() == 1 ? "column" : "columns", records_.attributes());
    for (std::size_t j = 0; columns.size() == records_.attributes() && j < columns.size(); ++j) {
      local::Value value = 0;
      if (local::read_index(columns[j], domain(j), value) == local::Fault::kNone) continue;
      what = fmt::format("{}, line {}, column {}: found {}; accepted is a number from 0 to {}",
                         place, line, j + 1, quote(columns[j]), domain(j) - 1);
      break;
    }
    return {Code::kUsage, std::move(what), {}, {}, {}};
  }

 private:
  std::size_t domain(std::size_t j) const { return records_.attribute(j).constants().domain; }

  static std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> out;
    for (;; line.remove_prefix(out.back().size() + 1)) {
      out.push_back(line.substr(0, line.find(',')));
      if (out.back().size() == line.size()) return out;
    }
  }

  const local::Records& records_;
  std::vector<local::Value> values_;
  std::vector<local::Word> reports_;
};

struct PerturbOptions : RecordsOptions {
  ClientOptions client;
};

Status perturb(const PerturbOptions& options) {
  const auto records = TRY(make_records(options));
  const LongestLines longest{.in = 1000 + 12 * records->attributes(),
                             .out = local::longest_report(*records)};
  TRY(run_clients(options.client, longest,
                  [&] { return std::make_unique<RecordClient>(*records); }));
  return {};
}

struct AggregateOptions : RecordsOptions {
  CollectOptions collect;
  std::string out;
  bool json = false;
};

Status aggregate(const AggregateOptions& options) {
  TRY(can_keep_state(options.out, options.json));
  const auto records = TRY(make_records(options));
  const local::State state = TRY(collect_reports(*records, options.collect));
  TRY(judge_rejections(state));
  return keep_state(state, options.out, options.json);
}

struct EstimateOptions : RecordsOptions {
  CollectOptions collect;
  std::vector<std::string> states;
  std::string method = "inversion";
  bool json = false;
};

bool has_rounds(local::Method method) {
  return method == local::Method::kIbu || method == local::Method::kMle;
}

std::size_t largest_domain(const local::Records& records) {
  std::size_t out = 0;
  for (std::size_t j = 0; j < records.attributes(); ++j)
    out = std::max(out, records.attribute(j).constants().domain);
  return out;
}

Result<local::State> read_state(const EstimateOptions& options, const local::Records& records,
                                local::Method method) {
  if (!options.states.empty()) {
    if (options.collect.any())
      return fail(Code::kUsage, "found --state with reports; accepted is one of them");
    return read_states("state", options.states, &records);
  }
  CollectOptions collect = options.collect;
  collect.keep = has_rounds(method) && records.likelihood_needs_reports();
  collect.states = true;
  return collect_reports(records, collect);
}

Json json_of(const local::Records& records, const local::State& state, local::Method method,
             const std::vector<local::Estimate>& estimates) {
  Json json{{"protocol", records.attribute(0).constants().name},
            {"by", local::name_of(records.by())},
            {"epsilon", to_written_double(records.constants().epsilon, Rounding::kUp)},
            {"method", local::name_of(method)},
            {"attributes", Json::array()}};
  for (std::size_t j = 0; j < estimates.size(); ++j) {
    Json attribute{{"distribution", numbers(estimates[j].distribution)},
                   {"stderr", numbers(estimates[j].stderr_)},
                   {"users", estimates[j].users}};
    add_findings(attribute, local::identity(records.attribute(j)), estimates[j]);
    json["attributes"].push_back(std::move(attribute));
  }
  add_users(json, state);
  return json;
}

std::string table_of_all(const std::vector<local::Estimate>& estimates) {
  constexpr auto kRight = present::Align::kRight;
  present::Table table({{"attribute", kRight},
                        {"value", kRight},
                        {"estimate", kRight},
                        {"±", kRight},
                        {"reports", kRight}});
  std::size_t left_out = 0;
  for (std::size_t j = 0; j < estimates.size(); ++j) {
    const std::vector<double>& found = estimates[j].distribution;
    const std::vector<std::size_t> shown = shown_values(found, kMostRows);
    const int decimals = decimals_for(estimates[j].stderr_);
    left_out += found.size() - shown.size();
    for (const std::size_t v : shown)
      table.add({fmt::format("{}", j + 1), fmt::format("{}", v),
                 estimates[j].users > 0 ? told_number(found[v], decimals) : "unknown",
                 told_number(estimates[j].stderr_[v], decimals),
                 present::with_commas(estimates[j].users)});
  }
  return table.text() + (left_out == 0 ? ""
                                       : fmt::format("\nOf each attribute the greatest; {} values "
                                                     "are left out.\n",
                                                     present::with_commas(left_out)));
}

Status estimate(const EstimateOptions& options) {
  const auto records = TRY(make_records(options));
  const local::Method method = TRY(local::read_method(options.method));
  const local::State state = TRY(read_state(options, *records, method));
  TRY(judge_rejections(state));
  if (state.users == 0) return fail(Code::kFailure, "found no reports; accepted is one at least");
  local::EstimateOptions how{.method = method};
  if (has_rounds(method) && records->likelihood_needs_reports())
    how.tolerance = near_enough(state.users, largest_domain(*records), how.tolerance);
  const Interrupt interrupt;
  const Watchdog watchdog;
  std::optional<RoundsBar> bar(std::in_place, how.tolerance, records->attributes());
  how.progress = std::ref(*bar);
  const auto estimates = TRY(records->estimate(state, how));
  for (const local::Estimate& each : estimates) TRY(not_interrupted(each));
  bar.reset();  // its line is wiped before anything is printed
  for (std::size_t j = 0; j < estimates.size(); ++j)
    warn(strange_reports(local::identity(records->attribute(j)), estimates[j]));
  if (options.json) return finish(true, json_of(*records, state, method, estimates), "");
  const bool unknown = std::any_of(estimates.begin(), estimates.end(),
                                   [](const local::Estimate& each) { return each.users == 0; });
  return print(table_of_all(estimates) + foot(state) +
               (unknown ? "Nothing is known of an attribute that nobody reported.\n" : "") +
               "± is one standard error, for the frequencies among all of these people.\n");
}

void add_perturb(CLI::App& records, Action& chosen) {
  CLI::App* verb = add_verb(
      records, "perturb", "what the client does: a record a line in, a report a line out",
      "discreet local records perturb flat --epsilon 1 --domains 4,16,2 -i records.csv -o reports");
  auto options = std::make_shared<PerturbOptions>();
  add_records_options(*verb, *options);
  add_client_options(*verb, options->client,
                     "the records, the number of a value for each attribute with commas between");
  verb->callback([options, &chosen] { chosen = [options] { return perturb(*options); }; });
}

void add_aggregate(CLI::App& records, Action& chosen) {
  CLI::App* verb = add_verb(
      records, "aggregate", "add up reports into a state, for `discreet local merge`",
      "discreet local records aggregate flat --epsilon 1 --domains 4,16,2 reports -o state");
  auto options = std::make_shared<AggregateOptions>();
  add_records_options(*verb, *options);
  verb->add_option("-o,--output", options->out,
                   "the state, written whole or not at all; - is standard output")
      ->required();
  add_collect_options(*verb, options->collect);
  verb->add_flag("--keep-reports", options->collect.keep,
                 "keep the reports too, for --method ibu or mle of unary, local-hashing, subset");
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return aggregate(*options); }; });
}

void add_estimate(CLI::App& records, Action& chosen) {
  CLI::App* verb = add_verb(
      records, "estimate", "from reports to frequencies of every attribute, with error bars",
      "discreet local records estimate flat --epsilon 1 --domains 4,16,2 -i reports");
  auto options = std::make_shared<EstimateOptions>();
  add_records_options(*verb, *options);
  add_collect_options(*verb, options->collect);
  verb->add_option("--state", options->states,
                   "states from aggregate or merge, instead of reports");
  verb->add_option("--method", options->method,
                   "inversion (unbiased, may be negative), clip, simplex, ibu or mle")
      ->capture_default_str();
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return estimate(*options); }; });
}

}  // namespace

void add_local_records(CLI::App& area, Action& chosen) {
  CLI::App* records =
      add_verb(area, "records", "people with several attributes, under one ε for all of them",
               "discreet local records estimate flat --epsilon 1 --domains 4,16,2 -i reports");
  records->require_subcommand(1);
  add_perturb(*records, chosen);
  add_estimate(*records, chosen);
  add_aggregate(*records, chosen);
}

}  // namespace discreet::cli
