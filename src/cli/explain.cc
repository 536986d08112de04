// discreet explain --policy FILE "SELECT …": the plan, its cost and its expected error; spends
// nothing, reads no rows.
#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/picture.h"
#include "discreet/cli/query.h"
#include "discreet/cli/watchdog.h"
#include "discreet/render/reply.h"
#include "discreet/service/service.h"

namespace discreet::cli {
namespace {

struct Options {
  QueryOptions query;
  std::string sizes = "100,1000", plot;
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
  if (!options.plot.empty()) {
    TRY(is_picture_name(options.plot));
    TRY(can_write("plot", options.plot));
  }
  const Interrupt tidy;
  const std::atomic<bool> nothing_reserved{false};
  const Watchdog watchdog(nothing_reserved, 0, Watchdog::Clock::now());
  const engine::Watch watch{.progress = {}, .pass = {}, .stop = &Interrupt::flag()};
  auto service = TRY(
      service::Service::open(options.query.policy, limits, watch, service::Service::Runs::kHere));
  auto plan = TRY(service->plan(text, flags));
  const auto explanation =
      TRY(service->explain(std::move(plan), options.query.who(), sizes, confidence));
  if (!options.plot.empty())
    TRY(write_whole("plot", options.plot,
                    TRY(render::plot(explanation.plan, service->catalog().unit))));
  return print(options.json ? render::json(explanation)
                            : render::words(explanation, service->catalog().unit));
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
  verb->add_option("--plot", options->plot,
                   "draw what is left out, noise and both against the bound, by a profile (SVG)");
  verb->add_flag("--json", options->json, "the plan as one object");
  verb->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace discreet::cli
