// discreet local perturb PROTOCOL …: what the client does, a value a line.
#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/cli/local_client.h"
#include "discreet/cli/local_values.h"
#include "discreet/local/memory.h"
#include "discreet/local/reader.h"
#include "discreet/local/state.h"
#include "discreet/present/progress.h"
#include "discreet/random/generator.h"

namespace discreet::cli {
namespace {

struct Options : ProtocolOptions {
  ClientOptions client;
  std::string lower, upper, permanent, memory;
};

// Longer than any value that can be meant; labels may be longer still.
std::size_t longest_value(const NamedProtocol& named) {
  std::size_t longest = 1000;
  for (const std::string& label : named.labels) longest = std::max(longest, label.size());
  return longest;
}

class ValueClient final : public Client {
 public:
  ValueClient(const local::Protocol& protocol, local::Memory* memory, const ValueReader& reader)
      : protocol_(protocol),
        memory_(memory),
        reader_(reader),
        words_(protocol.constants().words),
        at_once_(std::clamp<std::size_t>(kWordsAtOnce / words_, 1, 512)) {}

  void clear() override {
    values_.clear();
    clamped_ = 0;
  }

  bool read(std::string_view line) override {
    local::Value value = 0;
    if (!reader_.read(line, value, clamped_)) return false;
    values_.push_back(value);
    return true;
  }

  Status perturb(std::string& text) override {
    reports_.resize(words_ * std::min(at_once_, values_.size()));
    for (std::size_t at = 0; at < values_.size(); at += at_once_) {
      const auto values = std::span(values_).subspan(at, std::min(at_once_, values_.size() - at));
      const auto reports = std::span(reports_).first(values.size() * words_);
      TRY(memory_ != nullptr ? memory_->report(values, random::thread_generator(), reports)
                             : protocol_.perturb(values, random::thread_generator(), reports));
      for (std::size_t i = 0; i < values.size(); ++i) {
        protocol_.write(std::span(reports_).subspan(i * words_, words_), text);
        text += '\n';
      }
    }
    return {};
  }

  std::uint64_t beyond() const override { return clamped_; }

  Error refuse(const std::string& place, std::uint64_t line,
               std::string_view found) const override {
    return reader_.refuse(place, line, found);
  }

 private:
  static constexpr std::size_t kWordsAtOnce = 1 << 18;  // a megabyte
  const local::Protocol& protocol_;
  local::Memory* memory_;  // null: values are of many clients
  const ValueReader& reader_;
  std::size_t words_, at_once_;
  std::vector<local::Value> values_;
  std::vector<local::Word> reports_;
  std::uint64_t clamped_ = 0;
};

// --permanent and --memory: what a client that reports again and again keeps.
Result<std::optional<local::Memory>> open_memory(const Options& options,
                                                 const NamedProtocol& named) {
  if (options.permanent.empty() && options.memory.empty()) return std::nullopt;
  if (options.permanent.empty())
    return bad_parameter("permanent",
                         "none was given; accepted is the ε of all reports about a value, above "
                         "that of one",
                         advise("permanent", "2"));
  if (options.memory.empty())
    return bad_parameter("memory", "none was given; accepted is the file that this client keeps",
                         advise("memory", "client.memory"));
  const Rational forever = TRY(read_report_epsilon(options.permanent, "permanent"));
  auto protocol =
      TRY(local::Longitudinal::create(named.protocol->constants().name, named.parameters, forever));
  return TRY(
      local::Memory::open(options.memory, std::move(protocol), local::fingerprint(named.labels)));
}

// Bounds that nobody gave and most numbers are outside of were forgotten. A client with a few
// numbers of its own reports whatever they are: that it sends nothing would tell what they are.
Status judge_bounds(const Scale& scale, const Told& told) {
  constexpr std::uint64_t kSeveralPeople = 20;
  if (scale.given || told.lines < kSeveralPeople || 2 * told.beyond <= told.lines) return {};
  return bad_parameter(
      "lower",
      fmt::format("none was given, and {} of {} numbers are outside of "
                  "{} to {}, which is taken then; accepted are the "
                  "least and the greatest number there may be",
                  present::with_commas(told.beyond), present::with_commas(told.lines),
                  to_text(scale.lower), to_text(scale.upper)),
      "did you forget --lower and --upper?");
}

Status perturb(const Options& options) {
  const NamedProtocol named = TRY(make_protocol(options));
  const Scale scale =
      TRY(read_scale(named.protocol->constants().task, options.lower, options.upper));
  const ValueReader reader(named, scale);
  auto memory = TRY(open_memory(options, named));
  local::Memory* const kept = memory ? &*memory : nullptr;
  const std::size_t threads = memory ? 1 : 0;  // a memory is one client's, and in order
  const Told told = TRY(run_clients(
      options.client, {.in = longest_value(named), .out = local::longest_report(*named.protocol)},
      [&] { return std::make_unique<ValueClient>(*named.protocol, kept, reader); }, threads,
      [&](const Told& so_far) { return judge_bounds(scale, so_far); }));
  if (told.beyond > 0)
    fmt::print(stderr,
               "discreet: {} of {} numbers were outside {} to {} and were moved to its end\n",
               present::with_commas(told.beyond), present::with_commas(told.lines),
               to_text(scale.lower), to_text(scale.upper));
  return {};
}

}  // namespace

void add_local_perturb(CLI::App& area, Action& chosen) {
  CLI::App* verb =
      add_verb(area, "perturb", "what the client does: a value a line in, a report a line out",
               "discreet local perturb flat --epsilon 1 --domain 16 -i values.txt -o reports.txt");
  auto options = std::make_shared<Options>();
  add_protocol_options(*verb, *options);
  add_scale_options(*verb, options->lower, options->upper);
  add_client_options(*verb, options->client, "the values");
  verb->add_option(
      "--permanent", options->permanent,
      "ε of all reports about one value together: they are drawn from one that is kept");
  verb->add_option("--memory", options->memory,
                   "the file where this client keeps them, private; all values are this client's");
  verb->callback([options, &chosen] { chosen = [options] { return perturb(*options); }; });
}

}  // namespace discreet::cli
