// discreet account VERB EVENT…: what events cost, what noise a guarantee needs, and pictures of
// both.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "discreet/base/try.h"
#include "discreet/cli/command.h"
#include "discreet/cli/out_file.h"
#include "discreet/present/plot.h"
#include "discreet/present/progress.h"
#include "discreet/present/table.h"
#include "discreet/privacy/calibrate.h"
#include "discreet/privacy/convert.h"
#include "discreet/privacy/renyi.h"
#include "discreet/privacy/tradeoff.h"

namespace discreet::cli {
namespace {

using Json = nlohmann::ordered_json;
using namespace privacy;

struct Options {
  std::vector<std::string> events;
  std::string epsilon, delta, alpha, size, accountant, relation = "add-remove", tolerance = "0.001",
                                                       points, fa, plot;
  bool json = false;
};

// JSON has no infinity.
Json number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}
// The double nearest to a decimal prints as that decimal again.
double nearest(const Rational& value) {
  const double down = to_double(value, Rounding::kDown), up = to_double(value, Rounding::kUp);
  return value - Rational(down) <= Rational(up) - value ? down : up;
}
Json interval(const Interval& value) {
  return {{"lower", number(value.lower)}, {"upper", number(value.upper)}};
}

std::string readable(double value) {
  return std::isinf(value) ? "∞" : fmt::format("{:.6g}", value);
}

Status finish(const Options& options, const Json& json, const std::string& text) {
  return print(options.json ? json.dump() + "\n" : text + "\n");
}

Result<Rational> read_given_epsilon(const std::string& text) {
  return read_number("epsilon", text, Rounding::kDown,
                     {0, 1'000'000, false, "a number from 0 to 1000000, such as 0.5 or ln(3)"});
}

// The privacy profile goes on below 0: there δ is at least 1 − e^ε.
Result<Rational> read_profile_epsilon(const std::string& text) {
  return read_number("epsilon", text, Rounding::kDown,
                     {-1'000'000, 1'000'000, false,
                      "a number from -1000000 to 1000000, such as 0.5, -1 or ln(3)"});
}

Result<AccountOptions> read_account(const Options& options) {
  AccountOptions out;
  auto adjacency = TRY(adjacency_named(options.relation));
  out.adjacency = adjacency;
  if (!options.accountant.empty()) {
    auto accountant = TRY(accountant_named(options.accountant));
    out.accountant = accountant;
  }
  auto tolerance =
      read_number("tolerance", options.tolerance, Rounding::kDown,
                  {Rational(1, 1'000'000'000), 1, false, "a number from 1e-9 to 1, such as 0.001"});
  if (!tolerance) return forward_error(tolerance);
  out.tolerance = to_double(*tolerance);
  return out;
}

// On a terminal, how much of the work that an answer may take is done.
void show_progress(AccountOptions& options) {
  const auto bar = std::make_shared<present::Progress>("accounting", present::Progress::Percent{});
  options.progress = [bar, most = options.most_work, done = 0.0](double work) mutable {
    const double before = std::min(100.0, std::floor(100 * done / most));
    done += work;
    const double now = std::min(100.0, std::floor(100 * done / most));
    bar->advance(static_cast<std::uint64_t>(now - before));
  };
}

Result<Event> read_event(const Options& options) {
  auto expression = TRY(Expression::parse(options.events));
  return expression.event();
}

Status write_plot(const Options& options, const present::Plot& plot) {
  return write_whole("plot", options.plot, present::svg(plot));
}

void note_width(const Answer& answer) {
  if (!answer.met) {
    fmt::print(stderr,
               "discreet: the interval is wider than --tolerance asks for: the grid has reached "
               "its limit; both ends hold\n");
  }
}

std::string sentence(const char* what, const Interval& value, const std::string& given,
                     Accountant accountant) {
  const std::string range =
      value.lower > 0 || value.upper == 0
          ? fmt::format("between {} and {}", readable(value.lower), readable(value.upper))
          : fmt::format("at most {}", readable(value.upper));
  return fmt::format("{} is {} {} ({})", what, range, given, name_of(accountant));
}

// δ(ε) down to a thousandth of the δ asked for, and the answer on it.
Result<present::Plot> privacy_curve(const Event& event, const Rational& delta, const Answer& answer,
                                    const AccountOptions& options) {
  const double given = to_double(delta),
               least = given > 0 ? std::clamp(given * 1e-3, kNegligible, 1e-6) : 1e-12;
  auto tradeoff = TRY(Tradeoff::of(event, options, least));
  const Curve curve = tradeoff.profile();
  const double found = answer.value.upper;
  const bool on_curve = std::isfinite(found) && given > 0;
  // The answer may know more than the loss distribution, from Rényi divergences: so must the curve.
  const auto at = std::upper_bound(curve.epsilon.begin(), curve.epsilon.end(), found);
  const bool above = on_curve && at != curve.epsilon.begin() && at != curve.epsilon.end() &&
                     curve.delta[static_cast<std::size_t>(at - curve.epsilon.begin())] > given;
  AccountOptions other = options;
  other.accountant = Accountant::kRdp;
  present::Series line{.name = "δ(ε)"};
  constexpr std::size_t kPoints = 600;
  const std::size_t count = curve.epsilon.size(), step = std::max<std::size_t>(1, count / kPoints);
  for (std::size_t i = 0; i < count; ++i) {
    // Where the curve falls steeply every point counts.
    const bool steep = !line.y.empty() && curve.delta[i] < line.y.back() * 0.9;
    if (i % step != 0 && i + 1 != count && !steep) continue;
    line.x.push_back(curve.epsilon[i]);
    line.y.push_back(curve.delta[i]);
    if (!above) continue;
    if (auto bound = account_delta(event, Rational(curve.epsilon[i]), other))
      line.y.back() = std::min(line.y.back(), bound->value.upper);
  }
  present::Plot plot{.title = "Privacy curve", .x_label = "ε", .y_label = "δ", .log_y = true};
  if (on_curve) {
    const auto place = static_cast<std::ptrdiff_t>(
        std::upper_bound(line.x.begin(), line.x.end(), found) - line.x.begin());
    line.x.insert(line.x.begin() + place, found);
    line.y.insert(line.y.begin() + place, given);
  }
  plot.series.push_back(line);
  if (on_curve) {
    plot.series.push_back({.name = fmt::format("ε = {}", readable(found)),
                           .x = {found},
                           .y = {given},
                           .style = present::Style::kPoints});
  }
  return plot;
}

Status epsilon(const Options& options) {
  auto delta = TRY(read_delta(options.delta));
  auto account = TRY(read_account(options));
  auto event = TRY(read_event(options));
  show_progress(account);
  auto answer = account_epsilon(event, delta, account);
  account.progress = {};  // the bar is wiped before anything is printed
  if (!answer) return forward_error(answer);
  if (!options.plot.empty()) {
    auto plot = TRY(privacy_curve(event, delta, *answer, account));
    TRY(write_plot(options, plot));
  }
  note_width(*answer);
  return finish(
      options,
      {{"epsilon", interval(answer->value)},
       {"delta", nearest(delta)},
       {"accountant", name_of(answer->accountant)}},
      sentence("epsilon", answer->value, "at delta " + options.delta, answer->accountant));
}

Status delta(const Options& options) {
  auto epsilon = TRY(read_profile_epsilon(options.epsilon));
  auto account = TRY(read_account(options));
  auto event = TRY(read_event(options));
  show_progress(account);
  auto answer = account_delta(event, epsilon, account);
  account.progress = {};
  if (!answer) return forward_error(answer);
  note_width(*answer);
  return finish(
      options,
      {{"delta", interval(answer->value)},
       {"epsilon", nearest(epsilon)},
       {"accountant", name_of(answer->accountant)}},
      sentence("delta", answer->value, "at epsilon " + options.epsilon, answer->accountant));
}

Status calibrate_unknown(const Options& options) {
  auto epsilon = TRY(read_given_epsilon(options.epsilon));
  auto delta = TRY(read_delta(options.delta));
  auto account = TRY(read_account(options));
  auto expression = TRY(Expression::parse(options.events));
  show_progress(account);
  auto found = calibrate(expression, epsilon, delta, account);
  account.progress = {};
  if (!found) return forward_error(found);
  const std::string& name = expression.unknown()->name;
  const bool whole = expression.unknown()->whole && found->value.get_num().fits_slong_p();
  const double value = nearest(found->value);
  const Json json = whole ? Json(found->value.get_num().get_si()) : number(value);
  return finish(options, {{"unknown", name}, {"value", json}},
                fmt::format("{} = {} gives ({}, {})-DP ({})", name,
                            whole ? found->value.get_num().get_str() : to_text(value),
                            options.epsilon, options.delta, name_of(found->accountant)));
}

Status renyi_of(const Options& options) {
  const bool infinite = options.alpha == "inf";
  Result<Rational> alpha = Rational(0);
  if (!infinite) {
    alpha = read_number(
        "alpha", options.alpha, Rounding::kUp,
        {1, Rational(1e9), true, "a number above 1 and at most 1e9, such as 2.5, or inf"});
  }
  if (!alpha) return forward_error(alpha);
  auto account = TRY(read_account(options));
  auto event = TRY(read_event(options));
  auto value = TRY(infinite ? largest_divergence(event, account.adjacency)
                            : renyi(event, *alpha, account.adjacency));
  return finish(options, {{"renyi", number(value)}},
                fmt::format("the Renyi divergence of order {} is at most {}", options.alpha,
                            readable(value)));
}

Status group(const Options& options) {
  auto size = TRY(read_integer("size", options.size, 1, 1'000'000'000));
  auto epsilon = TRY(read_given_epsilon(options.epsilon));
  auto delta = TRY(read_delta(options.delta));
  const Guarantee all = group_guarantee({epsilon, delta}, Integer(static_cast<long>(size)));
  const double e = to_double(all.epsilon, Rounding::kUp), d = to_double(all.delta, Rounding::kUp);
  return finish(
      options, {{"epsilon", number(e)}, {"delta", number(d)}},
      fmt::format("a group of {} is protected by ({}, {})-DP", size, readable(e), readable(d)));
}

Status tradeoff(const Options& options) {
  auto account = TRY(read_account(options));
  auto event = TRY(read_event(options));
  if (!options.fa.empty() && (!options.points.empty() || !options.plot.empty())) {
    return bad_parameter(
        "fa", "found together with --points or --plot, accepted is one point or a curve");
  }
  Rational alarm;
  std::int64_t count = 50;
  if (!options.fa.empty()) {
    auto fa =
        read_number("fa", options.fa, Rounding::kUp, {0, 1, false, "a probability from 0 to 1"});
    if (!fa) return forward_error(fa);
    alarm = *fa;
  } else if (!options.points.empty()) {
    auto points = TRY(read_integer("points", options.points, 2, 100'000));
    count = points;
  }
  auto curve = TRY(Tradeoff::of(event, account));
  if (!options.fa.empty()) {
    const double missed = curve.missed(to_double(alarm));
    return finish(
        options, {{"md", missed}},
        fmt::format("false alarms of {} mean misses of at least {}", options.fa, readable(missed)));
  }
  Json points = Json::array();
  std::string text = "false alarm  missed detection\n";
  present::Series line{.name = "the best test", .x = {}, .y = {}, .lower = {}, .upper = {}};
  for (std::int64_t i = 0; i < count; ++i) {
    const double fa = static_cast<double>(i) / static_cast<double>(count - 1),
                 md = curve.missed(fa);
    points.push_back({fa, md});
    text += fmt::format("{:>11}  {:>16}\n", readable(fa), readable(md));
    line.x.push_back(fa);
    line.y.push_back(md);
  }
  text.pop_back();
  if (!options.plot.empty()) {
    present::Plot plot{.title = "What telling two neighbours apart costs",
                       .x_label = "false alarm",
                       .y_label = "missed detection",
                       .series = {line},
                       .categories = {}};
    plot.series.push_back(
        {.name = "perfect privacy", .x = {0, 1}, .y = {1, 0}, .lower = {}, .upper = {}});
    TRY(write_plot(options, plot));
  }
  return finish(options, {{"points", points}}, text);
}

Status compare(const Options& options) {
  auto delta = TRY(read_delta(options.delta));
  auto account = TRY(read_account(options));
  auto event = TRY(read_event(options));
  present::Table table({{"accountant"},
                        {"epsilon, lower", present::Align::kRight},
                        {"upper", present::Align::kRight},
                        {""}});
  Json rows = Json::array();
  present::Plot plot{.title = fmt::format("ε at δ = {}", options.delta),
                     .x_label = "accountant",
                     .y_label = "ε",
                     .series = {},
                     .categories = {}};
  present::Series bars{
      .name = "", .x = {}, .y = {}, .lower = {}, .upper = {}, .style = present::Style::kBars};
  for (Accountant accountant : kAccountants) {
    account.accountant = accountant;
    const std::string name(name_of(accountant));
    auto answer = account_epsilon(event, delta, account);
    if (!answer) {
      table.add({name, "", "", answer.error().message.text(Notation::kOptions)});
      rows.push_back(
          {{"accountant", name}, {"error", answer.error().message.text(Notation::kOptions)}});
      continue;
    }
    note_width(*answer);
    const Interval& value = answer->value;
    table.add({name, value.lower > 0 ? readable(value.lower) : "", readable(value.upper), ""});
    rows.push_back({{"accountant", name}, {"epsilon", interval(value)}});
    if (std::isinf(value.upper)) continue;
    bars.x.push_back(static_cast<double>(plot.categories.size()));
    bars.y.push_back(value.upper);
    plot.categories.push_back(name);
  }
  plot.series.push_back(bars);
  if (!options.plot.empty()) {
    TRY(write_plot(options, plot));
  }
  std::string text = table.text();
  if (!text.empty()) text.pop_back();
  return finish(options, {{"delta", nearest(delta)}, {"accountants", rows}}, text);
}

using Run = Status (*)(const Options&);

constexpr const char* kEventHelp =
    "gaussian(sigma=…), laplace(scale=…), discrete-gaussian(sigma=…), discrete-laplace(scale=…), "
    "each with [sensitivity=…]; "
    "randomized-response(k=…, epsilon=…), exponential(epsilon=…), dp(epsilon=…, delta=…), "
    "zcdp(rho=…), rdp(alpha=…, epsilon=…); "
    "poisson(q, EVENT), EVENT*COUNT, compose(EVENT, EVENT), parallel(EVENT, EVENT); several are "
    "composed";

struct Verb {
  const char *name, *what, *example;
  Run run;
  std::string_view
      takes;  // e ε, d δ, a α, s size, c accountant, t tolerance, p points and fa, g plot, E events
};

void add_one(CLI::App& account, Action& chosen, const Verb& verb) {
  CLI::App* command = add_verb(account, verb.name, verb.what, verb.example);
  auto options = std::make_shared<Options>();
  const auto takes = [&](char c) { return verb.takes.find(c) != std::string_view::npos; };
  if (takes('E')) command->add_option("EVENT", options->events, kEventHelp)->required();
  if (takes('e')) command->add_option("--epsilon", options->epsilon, "ε")->required();
  if (takes('d'))
    command->add_option("--delta", options->delta, "δ, from 0 to below 1")->required();
  if (takes('a'))
    command->add_option("--alpha", options->alpha, "the order, above 1; inf is the pure ε")
        ->required();
  if (takes('s')) command->add_option("--size", options->size, "how many units")->required();
  if (takes('c')) {
    command->add_option(
        "--accountant", options->accountant,
        "basic, advanced, optimal, zcdp, rdp, gdp or pld; else pld, or the tightest that applies");
  }
  if (takes('E')) {
    command
        ->add_option("--relation", options->relation,
                     "add, remove, add-remove (the worse of both) or substitute; sensitivities are "
                     "under this relation, inside "
                     "poisson under add-remove")
        ->capture_default_str();
  }
  if (takes('t'))
    command
        ->add_option("--tolerance", options->tolerance, "how wide pld's interval may be, relative")
        ->capture_default_str();
  if (takes('p')) {
    command->add_option("--points", options->points, "how many points, 50 by default");
    command->add_option("--fa", options->fa, "one probability of a false alarm");
  }
  if (takes('g')) command->add_option("--plot", options->plot, "write a picture to this SVG file");
  command->add_flag("--json", options->json, "one JSON object");
  command->callback(
      [options, run = verb.run, &chosen] { chosen = [options, run] { return run(*options); }; });
}

}  // namespace

void add_account(CLI::App& app, Action& chosen) {
  CLI::App* account =
      add_verb(app, "account", "How much privacy is spent, and how much noise a guarantee needs",
               "discreet account epsilon --delta 1e-5 'poisson(0.01, gaussian(sigma=1.1))*10000'");
  account->require_subcommand(1);
  static constexpr Verb kVerbs[] = {
      {"epsilon", "ε at a given δ, as an interval",
       "discreet account epsilon --delta 1e-5 'poisson(0.01, gaussian(sigma=1.1))*10000'", epsilon,
       "Edctg"},
      {"delta", "δ at a given ε, as an interval",
       "discreet account delta --epsilon 1 'laplace(scale=10)*20'", delta, "Eect"},
      {"calibrate", "The number written '?' that just gives (ε, δ), rounded so that it holds",
       "discreet account calibrate --epsilon 1 --delta 1e-5 'gaussian(sigma=?)*20'",
       calibrate_unknown, "Eedct"},
      {"renyi", "The Rényi divergence of one order",
       "discreet account renyi --alpha 2.5 'poisson(0.01, gaussian(sigma=1.1))*1000'", renyi_of,
       "Ea"},
      {"group", "What (ε, δ) means for a group of units",
       "discreet account group --size 3 --epsilon 1 --delta 1e-6", group, "eds"},
      {"tradeoff", "False alarms against misses of whoever tries to tell neighbours apart",
       "discreet account tradeoff 'gaussian(sigma=1)' --fa 0.05", tradeoff, "Ecpg"},
      {"compare", "ε by every accountant, side by side",
       "discreet account compare 'laplace(scale=10)*100' --delta 1e-5", compare, "Edtg"},
  };
  for (const Verb& verb : kVerbs) add_one(*account, chosen, verb);
}

}  // namespace discreet::cli
