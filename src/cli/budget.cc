// discreet budget VERB --policy FILE: what was spent, what is left, and the owner's acts.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "discreet/base/durable_file.h"
#include "discreet/base/try.h"
#include "discreet/cli/command.h"
#include "discreet/cli/out_file.h"
#include "discreet/ledger/account.h"
#include "discreet/ledger/ledger.h"
#include "discreet/policy/policy.h"
#include "discreet/present/table.h"
#include "discreet/render/balance.h"
#include "discreet/service/terms.h"

namespace discreet::cli {
namespace {

using Json = nlohmann::ordered_json;
using ledger::Balances;
using ledger::Ledger;
using ledger::short_text;

struct Options {
  std::string policy, epsilon, delta, reason, who, receipt, analyst, group, accountant = "approx",
                                                                            plot, output;
  bool json = false, fresh = false, share = false;
};

Result<ledger::Terms> terms_of(const Options& options) {
  auto policy = TRY(policy::Policy::read(options.policy));
  return service::terms_of(policy, service::Server::kMayBeAway);
}

Result<std::unique_ptr<Ledger>> open(const Options& options) {
  auto terms = TRY(terms_of(options));
  return Ledger::open(terms);
}

Status show(const Options& options) {
  auto ledger = TRY(open(options));
  auto balances = TRY(ledger->balances());
  if (!options.plot.empty()) {
    auto history = TRY(ledger->history());
    TRY(write_whole("plot", options.plot, render::plot(history, balances)));
  }
  const std::string analyst = who(options.who);
  const render::Looking looking{analyst, TRY(ledger->left_for(analyst))};
  return print(options.json ? render::json(balances, looking) : render::table(balances, looking));
}

Status history(const Options& options) {
  auto ledger = TRY(open(options));
  auto entries = TRY(ledger->history());
  if (!options.plot.empty()) {
    auto balances = TRY(ledger->balances());
    TRY(write_whole("plot", options.plot, render::plot(entries, balances)));
  }
  return print(options.json ? render::json(entries) : render::table(entries));
}

// ID:HASH, or a file with a receipt in it: the object itself, or an answer that has one under
// "receipt".
Result<ledger::Receipt> read_receipt(const std::string& given) {
  const auto bad = [&] {
    return bad_parameter(
        "receipt",
        fmt::format("found '{}'; accepted is ID:HASH or a file that holds a receipt as JSON",
                    given));
  };
  auto content = read_file(given);
  if (!content || !*content) {
    const std::size_t colon = given.find(':');
    if (colon == std::string::npos || colon == 0 || given[0] == '{') return bad();
    return ledger::Receipt{given.substr(0, colon), given.substr(colon + 1)};
  }
  Json json = Json::parse(**content, nullptr, false);
  if (json.is_object() && json.contains("receipt")) json = Json(json["receipt"]);
  if (!json.is_object() || !json.contains("id") || !json.contains("hash") ||
      !json["id"].is_string() || !json["hash"].is_string()) {
    return bad();
  }
  return ledger::Receipt{json["id"].get<std::string>(), json["hash"].get<std::string>()};
}

Status verify(const Options& options) {
  std::optional<ledger::Receipt> receipt;
  if (!options.receipt.empty()) {
    auto read = TRY(read_receipt(options.receipt));
    receipt = read;
  }
  auto ledger = TRY(open(options));
  auto verified = TRY(ledger->verify(receipt));
  if (options.json) {
    Json out{{"valid", true},
             {"ledger", verified.ledger},
             {"records", verified.records},
             {"results", verified.results},
             {"head", verified.head}};
    out["registered"] = verified.registered ? Json(*verified.registered) : Json(nullptr);
    if (receipt) out["receipt"] = {{"id", receipt->id}, {"hash", receipt->hash}, {"valid", true}};
    return print(out.dump() + "\n");
  }
  if (verified.records == 0) return print("The ledger was never used.\n");
  return print(fmt::format("The ledger is whole: {} records, {} answers, head {}.\n{}",
                           verified.records, verified.results, verified.head,
                           receipt ? "The receipt is in it.\n" : ""));
}

Status set(const Options& options) {
  auto epsilon = TRY(read_epsilon(options.epsilon));
  auto delta = TRY(read_delta(options.delta));
  if (options.reason.empty())
    return bad_parameter("reason", "found nothing; accepted is a text that says why");
  auto terms = TRY(terms_of(options));
  auto ledger = TRY(Ledger::open(terms));
  TRY(ledger->set_budget(epsilon, delta, who(options.who), options.reason));
  if (terms.epsilon != epsilon || terms.delta != delta) {
    fmt::print(stderr,
               "discreet: the policy still says ε {}, δ {}; questions are refused until it says "
               "the same as the ledger\n",
               short_text(terms.epsilon, Rounding::kUp), short_text(terms.delta, Rounding::kUp));
  }
  auto balances = TRY(ledger->balances());
  return print(options.json ? render::json(balances) : render::table(balances));
}

Status grant(const Options& options) {
  ledger::Grant grant{options.analyst,  options.group, {}, {}, ledger::Accountant::kApprox,
                      who(options.who), options.reason};
  if (grant.analyst.empty() && grant.group.empty()) {
    return fail(Code::kUsage, "grant: found neither an analyst nor --group",
                "discreet budget grant ana --epsilon 0.5 --delta 1e-7 …");
  }
  auto accountant = TRY(ledger::parse_accountant(options.accountant));
  grant.accountant = accountant;
  if (!options.epsilon.empty() || !options.delta.empty() || grant.analyst.empty() ||
      grant.group.empty()) {
    if (options.epsilon.empty() || options.delta.empty()) {
      return fail(Code::kUsage, "grant: found no --epsilon or no --delta; accepted is both of them",
                  "--delta 0 allows none");
    }
    auto epsilon = TRY(read_epsilon(options.epsilon));
    auto delta = TRY(read_delta(options.delta));
    grant.epsilon = epsilon;
    grant.delta = delta;
  }
  auto ledger = TRY(open(options));
  TRY(ledger->grant(grant));
  auto balances = TRY(ledger->balances());
  return print(options.json ? render::json(balances) : render::table(balances));
}

Status export_records(const Options& options) {
  auto ledger = open(options);
  if (!ledger) return forward_error(ledger);
  auto lines = TRY((*ledger)->export_lines());
  std::string out = lines;
  if (options.json) {
    if (!out.empty()) out.pop_back();
    for (std::size_t at = 0; (at = out.find('\n', at)) != std::string::npos;) out[at] = ',';
    out = "{\"records\":[" + out + "]}\n";
  }
  return options.output.empty() ? print(out) : write_durably(options.output, out);
}

Status init(const Options& options) {
  if ((options.fresh || options.share) && options.reason.empty()) {
    return bad_parameter("reason", "found nothing; --new and --share are recorded with a reason");
  }
  auto terms = TRY(terms_of(options));
  auto ledger =
      TRY(Ledger::start(terms, {options.fresh, options.share, who(options.who), options.reason}));
  auto balances = TRY(ledger->balances());
  return print(options.json ? render::json(balances) : render::table(balances));
}

}  // namespace

void add_budget(CLI::App& app, Action& chosen) {
  CLI::App* budget = app.add_subcommand(
      "budget", "What was spent of a policy's budget, what is left, and the ledger that knows");
  budget->require_subcommand(1);
  auto options = std::make_shared<Options>();
  const auto verb = [&](const std::string& name, const std::string& what,
                        const std::string& example, Status (*run)(const Options&)) {
    CLI::App* added = add_verb(*budget, name, what, "discreet budget " + example);
    added->add_option("--policy", options->policy, "the policy file")->required();
    added->add_flag("--json", options->json, "one JSON object");
    added->callback([options, run, &chosen] { chosen = [options, run] { return run(*options); }; });
    return added;
  };
  const auto owner = [&](CLI::App* added, bool reason_needed) {
    added->add_option("--reason", options->reason, "why; it is recorded")->required(reason_needed);
    added->add_option("--as", options->who, "who does this (default: the login name)");
  };
  CLI::App* shown =
      verb("show", "What is left, as a bar for each analyst", "show --policy clinic.toml", show);
  shown->add_option("--plot", options->plot, "write spending over time as an SVG picture");
  shown->add_option("--as", options->who, "who looks (default: the login name)");
  CLI::App* told = verb("history", "Every release and every act of the owner",
                        "history --policy clinic.toml", history);
  told->add_option("--plot", options->plot, "write spending over time as an SVG picture");
  CLI::App* verified = verb("verify", "Check every record, the chain of hashes, and a receipt",
                            "verify --policy clinic.toml --receipt answer.json", verify);
  verified->add_option("--receipt", options->receipt,
                       "ID:HASH, or a JSON file with a receipt in it");
  CLI::App* changed =
      verb("set", "Record a change of the whole budget",
           "set --policy clinic.toml --epsilon 5 --delta 1e-6 --reason 'agreed by the board'", set);
  changed->add_option("--epsilon", options->epsilon, "the new ε, all in all")->required();
  changed->add_option("--delta", options->delta, "the new δ, all in all")->required();
  owner(changed, true);
  CLI::App* granted = verb("grant", "Cap what an analyst, or a group of them, may spend",
                           "grant ana --policy clinic.toml --epsilon 0.5 --delta 1e-7", grant);
  granted->add_option("analyst", options->analyst, "the analyst's name, as in --as");
  granted->add_option("--group", options->group,
                      "a group: with an analyst, the one to join; alone, the one to cap");
  granted->add_option("--epsilon", options->epsilon, "at most this ε, all in all");
  granted->add_option("--delta", options->delta, "at most this δ, all in all");
  granted->add_option("--accountant", options->accountant, "approx, pure or zcdp; chosen once")
      ->capture_default_str();
  owner(granted, false);
  CLI::App* exported = verb("export", "All records, one JSON object a line",
                            "export --policy clinic.toml -o records.jsonl", export_records);
  exported->add_option("-o,--output", options->output, "a file instead of standard output");
  CLI::App* started =
      verb("init", "Start the ledger by hand (its first question does it otherwise)",
           "init --policy clinic.toml --new --reason 'new data collection'", init);
  started->add_flag("--new", options->fresh,
                    "although one is known: the old one is put aside, and the new one names it");
  started->add_flag("--share", options->share,
                    "although a source already has a budget in another ledger");
  owner(started, false);
}

}  // namespace discreet::cli
