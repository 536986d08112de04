// discreet profile --policy FILE "SELECT …": buys, privately, what is needed to choose good bounds:
// how much units contribute and how large values are. Later questions use it at no cost.
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
  std::string plot;
  bool json = false;
};

Status run(const Options& options) {
  const auto text = TRY(options.query.text());
  const auto flags = TRY(options.query.flags());
  if (!options.plot.empty()) {
    TRY(is_picture_name(options.plot));
    TRY(can_write("plot", options.plot));
  }
  const Interrupt tidy;
  std::atomic<bool> reserving{false};
  const Watchdog watchdog(reserving, 0, Watchdog::Clock::now());
  const engine::Watch watch{.progress = {}, .pass = {}, .stop = &Interrupt::flag()};
  auto service =
      TRY(service::Service::open(options.query.policy, TRY(options.query.limits()), watch));
  const auto plan = TRY(service->plan(text, flags));
  service::Asking asking;
  asking.analyst = options.query.who();
  asking.asked = text;
  asking.watch = watch;
  asking.reserving = &reserving;
  const auto profiled = TRY(service->profile(plan, asking));
  const std::string& unit = service->catalog().unit;
  if (!options.plot.empty())
    TRY(write_whole("plot", options.plot, TRY(render::plot(profiled.plan, unit))));
  return print(options.json ? render::json(profiled) : render::words(profiled, unit));
}

}  // namespace

void add_profile(CLI::App& app, Action& chosen) {
  CLI::App* verb = add_verb(app, "profile", "measure, privately, which bounds fit a query",
                            "discreet profile --policy clinic.toml --epsilon 0.1 \"SELECT ward, "
                            "COUNT(*) FROM visits GROUP BY ward\"");
  auto options = std::make_shared<Options>();
  options->query.add_to(*verb);
  verb->add_option("--plot", options->plot,
                   "draw what is left out, noise and both against the bound (SVG)");
  verb->add_flag("--json", options->json, "the plan that it leads to, as one object");
  verb->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace discreet::cli
