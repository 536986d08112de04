#include "discreet/render/reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "discreet/ledger/account.h"
#include "discreet/plan/choose.h"
#include "discreet/present/plot.h"
#include "discreet/render/amount.h"
#include "discreet/render/answer.h"
#include "discreet/render/left_out.h"
#include "discreet/service/stored.h"

namespace discreet::render {

using Json = nlohmann::ordered_json;
using std::string;

namespace {

string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What is left of an account without a limit is not a number.
Json amount_or_zero(const std::optional<ledger::Amount>& amount, Rounding rounding) {
  return amount_json(amount.value_or(ledger::Amount{}), rounding);
}

Json half_width(const std::optional<double>& error) {
  if (!error) return nullptr;
  if (std::isinf(*error)) return "inf";
  return *error;
}

string outlook_lines(const plan::Plan& plan) {
  string out;
  for (const plan::PlanPart& part : plan.parts) {
    if (!part.fitting) continue;
    const plan::Outlook& best = part.fitting->best;
    out += fmt::format(
        "Expected total error, as a share of the answer: {:.2g} %, of which {:.2g} % is left out "
        "and "
        "{:.2g} % noise.\n",
        100 * best.total(), 100 * best.bias, 100 * best.noise);
  }
  return out;
}

}  // namespace

string json(const service::Reply& reply) {
  Json out = Json::parse(service::answer_json(reply.answer));
  out["guarantee"] =
      amount_json({reply.guarantee.epsilon, reply.guarantee.delta, {}}, Rounding::kUp);
  const auto plain = [](ledger::Amount amount) {
    amount.rho.reset();
    return amount;
  };
  out["spent"] = amount_json(plain(reply.data_set.spent), Rounding::kUp);
  out["remaining"] =
      amount_json(plain(reply.data_set.remaining.value_or(ledger::Amount{})), Rounding::kDown);
  if (reply.analyst) {
    out["analyst"] = {{"name", reply.analyst->name},
                      {"spent", amount_json(plain(reply.analyst->spent), Rounding::kUp)},
                      {"remaining", amount_or_zero(reply.analyst->remaining, Rounding::kDown)}};
  }
  out["receipt"] = nullptr;
  if (reply.receipt) out["receipt"] = {{"id", reply.receipt->id}, {"hash", reply.receipt->hash}};
  out["plan"] = Json::parse(plan::json(*reply.plan));
  return dumped(out) + "\n";
}

Result<string> plot(const service::Reply& reply, const string& unit, const Rational& confidence) {
  std::vector<string> notes;
  if (reply.receipt)
    notes.push_back(
        fmt::format("ε = {}{}; bars: {} % of the time within",
                    ledger::short_text(reply.guarantee.epsilon, Rounding::kUp),
                    reply.guarantee.delta > 0
                        ? ", δ = " + ledger::short_text(reply.guarantee.delta, Rounding::kUp)
                        : "",
                    to_double(Rational(confidence * 100))));
  if (reply.answer.left_out)
    if (const string caption = left_out_caption(*reply.answer.left_out, unit); !caption.empty())
      notes.push_back(caption);
  return plot(reply.answer, notes);
}

string spending_line(const service::Reply& reply) {
  if (!reply.receipt) return "public tables only: exact, and nothing was spent\n";
  const auto pair = [](const ledger::Amount& amount, Rounding side) {
    return fmt::format("ε {}, δ {}", ledger::short_text(amount.epsilon, side),
                       ledger::short_text(amount.delta, side));
  };
  const ledger::Amount cost{reply.guarantee.epsilon, reply.guarantee.delta, {}};
  string own;
  if (reply.analyst && reply.analyst->remaining)
    own = fmt::format("   left for {}: {}", reply.analyst->name,
                      pair(*reply.analyst->remaining, Rounding::kDown));
  string out =
      fmt::format("this answer: {}   spent: {}   left: {}{}   receipt {}\n",
                  pair(cost, Rounding::kUp), pair(reply.data_set.spent, Rounding::kUp),
                  pair(reply.data_set.remaining.value_or(ledger::Amount{}), Rounding::kDown), own,
                  reply.receipt->id);
  if (reply.more_like_it && *reply.more_like_it == 0)
    out += "what is left doesn't pay for another answer like this one\n";
  return out;
}

string json(const service::Explanation& explanation) {
  Json out = Json::parse(plan::json(explanation.plan));
  out["confidence"] = to_double(explanation.confidence);
  out["fits_budget"] = explanation.fits.has_value();
  out["expected_error"] = Json::array();
  for (const service::Explanation::Row& row : explanation.expected) {
    Json one{{"group_size", row.group_size}};
    const auto& outputs = explanation.plan.parts[row.part].select.outputs;
    for (std::size_t i = 0; i < row.errors.size(); ++i)
      one["columns"][outputs[i].name] = half_width(row.errors[i]);
    out["expected_error"].push_back(std::move(one));
  }
  return dumped(out) + "\n";
}

string words(const service::Explanation& explanation, const string& unit) {
  string out = plan::words(explanation.plan, unit) + outlook_lines(explanation.plan);
  std::optional<std::size_t> part;
  for (const service::Explanation::Row& row : explanation.expected) {
    // Of what is chosen, the lines above say what to expect.
    if (std::none_of(row.errors.begin(), row.errors.end(), [](const auto& e) { return bool(e); }))
      continue;
    if (part != row.part)
      out += fmt::format("Expected error, {} % of the time within:\n",
                         to_double(Rational(explanation.confidence * 100)));
    part = row.part;
    out += fmt::format("  a group of {}:", row.group_size);
    const auto& outputs = explanation.plan.parts[row.part].select.outputs;
    for (std::size_t i = 0; i < row.errors.size(); ++i)
      if (row.errors[i]) out += fmt::format("  {} ± {:.4g}", outputs[i].name, *row.errors[i]);
    out += "\n";
  }
  if (!explanation.fits)
    out +=
        fmt::format("The budget doesn't cover it: {}\n", explanation.fits.error().message.text());
  return out;
}

string json(const service::Profiled& profiled) {
  Json out = Json::parse(plan::json(profiled.plan));
  out["spent"] =
      amount_json({profiled.guarantee.epsilon, profiled.guarantee.delta, {}}, Rounding::kUp);
  out["receipt"] = nullptr;
  if (profiled.receipt)
    out["receipt"] = {{"id", profiled.receipt->id}, {"hash", profiled.receipt->hash}};
  return dumped(out) + "\n";
}

string words(const service::Profiled& profiled, const string& unit) {
  string out = plan::words(profiled.plan, unit);
  out += outlook_lines(profiled.plan);
  return out +
         (profiled.receipt
              ? fmt::format("This profile cost ε = {}, and serves questions of the same rows and "
                            "groups at no further cost; receipt {}.\n",
                            to_decimal(profiled.guarantee.epsilon), profiled.receipt->id)
              : string("All of this was known already, or declared: nothing was spent.\n"));
}

Result<string> plot(const plan::Plan& plan, const string& unit) {
  for (const plan::PlanPart& part : plan.parts) {
    if (!part.fitting || part.fitting->others.size() < 2) continue;
    present::Plot plot{.title = "Total error by the bound, expected",
                       .x_label = "rows of a " + unit + " that count",
                       .y_label = "% of the answer",
                       .log_x = true,
                       .log_y = true};
    present::Series bias{.name = "left out"}, noise{.name = "noise"}, total{.name = "total"};
    for (const plan::Outlook& one : part.fitting->others) {
      const auto bound = static_cast<double>(one.bounds.total.value_or(one.bounds.rows));
      for (auto [series, value] :
           {std::pair{&bias, one.bias}, {&noise, one.noise}, {&total, one.total()}}) {
        series->x.push_back(bound);
        series->y.push_back(100 * value);
      }
    }
    const plan::Outlook& best = part.fitting->best;
    present::Series chosen{.name = "chosen"};
    chosen.style = present::Style::kPoints;
    chosen.x = {static_cast<double>(best.bounds.total.value_or(best.bounds.rows))};
    chosen.y = {100 * best.total()};
    plot.series = {std::move(bias), std::move(noise), std::move(total), std::move(chosen)};
    return present::svg(plot);
  }
  return bad_parameter("plot",
                       "there is nothing to draw: no bound of this question is chosen by a profile",
                       advise("bounds", "auto"));
}

}  // namespace discreet::render
