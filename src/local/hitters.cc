#include "discreet/local/hitters.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/pure.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

constexpr long kBits = 128;
constexpr std::size_t kWords = 6;

std::uint64_t joined(Word low, Word high) { return low | (std::uint64_t{high} << 32); }

}  // namespace

// (e^ε + u)²/u with u = g − 1 is least at u = e^ε; of the whole numbers around it the lower one, u,
// is at least as good where e^2ε ≤ u(u + 1).
std::size_t best_buckets(const Rational& epsilon) {
  constexpr double kMost = 0x1p30;
  const double e = exp(Ball(epsilon, kBits), kBits).middle();
  if (e >= kMost - 1) return static_cast<std::size_t>(kMost);
  const double u = std::floor(e);
  return static_cast<std::size_t>(e * e <= u * (u + 1) ? u : u + 1) + 1;
}

Result<std::unique_ptr<Hitters>> Hitters::create(const HitterParameters& parameters) {
  const Rational epsilon = TRY(checked_epsilon({.epsilon = parameters.epsilon}));
  if (parameters.bytes < 1 || parameters.bytes > kMostBytes)
    return bad_parameter(
        "bytes", fmt::format("found {}; accepted are 1 to {}", parameters.bytes, kMostBytes));
  auto flat = TRY(Flat::create({.epsilon = epsilon, .domain = best_buckets(epsilon)}));
  return std::unique_ptr<Hitters>(new Hitters(std::move(flat), parameters.bytes));
}

Hitters::Hitters(std::unique_ptr<const Flat> flat, std::size_t bytes)
    : flat_(std::move(flat)), bytes_(bytes) {
  const Constants& inner = flat_->constants();
  const auto g = static_cast<double>(inner.domain);
  constants_ = {.name = "hitters",
                .epsilon = inner.epsilon,
                .domain = 0,
                .p = inner.p,
                .q = 1 / g,
                .variance = (1 / g) * (1 - 1 / g) / ((inner.p - 1 / g) * (inner.p - 1 / g)),
                .bits = std::log2(static_cast<double>(bytes)) + 2 * 61 + inner.bits,
                .words = kWords,
                .counters = bytes,
                .own = {{"bytes", static_cast<double>(bytes)}, {"g", g}}};
}

HitterReport Hitters::unpack(std::span<const Word> report) {
  return {.level = report[0],
          .hash = {.a = joined(report[1], report[2]), .b = joined(report[3], report[4])},
          .bucket = report[5]};
}

void Hitters::pack(const HitterReport& from, std::span<Word> report) {
  report[0] = static_cast<Word>(from.level);
  report[1] = static_cast<Word>(from.hash.a);
  report[2] = static_cast<Word>(from.hash.a >> 32);
  report[3] = static_cast<Word>(from.hash.b);
  report[4] = static_cast<Word>(from.hash.b >> 32);
  report[5] = from.bucket;
}

Status Hitters::perturb(std::span<const std::string_view> words, random::Source& source,
                        std::span<Word> reports) const {
  constexpr std::size_t kBlock = 512;
  std::vector<PaddedWord> inner;
  inner.reserve(words.size());
  for (const std::string_view word : words) inner.push_back(TRY(padded(word, bytes_)));
  std::array<std::uint64_t, kBlock> levels, a, b;
  std::array<Value, kBlock> buckets;
  std::array<Word, kBlock> told;
  for (std::size_t start = 0; start < words.size(); start += kBlock) {
    const std::size_t count = std::min(kBlock, words.size() - start);
    TRY(random::fill_uniform_below(source, bytes_, std::span(levels).first(count)));
    TRY(random::fill_uniform_below(source, kField, std::span(a).first(count)));
    TRY(random::fill_uniform_below(source, kField, std::span(b).first(count)));
    for (std::size_t i = 0; i < count; ++i)
      buckets[i] = static_cast<Value>(PrefixHash{a[i], b[i]}.bucket(
          fingerprint(inner[start + i], levels[i] + 1), this->buckets()));
    TRY(flat_->perturb(std::span(buckets).first(count), source, std::span(told).first(count)));
    for (std::size_t i = 0; i < count; ++i)
      pack({.level = levels[i], .hash = {a[i], b[i]}, .bucket = told[i]},
           reports.subspan((start + i) * kWords, kWords));
  }
  return {};
}

void Hitters::write(std::span<const Word> report, std::string& line) const {
  const HitterReport r = unpack(report);
  fmt::format_to(std::back_inserter(line), FMT_COMPILE("{} {} {} {}"), r.level, r.hash.a, r.hash.b,
                 r.bucket);
}

Fault Hitters::read(std::string_view line, std::span<Word> report) const {
  std::array<std::uint64_t, 4> parts;
  const std::array<std::uint64_t, 4> ends = {bytes_, kField, kField, buckets()};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end = line.find(' ');
    const Fault fault = read_whole(line.substr(0, end), ends[i], parts[i]);
    if (fault == Fault::kMalformed) return fault;
    if ((end == std::string_view::npos) != (i + 1 == parts.size())) return Fault::kWrongLength;
    if (fault != Fault::kNone) return fault;
    line.remove_prefix(std::min(line.size(), end + (end != std::string_view::npos)));
  }
  pack({.level = parts[0], .hash = {parts[1], parts[2]}, .bucket = static_cast<Word>(parts[3])},
       report);
  return Fault::kNone;
}

void Hitters::count(std::span<const Word> reports, std::span<std::uint64_t> counters) const {
  for (std::size_t at = 0; at < reports.size(); at += kWords) ++counters[reports[at]];
}

bool Hitters::fits(std::span<const std::uint64_t> counters, std::uint64_t users) const {
  return sum_to(counters, users);
}

Ball Hitters::probability(const PaddedWord& word, const HitterReport& report, long bits) const {
  const std::uint64_t bucket = report.hash.bucket(fingerprint(word, report.level + 1), buckets());
  return flat_->probability(static_cast<Value>(bucket), {&report.bucket, 1}, bits);
}

}  // namespace discreet::local
