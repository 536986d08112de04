// Any channel (channel/channel.h) as a protocol of the local model: the client who holds y says z
// with probability C[y][z], exactly; the collector counts outputs.
//
//   #include "discreet/random/generator.h"
//   const Rational high(3, 4), low(1, 4);
//   auto coin = *ChannelProtocol::create(
//       *channel::Channel::create(2, 2, {high, low, low, high}));
//   const Value truth = 1;
//   Word told = 0;
//   Status done = coin->perturb({&truth, 1}, random::thread_generator(), {&told, 1});
//
// A uniform 64-bit word is compared with ⌊2^64·F⌋ for the row's sums F = C[y][0] + … + C[y][z];
// where it equals one (probability columns·2^-64 at most) more digits of the uniform number are
// drawn until it is decided. The number of comparisons is the same for every row; but it is the
// value's row that is read, so whoever shares the client's processor caches may see which.
//
// What is proved: any value may be swapped for any other, so ε is that of the channel over the
// complete graph, exactly (channel/epsilon.h). A channel that tells two values apart for sure has
// none, and no client is asked to use it; reports of it can be estimated all the same.
#pragma once

#include <variant>

#include "discreet/channel/channel.h"
#include "discreet/channel/structured.h"
#include "discreet/local/protocol.h"

namespace discreet::local {

using AnyChannel = std::variant<channel::Channel, channel::TruncatedGeometric, channel::Flat>;

class ChannelProtocol final : public Protocol {
 public:
  static Result<std::unique_ptr<ChannelProtocol>> create(AnyChannel channel);

  const AnyChannel& channel() const { return channel_; }
  bool is_private() const { return private_; }

  const Constants& constants() const override { return constants_; }
  Status perturb(std::span<const Value> values, random::Source& source,
                 std::span<Word> reports) const override;
  void write(std::span<const Word> report, std::string& line) const override;
  Fault read(std::string_view line, std::span<Word> report) const override;
  void count(std::span<const Word> reports, std::span<std::uint64_t> counters) const override;
  bool fits(std::span<const std::uint64_t> counters, std::uint64_t users) const override;
  Ball probability(Value value, std::span<const Word> report, long bits) const override;
  Result<std::vector<Word>> outcomes() const override;

 private:
  ChannelProtocol(AnyChannel channel, Constants constants, bool is_private)
      : channel_(std::move(channel)), constants_(std::move(constants)), private_(is_private) {}
  Result<Word> pick(Value value, std::uint64_t word, random::Source& source) const;

  AnyChannel channel_;
  Constants constants_;
  bool private_;
  // Written out, unless it is a formula with too many entries for that. The formula's entries may
  // have been rounded within its ε (channel/structured.h, writable).
  std::optional<channel::Channel> rows_;
  std::vector<std::uint64_t> thresholds_;  // ⌊2^64·F⌋ for all but the last column, row by row
};

}  // namespace discreet::local
