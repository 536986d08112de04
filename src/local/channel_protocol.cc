#include "discreet/local/channel_protocol.h"

#include <fmt/compile.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "discreet/base/digest.h"
#include "discreet/base/try.h"
#include "discreet/channel/epsilon.h"
#include "discreet/channel/graph.h"
#include "discreet/local/checks.h"
#include "discreet/local/pure.h"
#include "discreet/random/lazy_uniform.h"

namespace discreet::local {
namespace {

struct Extent {
  std::size_t inputs, outputs;
};

Extent extent_of(const AnyChannel& any) {
  if (const auto* dense = std::get_if<channel::Channel>(&any))
    return {dense->rows(), dense->columns()};
  if (const auto* flat = std::get_if<channel::Flat>(&any)) return {flat->size, flat->size};
  const std::size_t size = std::get<channel::TruncatedGeometric>(any).size;
  return {size, size};
}

Result<channel::Loss> loss_of(const AnyChannel& any) {
  const channel::Graph graph = TRY(channel::Graph::complete(extent_of(any).inputs));
  return std::visit([&](const auto& each) { return channel::epsilon_of(each, graph); }, any);
}

// The rows that a client draws from; none where they are too many to write down.
Result<std::optional<channel::Channel>> rows_of(const AnyChannel& any) {
  const Extent extent = extent_of(any);
  if (const auto* dense = std::get_if<channel::Channel>(&any)) return *dense;
  if (extent.inputs > channel::Channel::kMostEntries / extent.outputs) return std::nullopt;
  if (const auto* flat = std::get_if<channel::Flat>(&any)) return TRY(channel::writable(*flat));
  return TRY(channel::writable(std::get<channel::TruncatedGeometric>(any)));
}

// 48 bits of a hash, which a double holds: states of different channels differ in it.
double fingerprint(const AnyChannel& any) {
  std::string text =
      fmt::format("{} {} {}\n", any.index(), extent_of(any).inputs, extent_of(any).outputs);
  if (const auto* dense = std::get_if<channel::Channel>(&any)) {
    for (std::size_t y = 0; y < dense->rows(); ++y)
      for (const Rational& p : dense->row(y)) text += p.get_str() + ",";
  } else if (const auto* flat = std::get_if<channel::Flat>(&any)) {
    text += flat->ratio.lower.get_str();
  } else {
    text += std::get<channel::TruncatedGeometric>(any).ratio.lower.get_str();
  }
  const Digest digest = sha256(text);
  double out = 0;
  for (std::size_t i = 0; i < 6; ++i) out = out * 256 + digest[i];
  return out;
}

// ⌊2^64·F⌋ of every row, but for the last column, whose F is 1.
std::vector<std::uint64_t> thresholds_of(const channel::Channel& dense) {
  std::vector<std::uint64_t> out;
  out.reserve(dense.rows() * (dense.columns() - 1));
  for (std::size_t y = 0; y < dense.rows(); ++y) {
    Rational sum = 0;
    for (std::size_t z = 0; z + 1 < dense.columns(); ++z) {
      sum += dense.at(y, z);
      const Integer floor = (sum.get_num() << 64) / sum.get_den();
      // where F is 1 already, no word but the greatest gets past, and that one is looked at closely
      out.push_back(floor >> 64 != 0 ? std::numeric_limits<std::uint64_t>::max() : floor.get_ui());
    }
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<ChannelProtocol>> ChannelProtocol::create(AnyChannel channel) {
  const Extent extent = extent_of(channel);
  if (extent.inputs < 2 || extent.outputs < 2)
    return bad_parameter("channel", fmt::format("found {} inputs and {} outputs; accepted are two "
                                                "of each at least",
                                                extent.inputs, extent.outputs));
  const channel::Loss loss = TRY(loss_of(channel));
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Constants constants{.name = "channel",
                      .epsilon = 0,
                      .domain = extent.inputs,
                      .p = kNone,
                      .q = kNone,
                      .variance = kNone,
                      .bits = std::log2(static_cast<double>(extent.outputs)),
                      .counters = extent.outputs,
                      .own = {{"outputs", static_cast<double>(extent.outputs)},
                              {"fingerprint", fingerprint(channel)}}};
  if (!loss.infinite)
    constants.epsilon = TRY(
        parse_number(fmt::format("{}*ln({})", loss.power, loss.ratio.get_str()), Rounding::kUp));
  std::unique_ptr<ChannelProtocol> out(
      new ChannelProtocol(std::move(channel), std::move(constants), !loss.infinite));
  out->rows_ = TRY(rows_of(out->channel_));
  if (out->rows_) out->thresholds_ = thresholds_of(*out->rows_);
  return out;
}

Result<Word> ChannelProtocol::pick(Value value, std::uint64_t word, random::Source& source) const {
  const std::size_t between = constants_.counters - 1;
  const std::span<const std::uint64_t> row =
      std::span(thresholds_).subspan(value * between, between);
  // how many thresholds are at most `word`, in a number of steps that is the same for all rows
  std::size_t below = 0;
  for (std::size_t step = std::bit_floor(between); step > 0; step >>= 1) {
    const std::size_t next = std::min(below + step, between);
    const std::size_t mask = 0 - static_cast<std::size_t>(row[next - 1] <= word);
    below = (next & mask) | (below & ~mask);
  }
  std::size_t first = below;
  while (first > 0 && row[first - 1] == word) --first;
  if (first == below) return static_cast<Word>(below);
  random::LazyUniform uniform(word);
  for (std::size_t z = first; z < below; ++z) {
    Rational sum = 0;
    for (std::size_t i = 0; i <= z; ++i) sum += rows_->at(value, i);
    if (sum == 1 || TRY(random::falls_below(source, uniform, [&sum](long bits) -> Result<Ball> {
          return Ball(sum, bits);
        })))
      return static_cast<Word>(z);
  }
  return static_cast<Word>(below);
}

Status ChannelProtocol::perturb(std::span<const Value> values, random::Source& source,
                                std::span<Word> reports) const {
  TRY(check_values(values, constants_.domain));
  if (!private_)
    return bad_parameter("channel",
                         "found one with an output that some values give and others never do; "
                         "accepted is one with a finite ε");
  if (!rows_)
    return bad_parameter("channel", fmt::format("found {} inputs and {} outputs; accepted are {} "
                                                "probabilities at most",
                                                constants_.domain, constants_.counters,
                                                channel::Channel::kMostEntries));
  std::array<std::uint64_t, 512> words;
  for (std::size_t start = 0; start < values.size(); start += words.size()) {
    const std::size_t count = std::min(words.size(), values.size() - start);
    TRY(source.fill(std::span(words).first(count)));
    for (std::size_t i = 0; i < count; ++i)
      reports[start + i] = TRY(pick(values[start + i], words[i], source));
  }
  return {};
}

void ChannelProtocol::write(std::span<const Word> report, std::string& line) const {
  fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}"), report[0]);
}

Fault ChannelProtocol::read(std::string_view line, std::span<Word> report) const {
  return read_index(line, constants_.counters, report[0]);
}

void ChannelProtocol::count(std::span<const Word> reports,
                            std::span<std::uint64_t> counters) const {
  for (const Word report : reports) ++counters[report];
}

bool ChannelProtocol::fits(std::span<const std::uint64_t> counters, std::uint64_t users) const {
  return sum_to(counters, users);
}

Ball ChannelProtocol::probability(Value value, std::span<const Word> report, long bits) const {
  if (rows_) return {rows_->at(value, report[0]), bits};
  return std::visit([&](const auto& each) { return Ball(each.at(value, report[0]), bits); },
                    channel_);
}

Result<std::vector<Word>> ChannelProtocol::outcomes() const {
  return first_numbers(constants_.counters);
}

}  // namespace discreet::local
