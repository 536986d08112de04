#include "discreet/local/longitudinal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/local_hashing_family.h"
#include "discreet/local/registry.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

constexpr long kBits = 192;

// (e^x − 1)/(e^x − 1 + k): how surely k-ary randomized response at x keeps. Of two values it is
// tanh(x/2).
Real strength(const Rational& x, std::size_t k) {
  return [x, k](long bits) {
    const Ball more = expm1(Ball(x, bits), bits);
    return div(more, add(more, Ball(static_cast<long>(k)), bits), bits);
  };
}

std::size_t buckets_of(const Constants& constants) {
  for (const auto& [name, value] : constants.own)
    if (name == "g") return static_cast<std::size_t>(value);
  return 0;
}

}  // namespace

Result<Longitudinal> Longitudinal::create(std::string_view protocol, const Parameters& parameters,
                                          const Rational& forever) {
  const bool flat = protocol == "flat" || protocol == "coins", hash = protocol == "local-hashing",
             symmetric = protocol == "symmetric-unary", optimised = protocol == "optimised-unary";
  if (!flat && !hash && !symmetric && !optimised)
    return bad_parameter(
        "permanent",
        fmt::format("found the protocol {}; accepted is coins, flat, symmetric-unary, "
                    "optimised-unary or local-hashing, whose reports can be perturbed once more",
                    quote(protocol)));
  if (forever <= 0 || forever > kMostEpsilon)
    return bad_parameter("permanent",
                         fmt::format("found {}; accepted is a number above 0 and at most {}",
                                     to_decimal(forever), kMostEpsilon));
  const Entry& entry = *TRY(require(protocol));
  auto once = TRY(entry.make(parameters));
  const Constants& c = once->constants();
  Parameters lasting = parameters;
  lasting.epsilon = forever;
  lasting.heads.reset();
  if (hash) lasting.range = buckets_of(c);  // not the best of ε_forever
  auto permanent = TRY(entry.make(lasting));

  Steps steps{.form = flat   ? Form::kNumber
                      : hash ? Form::kHash
                             : Form::kBits,
              .faces = flat   ? c.domain
                       : hash ? buckets_of(c)
                              : 2,
              .keep = {},
              .coin = TRY(random::Bernoulli::create(Rational(1))),
              .bucket = {}};
  const Rational scale = symmetric ? Rational(1, 2) : Rational(1);
  Real each = strength(scale * c.epsilon, steps.faces);
  // a coin that was asked for is what it is, and not what its ε is rounded to
  if (parameters.heads) each = [heads = *parameters.heads](long bits) { return Ball(heads, bits); };
  const Real all = strength(scale * forever, steps.faces);
  if (!surely_less(each(kBits), all(kBits)))
    return bad_parameter("permanent",
                         fmt::format("found {}; accepted is more than the ε of one report, {}",
                                     to_decimal(forever), to_decimal(c.epsilon)),
                         "all reports about a value tell more than one of them");
  steps.keep = [each, all](long bits) { return div(each(bits), all(bits), bits); };
  if (steps.form == Form::kBits)
    steps.coin = TRY(random::Bernoulli::create([keep = steps.keep](long bits) {
      return div(sub(Ball(1), keep(bits), bits), Ball(2), bits);
    }));
  else
    steps.coin = TRY(random::Bernoulli::create(steps.keep));
  if (hash) steps.bucket = TRY(Flat::create({.epsilon = forever, .domain = steps.faces}));
  return Longitudinal(std::move(once), std::move(permanent), forever, std::move(steps));
}

Status Longitudinal::permanent(Value value, std::span<const Word> earlier, random::Source& source,
                               std::span<Word> report) const {
  if (steps_.form != Form::kHash || earlier.empty())
    return permanent_->perturb({&value, 1}, source, report);
  TRY(check_values({&value, 1}, once_->constants().domain));
  const HashFamily family{.range = static_cast<std::uint32_t>(steps_.faces)};
  const Value bucket = family.bucket(family.place(earlier[0], earlier[1], value));
  report[0] = earlier[0];
  report[1] = earlier[1];
  return steps_.bucket->perturb({&bucket, 1}, source, report.subspan(2, 1));
}

// Coin and die are both always thrown.
Status Longitudinal::instant(std::span<const Word> kept, random::Source& source,
                             std::span<Word> report) const {
  std::copy(kept.begin(), kept.end(), report.begin());
  if (steps_.form != Form::kBits) {
    std::int64_t keeps = 0;
    TRY(steps_.coin.fill(source, {&keeps, 1}));
    const std::uint64_t die = TRY(random::uniform_below(source, steps_.faces));
    const Word mask = 0 - static_cast<Word>(keeps);  // all ones where it is kept
    report.back() = (kept.back() & mask) | (static_cast<Word>(die) & ~mask);
    return {};
  }
  const std::size_t bits = once_->constants().domain;
  std::array<std::int64_t, 512> flips;
  for (std::size_t start = 0; start < bits; start += flips.size()) {
    const std::size_t count = std::min(flips.size(), bits - start);
    TRY(steps_.coin.fill(source, std::span(flips).first(count)));
    for (std::size_t i = 0; i < count; ++i)
      report[(start + i) / 32] ^= static_cast<Word>(flips[i]) << ((start + i) % 32);
  }
  return {};
}

bool Longitudinal::fit(std::span<const Word> kept, std::span<const Word> other) const {
  return steps_.form != Form::kHash || (kept[0] == other[0] && kept[1] == other[1]);
}

Ball Longitudinal::permanent_probability(Value value, std::span<const Word> kept, long bits) const {
  return permanent_->probability(value, kept, bits);
}

// (1 − h)/faces for what the die says, and h more for what was kept; of bits, the product.
Ball Longitudinal::instant_probability(std::span<const Word> kept, std::span<const Word> report,
                                       long bits) const {
  const Ball keep = steps_.keep(bits);
  const Ball other = div(sub(Ball(1), keep, bits), Ball(static_cast<long>(steps_.faces)), bits);
  const Ball same = add(keep, other, bits);
  if (steps_.form == Form::kHash && !fit(kept, report)) return Ball(0);
  if (steps_.form != Form::kBits) return kept.back() == report.back() ? same : other;
  Ball product(1);
  for (std::size_t i = 0; i < once_->constants().domain; ++i)
    product =
        mul(product, ((kept[i / 32] ^ report[i / 32]) >> (i % 32) & 1) != 0 ? other : same, bits);
  return product;
}

}  // namespace discreet::local
