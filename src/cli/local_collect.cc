#include "discreet/cli/local_collect.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <set>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/local_input.h"
#include "discreet/cli/watchdog.h"
#include "discreet/local/counted_as.h"
#include "discreet/local/reader.h"
#include "discreet/random/generator.h"

namespace discreet::cli {
namespace {

struct Kind {
  local::Fault fault;
  const char* name;   // in JSON
  const char* words;  // in a sentence
};
constexpr std::array<Kind, 5> kKinds{
    {{local::Fault::kMalformed, "malformed", "malformed"},
     {local::Fault::kWrongLength, "wrong_length", "of a wrong length"},
     {local::Fault::kOutOfRange, "out_of_range", "out of range"},
     {local::Fault::kWrongProtocol, "wrong_protocol", "of another protocol"},
     {local::Fault::kDuplicated, "duplicated", "duplicated"}}};

std::uint64_t number_of(const local::State& state, const Kind& kind) {
  return state.refused[static_cast<std::size_t>(kind.fault)];
}

// By itself, whatever it is merged with.
Status is_possible(const std::string& path, const local::State& state) {
  auto reports = local::counted_as(state.of);
  if (reports) return state.check_numbers(path, **reports);
  return fail(Code::kUsage, fmt::format("{}: found a state of {}; accepted is one of a protocol "
                                        "that `discreet local list` shows",
                                        quote(path), quote(state.of)));
}

// One at a time in memory, beside their sum.
Result<local::State> read_all(std::vector<LineSource> sources, const local::Reports* protocol) {
  std::optional<local::State> out;
  for (LineSource& source : sources) {
    const std::string bytes = TRY(read_bytes(source));
    local::State state = TRY(local::State::read(source.path(), bytes));
    TRY(protocol != nullptr ? state.check(source.path(), *protocol)
                            : is_possible(source.path(), state));
    if (!out) {
      out = std::move(state);
      continue;
    }
    if (Status merged = out->merge(state); !merged) {
      Error error = std::move(merged.error());
      error.message = fmt::format("{}: ", source.name()) + error.message;
      return tl::unexpected<Error>(std::move(error));
    }
  }
  return *std::move(out);
}

constexpr std::uint64_t kFewReports = 20;  // of fewer, one refused says nothing
constexpr std::uint64_t kOneIn = 20;

// By what it is, not by its name: whoever is counted twice makes error bars too small.
Status each_file_once(const std::string& parameter, const std::vector<std::string>& paths,
                      std::string_view what) {
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const std::string& path : paths) {
    struct stat about {};
    if (stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
        !seen.emplace(about.st_dev, about.st_ino).second)
      return bad_parameter(
          parameter, fmt::format("found {} twice; accepted is each {} once", quote(path), what));
  }
  return {};
}

}  // namespace

Status can_hold(const local::Reports& protocol) {
  constexpr std::size_t kMostCounters = std::size_t{1} << 28;
  const std::size_t counters = protocol.constants().counters;
  if (counters <= kMostCounters) return {};
  return bad_parameter(
      "domain",
      fmt::format("found one that takes {} counters, {} MB; accepted are {} at most",
                  present::with_commas(counters), present::with_commas(counters / 125'000),
                  present::with_commas(kMostCounters)));
}

Result<local::State> collect_reports(const local::Reports& protocol,
                                     const CollectOptions& options) {
  TRY(can_hold(protocol));
  std::vector<std::string> paths = options.in;
  paths.insert(paths.end(), options.in_too.begin(), options.in_too.end());
  TRY(each_file_once("input", paths, "file of reports"));
  std::vector<LineSource> sources = TRY(open_all(paths));
  const Interrupt interrupt;
  const Watchdog watchdog;
  std::uint64_t size = 0;
  std::size_t states = 0;
  bool known = true;
  for (LineSource& source : sources) {
    size += source.size();
    known = known && source.can_be_read_again();
    if (!TRY(source.begins_with(local::kStateBegins))) continue;
    ++states;
    if (!options.states || options.ids)
      return fail(Code::kUsage,
                  fmt::format("{}: found a collector's state; accepted are reports, one a line",
                              source.name()),
                  "`discreet local merge` adds states up, `estimate` reads them");
  }
  if (states > 0 && states < sources.size())
    return fail(Code::kUsage, "found states and reports together; accepted are those or these");
  if (states > 0) return read_all(std::move(sources), &protocol);
  present::Progress progress("reading reports", known ? size : 0);
  local::Reader reader(protocol, {.keep = options.keep, .ids = options.ids});
  for (LineSource& source : sources) TRY(reader.add(source.fill(progress)));
  local::State state = reader.finish();
  TRY(state.name_run(random::thread_generator()));
  return state;
}

Result<local::State> read_states(const std::string& parameter,
                                 const std::vector<std::string>& paths,
                                 const local::Reports* protocol) {
  if (paths.empty())
    return bad_parameter(parameter, "none was given; accepted are files of states");
  TRY(each_file_once(parameter, paths, "state"));
  const Interrupt interrupt;
  const Watchdog watchdog;
  return read_all(TRY(open_all(paths)), protocol);
}

nlohmann::ordered_json rejections(const local::State& state) {
  nlohmann::ordered_json out;
  for (const Kind& kind : kKinds) out[kind.name] = number_of(state, kind);
  return out;
}

std::string told_rejections(const local::State& state) {
  const std::uint64_t rejected = state.rejected();
  if (rejected == 0) return "";
  std::string kinds;
  for (const Kind& kind : kKinds)
    if (const std::uint64_t number = number_of(state, kind); number > 0)
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", present::with_commas(number),
                           kind.words);
  return fmt::format("{} of {} reports {} refused: {}", present::with_commas(rejected),
                     present::with_commas(state.users + rejected), rejected == 1 ? "was" : "were",
                     kinds);
}

Status judge_rejections(const local::State& state) {
  const std::uint64_t rejected = state.rejected(), all = state.users + rejected;
  if (rejected > 0 && state.users == 0)
    return fail(
        Code::kFailure,
        fmt::format("{}; accepted are reports of {}", told_rejections(state), quote(state.of)),
        "are they of this protocol and these parameters?");
  if (all >= kFewReports && rejected * kOneIn > all)
    (void)std::fputs(fmt::format("discreet: warning: {}; the estimate is of the others only\n",
                                 told_rejections(state))
                         .c_str(),
                     stderr);
  return {};
}

}  // namespace discreet::cli
