#include "discreet/render/balance.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "discreet/ledger/account.h"
#include "discreet/present/table.h"
#include "discreet/render/amount.h"

namespace discreet::render {

using Json = nlohmann::ordered_json;
using ledger::Amount;
using ledger::Balance;
using ledger::Balances;
using ledger::Entry;
using ledger::short_text;

namespace {

// As JSON: a decimal as it was written where it is one, else rounded to the stated side.
Json number(const Rational& value, Rounding rounding) { return to_written_double(value, rounding); }

void add_amounts(Json& out, const Balance& balance) {
  out["budget"] = balance.budget ? amount_json(*balance.budget, Rounding::kDown) : Json(nullptr);
  out["spent"] = amount_json(balance.spent, Rounding::kUp);
  out["remaining"] =
      balance.remaining ? amount_json(*balance.remaining, Rounding::kDown) : Json(nullptr);
  if (balance.accountant) out["accountant"] = name_of(*balance.accountant);
  out["releases"] = balance.releases;
}

Json json_of(const Entry& entry) {
  Json out{
      {"record", entry.record}, {"kind", entry.kind}, {"when", entry.when}, {"who", entry.who}};
  const bool release = entry.kind == "release";
  out[release || entry.kind == "reuse" ? "query" : "reason"] = entry.text;
  if (!entry.asked.empty()) out["asked"] = entry.asked;
  if (release) out["state"] = entry.state;
  if (release || entry.kind == "reuse") out["cost"] = amount_json(entry.cost, Rounding::kUp);
  if (entry.kind == "init" || entry.kind == "set" ||
      (entry.kind == "grant" && entry.cost.epsilon > 0)) {
    out["budget"] = amount_json(entry.cost, Rounding::kDown);
  }
  if (!entry.charged.empty()) {
    Json names = Json::array();
    for (const std::string& name : entry.charged) names.push_back(name.empty() ? "data set" : name);
    out[entry.kind == "grant" ? "to" : "charged"] = std::move(names);
  }
  if (release) {
    out["events"] = Json::array();
    for (const ledger::Event& event : entry.events) {
      Json one{{"event", event.expression},
               {"epsilon", number(event.epsilon, Rounding::kUp)},
               {"delta", number(event.delta, Rounding::kUp)}};
      if (event.rho) one["rho"] = number(*event.rho, Rounding::kUp);
      out["events"].push_back(std::move(one));
    }
  }
  out["hash"] = entry.hash;
  return out;
}

// What is left of the whole, in 20 cells.
std::string bar(const Rational& left, const Rational& whole) {
  constexpr int kCells = 20;
  const Rational share = whole > 0 ? Rational(left * kCells / whole) : Rational(0);
  // A cell is full only if all of it is left: an empty bar may still have something, a full one has
  // everything.
  const Integer full = share.get_num() / share.get_den();
  std::string out;
  for (int i = 0; i < kCells; ++i) out += i < full ? "█" : "░";
  return out;
}

std::vector<std::string> bar_row(const std::string& title, const Balance& balance) {
  const std::string releases =
      fmt::format("{} release{}", balance.releases, balance.releases == 1 ? "" : "s");
  if (!balance.budget) {
    return {title, "no cap of its own",
            "",    fmt::format("{} spent", short_text(balance.spent.epsilon, Rounding::kUp)),
            "",    releases};
  }
  const bool zcdp = balance.budget->rho.has_value();
  const Rational& left = zcdp ? *balance.remaining->rho : balance.remaining->epsilon;
  const Rational& whole = zcdp ? *balance.budget->rho : balance.budget->epsilon;
  return {title,
          bar(left, whole),
          fmt::format("{:.0f} %", 100 * to_double(left / whole, Rounding::kDown)),
          fmt::format("{} of {}{}", short_text(left, Rounding::kDown),
                      short_text(whole, Rounding::kDown), zcdp ? " (ρ)" : ""),
          fmt::format("{} of {}", short_text(balance.remaining->delta, Rounding::kDown),
                      short_text(balance.budget->delta, Rounding::kDown)),
          releases};
}

std::string pair(const Amount& amount) {
  return fmt::format("ε {}, δ {}", short_text(amount.epsilon, Rounding::kDown),
                     short_text(amount.delta, Rounding::kDown));
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  return text;
}

// As it was asked; the canonical text of records that don't have that. An answer that was given
// again says both.
std::string told(const Entry& entry) {
  if (entry.asked.empty()) return one_line(entry.text);
  if (entry.kind != "reuse") return one_line(entry.asked);
  return one_line(fmt::format("{} ({})", entry.asked, entry.text));
}

}  // namespace

Json amount_json(const Amount& amount, Rounding rounding) {
  Json out{{"epsilon", number(amount.epsilon, rounding)},
           {"delta", number(amount.delta, rounding)}};
  if (amount.rho) out["rho"] = number(*amount.rho, rounding);
  return out;
}

std::string json(const Balances& balances, const Looking& looking) {
  Json out{{"policy", balances.terms.policy}};
  add_amounts(out, balances.data_set);
  out["unfinished"] = balances.unfinished;
  if (balances.terms.max_epsilon_per_query) {
    out["max_epsilon_per_query"] = number(*balances.terms.max_epsilon_per_query, Rounding::kDown);
  }
  if (balances.terms.max_delta_per_query) {
    out["max_delta_per_query"] = number(*balances.terms.max_delta_per_query, Rounding::kDown);
  }
  if (balances.terms.renewal) {
    out["renewal"] = {{"seconds", balances.terms.renewal->count()},
                      {"next", balances.window_end.value_or("")}};
  }
  for (const auto& [key, list] :
       {std::pair("analysts", &balances.analysts), std::pair("groups", &balances.groups)}) {
    out[key] = Json::array();
    for (const Balance& balance : *list) {
      Json one{{"name", balance.name}};
      add_amounts(one, balance);
      out[key].push_back(std::move(one));
    }
  }
  if (looking.left)
    out["analyst"] = {{"name", looking.analyst},
                      {"remaining", amount_json(*looking.left, Rounding::kDown)}};
  out["ledger"] = {{"id", balances.ledger},
                   {"location", balances.terms.location},
                   {"records", balances.records},
                   {"head", balances.head}};
  return out.dump() + "\n";
}

std::string table(const Balances& balances, const Looking& looking) {
  present::Table rows({{"budget"},
                       {"what is left"},
                       {"", present::Align::kRight},
                       {"ε left"},
                       {"δ left"},
                       {"charged for"}});
  rows.add(bar_row(balances.terms.policy + " (data set)", balances.data_set));
  for (const Balance& balance : balances.analysts) rows.add(bar_row(balance.name, balance));
  for (const Balance& balance : balances.groups)
    rows.add(bar_row("group " + balance.name, balance));
  std::string out = rows.text();
  if (looking.left && balances.data_set.remaining) {
    out += fmt::format("Left for {}: {}; left of the data set's budget: {}.\n", looking.analyst,
                       pair(*looking.left), pair(*balances.data_set.remaining));
  }
  if (balances.unfinished > 0) {
    out += balances.unfinished == 1
               ? "1 release was reserved and never finished: it counts as spent.\n"
               : fmt::format("{} releases were reserved and never finished: they count as spent.\n",
                             balances.unfinished);
  }
  if (balances.window_end) {
    out += fmt::format(
        "The budget is renewed every {} days, next at {}: it limits each window, not the life of "
        "the data.\n",
        balances.terms.renewal->count() / 86'400, *balances.window_end);
  }
  return out;
}

std::string balance_line(const Balances& balances, const Looking& looking) {
  std::string out =
      fmt::format("left: {} of {}", pair(balances.data_set.remaining.value_or(Amount{})),
                  pair(balances.data_set.budget.value_or(Amount{})));
  if (looking.left) out += fmt::format("   left for {}: {}", looking.analyst, pair(*looking.left));
  return out + "\n";
}

std::string json(const std::vector<Entry>& history) {
  Json list = Json::array();
  for (const Entry& entry : history) list.push_back(json_of(entry));
  return Json{{"history", std::move(list)}}.dump() + "\n";
}

std::string table(const std::vector<Entry>& history) {
  present::Table rows({{"record", present::Align::kRight},
                       {"when"},
                       {"who"},
                       {"what"},
                       {"ε", present::Align::kRight},
                       {"δ", present::Align::kRight},
                       {"query or reason"}});
  for (const Entry& entry : history) {
    const bool costs = entry.kind != "sources" && entry.kind != "share" &&
                       (entry.kind != "grant" || entry.cost.epsilon > 0);
    rows.add({std::to_string(entry.record), entry.when, entry.who,
              entry.kind == "release" ? entry.state : entry.kind,
              costs ? short_text(entry.cost.epsilon, Rounding::kUp) : "",
              costs ? short_text(entry.cost.delta, Rounding::kUp) : "", told(entry)});
  }
  return rows.text();
}

}  // namespace discreet::render
