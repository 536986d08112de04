#include "discreet/mechanism/partition_selection.h"

#include <algorithm>

#include "discreet/base/ball.h"
#include "discreet/base/try.h"
#include "discreet/mechanism/checks.h"

namespace discreet::mechanism {
namespace {

constexpr unsigned kBits = 128;
// Half a second's work. Groups of more units are kept as likely as those of so many: that matters
// where ε and δ are so small that a group of as many is hardly ever kept.
constexpr std::size_t kLongest = 300'000;

Rational at(const Integer& scaled) {
  Rational out(scaled, Integer(1) << kBits);
  out.canonicalize();
  return out;
}

Rational rounded_down(const Rational& value) {
  return at(Integer((value.get_num() << kBits) / value.get_den()));
}

}  // namespace

Result<PartitionSelection> PartitionSelection::create(
    const PartitionSelectionParameters& parameters) {
  TRY(check_epsilon(parameters.epsilon));
  TRY(check_delta(parameters.delta));
  // Beyond ε = 64 nothing changes that 128 bits could show.
  const Rational epsilon = std::min<Rational>(parameters.epsilon, 64);
  const Rational up = at(exp(Ball(epsilon, 2 * kBits), 2 * kBits).floor_shifted(kBits));  // ≤ e^ε
  const Rational down =
      at(exp(Ball(-epsilon, 2 * kBits), 2 * kBits).ceil_shifted(kBits));  // ≥ e^−ε
  std::vector<Rational> table = {0};
  while (table.back() < 1 && table.size() < kLongest) {
    const Rational& last = table.back();
    Rational next =
        std::min<Rational>(up * last + parameters.delta, 1 - down * (1 - last - parameters.delta));
    next = std::max<Rational>(last, rounded_down(std::min<Rational>(next, 1)));
    if (next == last) break;  // as far as 128 bits reach
    table.push_back(next);
  }
  return PartitionSelection(parameters, std::move(table));
}

const Rational& PartitionSelection::probability(std::int64_t units) const {
  const std::int64_t n = std::max<std::int64_t>(0, units);
  return table_[std::min<std::size_t>(static_cast<std::size_t>(n), table_.size() - 1)];
}

std::int64_t PartitionSelection::units_for(const Rational& probability) const {
  std::size_t n = 0;
  while (n + 1 < table_.size() && table_[n] < probability) ++n;
  return static_cast<std::int64_t>(n);
}

}  // namespace discreet::mechanism
