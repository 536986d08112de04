// Reports and states of every protocol of the local model: any bytes as lines of reports, and as
// what stands in a state file between its first line and its checksum.
#include <openssl/sha.h>

#include <algorithm>

#include "discreet/local/channel_protocol.h"
#include "discreet/local/estimate_channel.h"
#include "discreet/local/numeric_shape.h"
#include "discreet/local/reader.h"
#include "discreet/local/registry.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

using namespace local;

const std::vector<ProtocolPointer>& protocols() {
  static const std::vector<ProtocolPointer> all = [] {
    std::vector<ProtocolPointer> out;
    for (const Entry& entry : registry()) {
      Parameters parameters{.domain = 5};
      if (entry.name != "coins") parameters.epsilon = 1;
      out.push_back(*entry.make(parameters));
    }
    const Rational high(3, 4), low(1, 4);
    out.push_back(
        *ChannelProtocol::create(*channel::Channel::create(2, 2, {high, low, low, high})));
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

State read_all(const Protocol& protocol, std::string_view text, std::size_t step,
               ReaderOptions options) {
  Reader reader(protocol, options);
  const Status read = reader.add(
      [inner = from_text(text), step](std::span<char> to) { return inner(to.first(step)); });
  require(read.has_value(), "whatever the lines hold, they can be read");
  return reader.finish();
}

void check_reports(const Protocol& protocol, std::string_view bytes) {
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

void check_estimate(const Protocol& protocol, const State& state) {
  if (state.users == 0) return;
  EstimateOptions options{.rounds = 3};
  for (const Method method : {Method::kInversion, Method::kSimplex, Method::kIbu, Method::kMle}) {
    options.method = method;
    Result<Estimate> estimate = Estimate{};
    if (const auto* mean = dynamic_cast<const MeanProtocol*>(&protocol)) {
      (void)mean->mean(state);
      return;
    }
    if (const auto* any = dynamic_cast<const ChannelProtocol*>(&protocol)) {
      estimate = std::visit(
          [&](const auto& each) { return estimate_channel(each, state.counters, options); },
          any->channel());
    } else if (const auto* shape = dynamic_cast<const ShapeProtocol*>(&protocol)) {
      auto both = estimate_shape(*shape, state, options);
      if (!both) estimate = forward_error(both);
    } else {
      estimate =
          estimate_frequencies(dynamic_cast<const FrequencyProtocol&>(protocol), state, options);
    }
    if (!estimate) require_refusal(estimate.error(), {Code::kUsage, Code::kFailure});
  }
}

// The bytes with the first line and the checksum that they would have in a file.
std::string sealed(std::string_view bytes) {
  std::string out = "discreet local state 1\n" + std::string(bytes);
  std::string sum(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(out.data()), out.size(),
         reinterpret_cast<unsigned char*>(sum.data()));
  return out + sum;
}

void check_state(std::string_view bytes) {
  if (auto plain = State::read("s", bytes); !plain) require_refusal(plain.error(), {Code::kUsage});
  const std::string file = sealed(bytes);
  const auto state = State::read("s", file);
  if (!state) return require_refusal(state.error(), {Code::kUsage});
  require(state->serialise() == file, "a state that was read is written the same");
  for (const auto& protocol : protocols()) {
    const Status fits = state->check("s", *protocol);
    if (fits)
      check_estimate(*protocol, *state);
    else
      require_refusal(fits.error(), {Code::kUsage});
  }
  State twice = *state;
  if (twice.merge(*state)) require(state->ids.empty(), "no client is merged with itself");
  std::string cut = file.substr(0, file.size() - 1);
  require(!State::read("s", cut), "a cut file is refused");
}

}  // namespace

void target(std::string_view bytes) {
  for (const auto& protocol : protocols()) check_reports(*protocol, bytes);
  check_state(bytes);
}

}  // namespace discreet::fuzz
