#include "discreet/mechanism/additive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "discreet/base/try.h"
#include "discreet/mechanism/least.h"

namespace discreet::mechanism {
namespace {

constexpr std::size_t kBlock = 2048;  // noise that fits the first-level cache

Integer integer(std::int64_t value) { return Integer(static_cast<long>(value)); }

}  // namespace

Status Additive::add_noise(std::span<std::int64_t> values, random::Source& source) const {
  std::array<std::int64_t, kBlock> noise;
  for (std::size_t at = 0; at < values.size(); at += kBlock) {
    const std::size_t size = std::min(kBlock, values.size() - at);
    TRY(parts_.noise->fill(source, std::span(noise).first(size)));
    if (parts_.range == Range{}) {  // public: the same way for every value
      for (std::size_t i = 0; i < size; ++i)
        values[at + i] = saturating_add(values[at + i], noise[i]);
      continue;
    }
    for (std::size_t i = 0; i < size; ++i) {
      // An exact value outside the range is clamped first, which moves neighbours no further apart.
      const auto [lowest, highest] = parts_.range;
      const std::int64_t value = clamp_select(values[at + i], lowest, highest);
      values[at + i] = clamp_select(saturating_add(value, noise[i]), lowest, highest);
    }
  }
  return {};
}

Status Additive::check_cells(std::size_t found) const {
  if (found == parts_.cells) return {};
  return fail(Code::kUsage,
              fmt::format("release: found {} values; accepted is {}, the number of cells that the "
                          "mechanism was made for",
                          found, parts_.cells));
}

Status Additive::check_real() const {
  if (!parts_.on_grid) return {};
  return fail(Code::kUsage,
              "release: found a real number; this mechanism was made for values on the grid",
              "make it without on_grid: rounding adds to the sensitivity");
}

Margin Additive::margin() const {
  std::call_once(margin_->found, [this] { margin_->error = accuracy(1 - kConfidence); });
  return {margin_->error, kConfidence};
}

Margin Additive::steps_margin() const { return {margin().error / grid().step(), kConfidence}; }

Result<Released<std::int64_t>> Additive::release(const Exact<std::int64_t>& value,
                                                 random::Source& source) const {
  TRY(check_cells(1));
  std::int64_t sum = open(value);
  TRY(add_noise({&sum, 1}, source));
  return Released<std::int64_t>(sum, parts_.guarantee, steps_margin());
}

Result<Released<std::vector<std::int64_t>>> Additive::release(
    Exact<std::vector<std::int64_t>> values, random::Source& source) const {
  std::vector<std::int64_t> sums = take(std::move(values));
  TRY(check_cells(sums.size()));
  TRY(add_noise(sums, source));
  return Released<std::vector<std::int64_t>>(std::move(sums), parts_.guarantee, steps_margin());
}

Result<Released<std::vector<Wide>>> Additive::release(Exact<std::vector<Wide>> values,
                                                      random::Source& source) const {
  std::vector<Wide> sums = take(std::move(values));
  TRY(check_cells(sums.size()));
  if (parts_.range != Range{})
    return fail(Code::kUsage, "release: found a mechanism with a range; wide sums have none",
                "make it without a range");
  constexpr Wide kMost = Wide{1} << 120;
  std::array<std::int64_t, kBlock> noise;
  for (std::size_t at = 0; at < sums.size(); at += kBlock) {
    const std::size_t size = std::min(kBlock, sums.size() - at);
    TRY(parts_.noise->fill(source, std::span(noise).first(size)));
    // Clamped before the noise comes on: neighbours are no further apart, and nothing overflows.
    for (std::size_t i = 0; i < size; ++i)
      sums[at + i] = clamp_select(sums[at + i], -kMost, kMost) + noise[i];
  }
  return Released<std::vector<Wide>>(std::move(sums), parts_.guarantee, steps_margin());
}

Result<Released<Rational>> Additive::release(const Exact<Rational>& value,
                                             random::Source& source) const {
  TRY(check_cells(1));
  TRY(check_real());
  std::int64_t sum = grid().round(open(value));
  TRY(add_noise({&sum, 1}, source));
  return Released<Rational>(grid().at(sum), parts_.guarantee, margin());
}

Result<Released<double>> Additive::release(const Exact<double>& value,
                                           random::Source& source) const {
  TRY(check_cells(1));
  TRY(check_real());
  std::int64_t sum = grid().round(open(value));
  TRY(add_noise({&sum, 1}, source));
  return Released<double>(grid().nearest_double(sum), parts_.guarantee, margin());
}

Result<Released<std::vector<double>>> Additive::release(const Exact<std::vector<double>>& values,
                                                        random::Source& source) const {
  const std::vector<double>& exact = open(values);
  TRY(check_cells(exact.size()));
  TRY(check_real());
  std::vector<std::int64_t> sums;
  sums.reserve(exact.size());
  for (const double value : exact) sums.push_back(grid().round(value));
  TRY(add_noise(sums, source));
  std::vector<double> out;
  out.reserve(sums.size());
  for (const std::int64_t sum : sums) out.push_back(grid().nearest_double(sum));
  return Released<std::vector<double>>(std::move(out), parts_.guarantee, margin());
}

Rational Additive::accuracy(const Rational& beta) const {
  const Range unbounded;
  if (parts_.range == unbounded)
    return Rational(parts_.noise->quantile(beta, parts_.cells)) * grid().step();
  // In a range [a, b] an error beyond m needs room: upward the noise must exceed m and y + m < b.
  // Both sides have room for some y iff b − a ≥ 2m + 2, one side iff b − a ≥ m + 1.
  const Integer width = integer(parts_.range.highest) - integer(parts_.range.lowest);
  const Integer m = least([&](const Integer& candidate, long bits) {
    const Ball one_side = noise().at_least(candidate + 1, bits);
    Ball outside(0);
    if (width >= candidate + 1) outside = one_side;
    if (width >= 2 * candidate + 2) outside = mul(Ball(2), one_side, bits);
    return sub(Ball(beta, bits), any_of(outside, parts_.cells, bits), bits);
  });
  return Rational(m) * grid().step();
}

Ball Additive::probability(std::int64_t value, std::int64_t output, long bits) const {
  const auto [lowest, highest] = parts_.range;
  if (output < lowest || output > highest) return Ball(0);
  const Integer distance = integer(output) - integer(std::clamp(value, lowest, highest));
  if (lowest == highest) return Ball(1);
  if (output == highest) return noise().at_least(distance, bits);
  if (output == lowest) return noise().at_least(-distance, bits);  // P[Z ≤ d] = P[Z ≥ −d]
  return noise().mass(distance, bits);
}

}  // namespace discreet::mechanism
