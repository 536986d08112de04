// discreet local guarantee PROTOCOL …: what a collector may say of the collection.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/local_verbs.h"
#include "discreet/cli/numbers_file.h"
#include "discreet/local/channel_protocol.h"
#include "discreet/local/longitudinal.h"
#include "discreet/local/promise.h"
#include "discreet/present/progress.h"

namespace discreet::cli {
namespace {

struct Options : ProtocolOptions {
  std::string epsilons, users, delta, reports, group, permanent;
  bool absentees = false, json = false;
};

constexpr const char* kCentral =
    "the collection of all reports promises this to each user, where their values may be replaced "
    "by any others and the number of users is public";
constexpr const char* kCentralPermanent =
    "all reports of all rounds promise this to each user for each value they ever held, where "
    "their values may be replaced by any others and the number of users is public";
constexpr const char* kGone =
    "who joins or leaves changes how many reports there are, and no ε covers that; it would be as "
    "above if those who take no part reported through the randomizer too (--absentees)";
constexpr const char* kStays =
    "those who take no part report some value through the randomizer too, so whoever joins or "
    "leaves only changes a value";
constexpr const char* kMixed =
    "each round of reports is mixed by somebody the collector can't look into, without times, "
    "addresses or names, and the number of users is public";

constexpr const char* kPermanent =
    "all reports about one value, however many, promise this, since all are drawn from one "
    "permanent "
    "report that the client keeps; each further value of the same user costs as much again; that a "
    "value has changed, and when, isn't hidden; what is said of shuffled reports is about one "
    "round";

double shown(const Rational& epsilon) { return to_written_double(epsilon, Rounding::kUp); }

// At most four digits, rounded up as everything that is promised.
std::string rounded_up(double value) { return fmt::format("{:.4g}", value * 1.00051); }

std::string odds(const Rational& epsilon) {
  const double factor = std::exp(shown(epsilon));
  return std::isfinite(factor) ? rounded_up(factor) : "more than 1e308";
}

// What is promised, but hardly worth it.
std::vector<std::string> warnings_of(const local::Promise& p, const local::Collection& c) {
  std::vector<std::string> out;
  if (p.report > 10)
    out.push_back(fmt::format(
        "ε = {} hides next to nothing: whoever sees a report may be {} times as sure of "
        "one value against another as before",
        to_text(shown(p.report)), odds(p.report)));
  if (c.users && *c.delta * Rational(Integer(static_cast<unsigned long>(*c.users))) >= 1)
    out.push_back(
        fmt::format("δ = {} is at least 1/users: a collection that shows somebody's value outright "
                    "would be allowed; take a δ far below {}",
                    to_text(to_written_double(*c.delta, Rounding::kUp)),
                    fmt::format("{:.2g}", 1 / static_cast<double>(*c.users))));
  return out;
}

const char* central_of(const local::Collection& c) {
  return c.permanent ? kCentralPermanent : kCentral;
}

Json json_of(const local::Promise& p, const local::Collection& c) {
  Json out{{"report", {{"epsilon", shown(p.report)}}},
           {"central",
            {{"epsilon", shown(p.central)}, {"relation", "substitute"}, {"why", central_of(c)}}},
           {"group", {{"size", c.group}, {"epsilon", shown(p.group)}}}};
  if (p.add_remove)
    out["add_remove"] = {{"epsilon", shown(*p.add_remove)}, {"why", kStays}};
  else
    out["add_remove"] = {{"epsilon", "inf"}, {"why", kGone}};
  if (p.shuffled) {
    out["shuffled"] = {{"epsilon", p.shuffled->epsilon},
                       {"delta", to_written_double(p.shuffled->delta, Rounding::kUp)},
                       {"bound", p.shuffled->closed_form ? "closed form" : "numerical"},
                       {"relation", "substitute"},
                       {"why", kMixed}};
    if (p.shuffled->closed) out["shuffled"]["closed_form"] = *p.shuffled->closed;
    if (c.group > 1 && p.shuffled->group)
      out["shuffled"]["group"] = {{"epsilon", p.shuffled->group->epsilon},
                                  {"delta", p.shuffled->group->delta}};
  }
  if (c.permanent) out["permanent"] = {{"epsilon", shown(*c.permanent)}, {"why", kPermanent}};
  out["warnings"] = warnings_of(p, c);
  return out;
}

std::string text_of(const local::Promise& p, const local::Collection& c) {
  std::string out = fmt::format(
      "Each report is {}-private, whoever sees it: it changes the odds of one value against "
      "another "
      "by a factor of at most e^ε = {}.\n",
      to_text(shown(p.report)), odds(p.report));
  out += fmt::format(
      "Collected: ε = {}{}: {}.\n", to_text(shown(p.central)),
      c.reports > 1 ? fmt::format(", {} reports a user", present::with_commas(c.reports)) : "",
      central_of(c));
  if (c.group > 1)
    out += fmt::format("A group of {}: ε = {}.\n", present::with_commas(c.group),
                       to_text(shown(p.group)));
  out += p.add_remove
             ? fmt::format("Added or removed: ε = {}: {}.\n", to_text(shown(*p.add_remove)), kStays)
             : fmt::format("Added or removed: nothing: {}.\n", kGone);
  if (p.shuffled) {
    // never more than without, of as many rounds
    const double central =
        shown(p.report * Rational(Integer(static_cast<unsigned long>(c.reports))));
    const std::string shuffled = p.shuffled->epsilon * 1.00051 < central
                                     ? rounded_up(p.shuffled->epsilon)
                                     : to_text(central);
    out += fmt::format("Shuffled: ε = {} at δ = {} for each user{}, if {}.\n", shuffled,
                       to_text(to_written_double(p.shuffled->delta, Rounding::kUp)),
                       p.shuffled->closed_form ? " (closed form)" : "", kMixed);
    if (c.group > 1)
      out +=
          p.shuffled->group
              ? fmt::format("Shuffled, a group of {}: ε = {} at δ = {}.\n",
                            present::with_commas(c.group), rounded_up(p.shuffled->group->epsilon),
                            rounded_up(p.shuffled->group->delta))
              : fmt::format("Shuffled, a group of {}: no more than without is known.\n",
                            present::with_commas(c.group));
  }
  if (c.permanent)
    out += fmt::format("Permanent: ε = {}: {}.\n", to_text(shown(*c.permanent)), kPermanent);
  for (const std::string& warning : warnings_of(p, c))
    out += fmt::format("Warning: {}.\n", warning);
  return out;
}

Status guarantee(Options options) {
  local::Collection asked;
  if (!options.epsilons.empty()) {
    if (!options.epsilon.empty())
      return bad_parameter("epsilon", "found together with --epsilons; accepted is one of them");
    asked.epsilons = TRY(read_number_list("epsilons", options.epsilons));
    if (!asked.epsilons.empty())
      options.epsilon = to_decimal(*std::max_element(asked.epsilons.begin(), asked.epsilons.end()));
  }
  const NamedProtocol named = TRY(make_protocol(options));
  const auto* channel = dynamic_cast<const local::ChannelProtocol*>(named.protocol.get());
  if (channel != nullptr && !channel->is_private())
    return bad_parameter("channel",
                         "found one with an output that some values have and others never; "
                         "accepted is a channel with a finite ε");
  if (!options.permanent.empty()) {
    if (!options.reports.empty() || !options.epsilons.empty())
      return bad_parameter(options.reports.empty() ? "epsilons" : "reports",
                           "found together with --permanent, whose promise is about any number of "
                           "reports of one ε; accepted is one of them");
    asked.permanent = TRY(read_report_epsilon(options.permanent, "permanent"));
    TRY(local::Longitudinal::create(named.protocol->constants().name, named.parameters,
                                    *asked.permanent));
  }
  if (options.epsilons.empty()) asked.epsilons = {named.protocol->constants().epsilon};
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const auto whole = [](const char* name, const std::string& text) {
    return read_integer(name, text, 1, kMost);
  };
  if (!options.reports.empty())
    asked.reports = static_cast<std::uint64_t>(TRY(whole("reports", options.reports)));
  if (!options.group.empty())
    asked.group = static_cast<std::uint64_t>(TRY(whole("group", options.group)));
  if (!options.users.empty())
    asked.users = static_cast<std::uint64_t>(TRY(whole("users", options.users)));
  if (!options.delta.empty()) asked.delta = TRY(read_delta(options.delta));
  asked.absentees_report = options.absentees;
  asked.hides_well = local::one_value_a_report(*named.protocol);
  const local::Promise promise = TRY(local::promise_of(asked));
  return finish(options.json, json_of(promise, asked), text_of(promise, asked));
}

}  // namespace

void add_local_guarantee(CLI::App& area, Action& chosen) {
  CLI::App* verb =
      add_verb(area, "guarantee", "what a collector may say: to each user, to groups, shuffled",
               "discreet local guarantee flat --epsilon 1 --domain 16 --users 1e6 --delta 1e-7");
  auto options = std::make_shared<Options>();
  add_protocol_options(*verb, *options);
  verb->add_option("--epsilons", options->epsilons,
                   "where users have different ε, all of them: 0.5,1,2");
  verb->add_option("--users", options->users, "how many report, if their reports are shuffled");
  verb->add_option("--delta", options->delta, "δ of the promise about shuffled reports");
  verb->add_option("--reports", options->reports,
                   "how many fresh reports each user sends (1 where none is given)");
  verb->add_option("--group", options->group,
                   "how many users are protected together (1 where none is given)");
  verb->add_option("--permanent", options->permanent,
                   "ε of all reports about one value, where clients keep a permanent report of it "
                   "(perturb --permanent)");
  verb->add_flag("--absentees", options->absentees,
                 "who takes no part reports some value through the randomizer all the same");
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return guarantee(*options); }; });
}

}  // namespace discreet::cli
