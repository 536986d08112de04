// Reports and states of every protocol of the local model, of records and of heavy hitters: any
// bytes as lines of reports, as what stands in a state file between its first line and its
// checksum, and as what a client's memory keeps.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "discreet/local/channel_protocol.h"
#include "discreet/local/estimate_channel.h"
#include "discreet/local/hitters_find.h"
#include "discreet/local/memory.h"
#include "discreet/local/numeric_shape.h"
#include "discreet/local/reader.h"
#include "discreet/local/records.h"
#include "discreet/local/registry.h"
#include "discreet/random/generator.h"
#include "in_file.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

using namespace local;

// What reads reports, and whether an input got as far as to an estimate of a state of it.
struct Reading {
  explicit Reading(std::unique_ptr<const Reports> made)
      : reports(std::move(made)), estimated("an estimate of " + identity(*reports)) {}
  std::unique_ptr<const Reports> reports;
  Waypoint estimated;
};

std::vector<std::unique_ptr<Reading>>& all_readings() {
  static std::vector<std::unique_ptr<Reading>> all = [] {
    std::vector<std::unique_ptr<Reading>> out;
    for (const Entry& entry : registry()) {
      Parameters parameters{.domain = 5};
      if (entry.name != "coins") parameters.epsilon = 1;
      out.push_back(std::make_unique<Reading>(*entry.make(parameters)));
    }
    const Rational high(3, 4), low(1, 4);
    out.push_back(std::make_unique<Reading>(
        *ChannelProtocol::create(*channel::Channel::create(2, 2, {high, low, low, high}))));
    for (const By by : {By::kSampling, By::kSplitting})
      out.push_back(
          std::make_unique<Reading>(*Records::create(*find("flat"), {.epsilon = 1}, {3, 2}, by)));
    out.push_back(std::make_unique<Reading>(*Hitters::create({.epsilon = 1, .bytes = 2})));
    return out;
  }();
  return all;
}

// The slow and plain way to lines, to compare with.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.push_back(line);
  }
  if (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

State read_all(const Reports& protocol, std::string_view text, std::size_t step,
               ReaderOptions options) {
  Reader reader(protocol, options);
  const Status read = reader.add(
      [inner = from_text(text), step](std::span<char> to) { return inner(to.first(step)); });
  require(read.has_value(), "whatever the lines hold, they can be read");
  return reader.finish();
}

void check_reports(const Reports& protocol, std::string_view bytes) {
  const std::vector<std::string_view> lines = lines_of(bytes);
  std::vector<Word> report(protocol.constants().words), reports;
  std::string text;
  for (const std::string_view line : lines) {
    if (protocol.read(line, report) != Fault::kNone) continue;
    std::string again;
    protocol.write(report, again);
    require(again == line, "a report has one spelling");
    reports.insert(reports.end(), report.begin(), report.end());
    text += again + '\n';
  }
  const State state = read_all(protocol, bytes, Lines::kBlock, {.keep = true, .threads = 1});
  require(state.users + state.rejected() == lines.size(), "each line is counted once");
  require(state.reports == reports, "what is read is what the protocol accepts, in order");
  require(state.check("state", protocol).has_value(), "what was read is a good state");
  for (const std::size_t step : {1, 7})
    require(read_all(protocol, bytes, step, {.keep = true, .threads = 1}).serialise() ==
                state.serialise(),
            "where reads end doesn't matter");
  const State good = read_all(protocol, text, Lines::kBlock, {.keep = true, .threads = 1});
  require(good.rejected() == 0 && good.counters == state.counters,
          "accepted reports, written again, are the same state");
  const State clients = read_all(protocol, bytes, Lines::kBlock, {.ids = true, .threads = 1});
  require(clients.users + clients.rejected() == lines.size() && clients.ids.size() == clients.users,
          "each line is counted once, each client once");
}

// No mean of numbers is beyond the least and the greatest of them.
void check_mean(const MeanProtocol& protocol, const State& state) {
  double least = INFINITY, most = -INFINITY;
  for (const char* line : {"-1", "+1", "0", "1073741823"}) {
    Word report = 0;
    if (protocol.read(line, {&report, 1}) != Fault::kNone) continue;
    State one(protocol);
    protocol.count({&report, 1}, one.counters);
    one.users = 1;
    const double said = protocol.mean(one).value;
    least = std::min(least, said), most = std::max(most, said);
  }
  const Number mean = protocol.mean(state);
  require(mean.value >= least - 1e-9 && mean.value <= most + 1e-9,
          "a mean lies among what reports can say");
  require(mean.stderr_ >= 0, "an error bar is no less than nothing");
}

// By inversion: each between what no report and what all reports would say; and where each report
// supports as many values as any other, they sum to 1.
void check_frequencies(const FrequencyProtocol& protocol, const Estimate& estimate) {
  const Constants& c = protocol.constants();
  for (const double each : estimate.distribution)
    require(each >= (0 - c.q) / (c.p - c.q) - 1e-9 && each <= (1 - c.q) / (c.p - c.q) + 1e-9,
            "no value has more reports than there are");
  const double sum =
      std::accumulate(estimate.distribution.begin(), estimate.distribution.end(), 0.0);
  if (c.name == "flat" || c.name == "coins" || c.name == "subset")
    require(std::abs(sum - 1) < 1e-9, "estimates of all values sum to 1");
}

Status estimate(const Protocol& protocol, const State& state, const EstimateOptions& options) {
  Result<Estimate> out = Estimate{};
  if (const auto* mean = dynamic_cast<const MeanProtocol*>(&protocol)) {
    check_mean(*mean, state);
  } else if (const auto* any = dynamic_cast<const ChannelProtocol*>(&protocol)) {
    out = std::visit(
        [&](const auto& each) { return estimate_channel(each, state.counters, options); },
        any->channel());
  } else if (const auto* shape = dynamic_cast<const ShapeProtocol*>(&protocol)) {
    if (auto both = estimate_shape(*shape, state, options); !both) out = forward_error(both);
  } else {
    const auto& frequencies = dynamic_cast<const FrequencyProtocol&>(protocol);
    out = estimate_frequencies(frequencies, state, options);
    if (out && options.method == Method::kInversion) check_frequencies(frequencies, *out);
  }
  if (!out) return forward_error(out);
  return {};
}

Status estimate(const Reports& reports, const State& state, const EstimateOptions& options) {
  if (const auto* records = dynamic_cast<const Records*>(&reports)) {
    auto all = records->estimate(state, options);
    if (!all) return forward_error(all);
    for (std::size_t j = 0; j < all->size() && options.method == Method::kInversion; ++j)
      if ((*all)[j].users > 0) check_frequencies(records->attribute(j), (*all)[j]);
    return {};
  }
  if (const auto* hitters = dynamic_cast<const Hitters*>(&reports)) {
    auto found = find_hitters(*hitters, state, {.top = 1, .candidates = 256, .threads = 1});
    if (!found) return forward_error(found);
    std::uint64_t users = 0;
    for (const HitterLevel& each : found->levels) users += each.users;
    require(users == state.users, "each report is of one level");
    return {};
  }
  return estimate(dynamic_cast<const Protocol&>(reports), state, options);
}

void check_estimate(Reading& reading, const State& state) {
  if (state.users == 0) return;
  reading.estimated.pass();
  for (const Method method : {Method::kInversion, Method::kSimplex, Method::kIbu, Method::kMle}) {
    const Status done = estimate(*reading.reports, state, {.method = method, .rounds = 3});
    if (!done) require_refusal(done.error(), {Code::kUsage, Code::kFailure});
  }
}

void check_state(std::string_view bytes) {
  if (auto plain = State::read("s", bytes); !plain) require_refusal(plain.error(), {Code::kUsage});
  const std::string file = sealed_state(bytes);
  const auto state = State::read("s", file);
  if (!state) return require_refusal(state.error(), {Code::kUsage});
  require(state->serialise() == file, "a state that was read is written the same");
  for (const auto& reading : all_readings()) {
    const Status fits = state->check("s", *reading->reports);
    if (fits)
      check_estimate(*reading, *state);
    else
      require_refusal(fits.error(), {Code::kUsage});
  }
  State twice = *state;
  if (const Status merged = twice.merge(*state); merged) {
    require(state->ids.empty() && state->runs.empty(),
            "neither a client nor a collection is merged with itself");
    require(twice.users == 2 * state->users && twice.rejected() == 2 * state->rejected(),
            "a sum has all reports of both");
  } else {
    require_refusal(merged.error(), {Code::kUsage});
    require(twice.serialise() == file, "a state that can't be merged stays as it was");
  }
  const std::string cut = file.substr(0, file.size() - 1);
  require(!State::read("s", cut), "a cut file is refused");
}

struct Keeping {
  explicit Keeping(std::string_view name) : name(name), opened("a memory of " + this->name) {}
  Longitudinal protocol() const {
    return *Longitudinal::create(name, {.epsilon = 1, .domain = 5}, 2);
  }
  std::string name;
  Waypoint opened;
};

void check_memory(Keeping& keeping, std::string_view bytes) {
  const InFile plain(bytes, "plain");
  if (const auto read = Memory::open(plain.path(), keeping.protocol()); !read)
    require_refusal(read.error(), {Code::kUsage});
  const InFile file(sealed_memory(keeping.protocol(), "", bytes), "memory");
  auto memory = Memory::open(file.path(), keeping.protocol());
  if (!memory) return require_refusal(memory.error(), {Code::kUsage});
  const auto lines = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  require(memory->values() == lines, "each line is a value of its own");
  if (lines > 0) keeping.opened.pass();
  const std::vector<Value> values = {0, 1, 2, 3, 4};
  std::vector<Word> told(values.size() * memory->protocol().protocol().constants().words);
  const Status done = memory->report(values, random::thread_generator(), told);
  require(done.has_value() && memory->values() == values.size(),
          "every value can be reported, whatever is kept already");
}

std::vector<std::unique_ptr<Keeping>>& all_keepings() {
  static std::vector<std::unique_ptr<Keeping>> all = [] {
    std::vector<std::unique_ptr<Keeping>> out;
    for (const char* name : {"flat", "symmetric-unary", "local-hashing"})
      out.push_back(std::make_unique<Keeping>(name));
    return out;
  }();
  return all;
}

}  // namespace

void target(std::string_view bytes) {
  for (const auto& reading : all_readings()) check_reports(*reading->reports, bytes);
  check_state(bytes);
  for (const auto& keeping : all_keepings()) check_memory(*keeping, bytes);
}

}  // namespace discreet::fuzz
