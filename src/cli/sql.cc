// discreet sql --policy FILE "SELECT …": a private answer with its error, and a receipt.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "discreet/base/try.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/prompt.h"
#include "discreet/cli/sql_options.h"
#include "discreet/cli/watchdog.h"
#include "discreet/engine/duckdb/parquet.h"
#include "discreet/present/progress.h"
#include "discreet/present/terminal.h"
#include "discreet/render/answer.h"
#include "discreet/render/left_out.h"
#include "discreet/render/reply.h"
#include "discreet/service/service.h"

namespace discreet::cli {
namespace {

using Options = SqlOptions;

Result<std::string> formatted(const service::Reply& reply, const Options& options,
                              const std::vector<std::string>& lines) {
  const std::string& format = options.json ? "json" : options.format;
  if (format == "json") return render::json(reply);
  if (format == "csv") return render::csv(reply.answer);
  if (format == "jsonlines") return render::json_lines(reply.answer);
  if (format == "markdown") return render::markdown(reply.answer);
  std::string out = render::table(reply.answer);
  for (const std::string& line : lines) out += line + "\n";
  return out + render::spending_line(reply);
}

// The answer is paid for, and isn't lost.
Status recoverable(Status& failed) {
  failed.error().hint +=
      "; the answer is in the ledger: " + advise("reuse", "") + " to get it again at no cost";
  return forward_error(failed);
}

// How long all of it may take; 0: any time.
Result<double> seconds_of(const Options& options) {
  if (options.timeout.empty()) return 0.0;
  return to_double(TRY(read_number("timeout", options.timeout, Rounding::kDown,
                                   {0, 1'000'000'000, true, "a number of seconds above 0"})));
}

// What is waited for, before a query and in it: as long as is left of the time.
engine::Watch watch_of(double seconds, Watchdog::Clock::time_point start) {
  constexpr double kNone = 1e-3;  // 0 would be any time
  engine::Watch out;
  out.stop = &Interrupt::flag();
  const std::chrono::duration<double> passed = Watchdog::Clock::now() - start;
  if (seconds > 0) out.timeout_seconds = std::max(kNone, seconds - passed.count());
  return out;
}

Status answer(service::Service& service, const std::string& text, const Options& options,
              Watchdog::Clock::time_point start) {
  auto flags = TRY(options.query.flags());
  service::Asking asking;
  auto confidence = TRY(options.query.read_confidence());
  asking.presenting.confidence = confidence;
  asking.presenting.nonnegative = options.nonnegative;
  asking.analyst = options.query.who();
  asking.reuse = options.reuse;
  asking.or_ask = options.or_ask;
  asking.stale = options.stale;
  asking.asked = text;
  const double seconds = TRY(seconds_of(options));
  std::atomic<bool> reserving{false};
  asking.reserving = &reserving;
  std::optional<Watchdog> watchdog(std::in_place, reserving, seconds, start);
  auto plan = TRY(service.plan(text, flags));
  asking.watch = watch_of(seconds, start);
  std::optional<present::Progress> bar;
  std::uint64_t shown = 0;
  asking.watch.progress = [&](double percent) {
    if (!(percent > 0)) return;
    if (!bar) bar.emplace("reading", present::Progress::Percent{});
    const auto now = static_cast<std::uint64_t>(std::min(percent, 100.0));
    if (now > shown) {
      bar->advance(now - shown);
      shown = now;
    }
  };
  if (Interrupt::asked()) return fail(Code::kInterrupted, "interrupted; nothing was spent");
  auto reply = service.ask(plan, asking);
  watchdog.reset();  // what is paid for is shown, however long that takes
  bar.reset();
  if (!reply) return forward_error(reply);
  if (reply->reused)
    fmt::print(stderr, "note: given again from the ledger, as on {}; nothing was spent now\n",
               *reply->reused);
  const std::string& unit = service.catalog().unit;
  if (!options.json && options.format == "table")
    for (const std::string& note : reply->plan->notes) fmt::print(stderr, "note: {}\n", note);
  const auto lines = render::honest_lines(*reply, unit, confidence);
  const bool in_table = !options.json && options.format == "table";
  if (!options.json && !in_table)
    for (const std::string& line : lines) fmt::print(stderr, "note: {}\n", line);
  if (!options.plot.empty()) {
    auto picture = TRY(render::plot(*reply, unit, confidence));
    if (auto ok = write_whole("plot", options.plot, picture); !ok) return recoverable(ok);
  }
  if (options.format == "parquet") {
    auto ok = write_whole("output", options.output, [&](const std::string& place) {
      return engine::duckdb::write_parquet(reply->answer, place).has_value();
    });
    if (!ok) return recoverable(ok);
    return options.json ? print(render::json(*reply)) : Status{};
  }
  auto out = TRY(formatted(*reply, options, lines));
  if (!options.output.empty()) {
    auto ok = write_whole("output", options.output, out);
    return ok ? ok : recoverable(ok);
  }
  return print(out);
}

Status run(Options& options) {
  TRY(options.check_format());
  // What can't be written is found out before anything is spent.
  for (const auto& [option, path] :
       {std::pair{"output", &options.output}, {"plot", &options.plot}}) {
    if (path->empty()) continue;
    TRY(can_write(option, *path));
  }
  if (!options.plot.empty() && !options.output.empty() &&
      std::filesystem::weakly_canonical(options.plot) ==
          std::filesystem::weakly_canonical(options.output))
    return fail(Code::kUsage, "--plot and --output name the same file", "give each its own");
  const bool interactive = !options.query.has_text() && present::is_terminal(stdin);
  std::string text;
  if (!interactive) {
    auto read = TRY(options.query.text());
    text = std::move(read);
  }
  auto limits = TRY(options.query.limits());
  const Interrupt tidy;  // from here on there is a folder to remove
  const double seconds = TRY(seconds_of(options));
  const auto start = Watchdog::Clock::now();
  const std::atomic<bool> reserving{false};
  std::optional<Watchdog> watchdog(std::in_place, reserving, seconds, start);
  auto service =
      TRY(service::Service::open(options.query.policy, limits, watch_of(seconds, start)));
  watchdog.reset();
  if (interactive)
    return prompt({*service, options}, [&](const std::string& line) {
      return answer(*service, line, options, Watchdog::Clock::now());
    });
  return answer(*service, text, options, start);
}

}  // namespace

void add_sql(CLI::App& app, Action& chosen) {
  CLI::App* verb = add_verb(app, "sql", "answer a SELECT statement privately",
                            "discreet sql --policy clinic.toml --epsilon 0.5 \"SELECT ward, "
                            "COUNT(*), AVG(cost) FROM visits GROUP BY ward\"");
  auto options = std::make_shared<Options>();
  options->query.add_to(*verb);
  verb->add_option("--format", options->format, "table, csv, json, jsonlines, markdown or parquet")
      ->capture_default_str();
  verb->add_option("-o,--output", options->output, "write the answer to this file");
  verb->add_option("--plot", options->plot, "draw the answer with its error bars (SVG)");
  verb->add_option("--timeout", options->timeout,
                   "seconds after which the query is given up, planning included");
  verb->add_flag("--nonnegative", options->nonnegative, "show negative counts as 0");
  CLI::Option* reuse = verb->add_flag(
      "--reuse", options->reuse, "answer from the ledger what was asked before; nothing is spent");
  verb->add_flag("--or-ask", options->or_ask,
                 "with --reuse: ask, and spend, where no answer is recorded")
      ->needs(reuse);
  verb->add_flag("--stale", options->stale,
                 "with --reuse: also where the data or the policy has changed since");
  verb->add_flag(
      "--json", options->json,
      "one object: columns, rows, intervals, guarantee, spent, remaining, receipt, plan");
  verb->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace discreet::cli
