// discreet explain --policy FILE "SELECT …": the plan, its cost and its expected error; spends
// nothing, reads no rows.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "discreet/base/try.h"
#include "discreet/cli/answer.h"
#include "discreet/cli/query.h"
#include "discreet/service/session.h"

namespace discreet::cli {
namespace {

struct Options {
  QueryOptions query;
  std::string sizes = "100,1000";
  bool json = false;
};

Result<std::vector<std::int64_t>> read_sizes(const std::string& text) {
  std::vector<std::int64_t> out;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    auto size = TRY(read_integer("group-size", text.substr(at, comma - at), 1, 1'000'000'000'000));
    out.push_back(size);
    at = comma + 1;
  }
  return out;
}

Status run(const Options& options) {
  auto text = TRY(options.query.text());
  auto flags = TRY(options.query.flags());
  auto sizes = TRY(read_sizes(options.sizes));
  auto confidence = TRY(options.query.read_confidence());
  auto limits = TRY(options.query.limits());
  auto session = TRY(service::Session::open(options.query.policy, limits));
  auto plan = TRY(session->plan(text, flags));
  Status fits = session->check_budget(plan, options.query.who());
  if (!fits && fits.error().code != Code::kBudget) return fits;
  if (options.json) {
    auto out = nlohmann::ordered_json::parse(json(plan));
    out["confidence"] = to_double(confidence);
    out["fits_budget"] = fits.has_value();
    out["expected_error"] = nlohmann::ordered_json::array();
    for (const plan::PlanPart& part : plan.parts)
      for (const std::int64_t size : sizes) {
        nlohmann::ordered_json row{{"group_size", size}};
        const auto errors = expected_error(part, size, confidence);
        for (std::size_t i = 0; i < errors.size(); ++i) {
          const std::string& name = part.select.outputs[i].name;
          if (!errors[i]) {
            row["columns"][name] = nullptr;
          } else if (std::isinf(*errors[i])) {
            row["columns"][name] = "inf";
          } else {
            row["columns"][name] = *errors[i];
          }
        }
        out["expected_error"].push_back(std::move(row));
      }
    return print(out.dump() + "\n");
  }
  std::string out = words(plan, session->catalog().unit);
  for (const plan::PlanPart& part : plan.parts) {
    out += fmt::format("Expected error, {} % of the time within:\n",
                       to_double(Rational(confidence * 100)));
    for (const std::int64_t size : sizes) {
      out += fmt::format("  a group of {}:", size);
      const auto errors = expected_error(part, size, confidence);
      for (std::size_t i = 0; i < errors.size(); ++i)
        if (errors[i]) out += fmt::format("  {} ± {:.4g}", part.select.outputs[i].name, *errors[i]);
      out += "\n";
    }
  }
  if (!fits)
    out += fmt::format("The budget doesn't cover it: {}\n",
                       fits.error().message.text(Notation::kOptions));
  return print(out);
}

}  // namespace

void add_explain(CLI::App& app, Action& chosen) {
  CLI::App* verb = add_verb(app, "explain", "what a query would cost and how accurate it would be",
                            "discreet explain --policy clinic.toml --epsilon 0.5 \"SELECT COUNT(*) "
                            "FROM visits\" --group-size 100,1000");
  auto options = std::make_shared<Options>();
  options->query.add_to(*verb);
  verb->add_option("--group-size", options->sizes, "sizes of groups to tell the expected error for")
      ->capture_default_str();
  verb->add_flag("--json", options->json, "the plan as one object");
  verb->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace discreet::cli
