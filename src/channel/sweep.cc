#include "discreet/channel/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"

namespace discreet::channel {
namespace {

using Long = long double;
constexpr Long kSeen = 0x1p-1000L;
static_assert(std::numeric_limits<Long>::digits >= 64);

Status check(std::size_t size, const std::vector<double>& prior, const Gain& gain) {
  TRY(check_size(size));
  if (prior.size() != size || gain.size() != size) {
    return fail(
        Code::kUsage,
        fmt::format("a prior over {} and a gain over {} inputs; accepted are {}, as many as "
                    "the channel has",
                    prior.size(), gain.size(), size));
  }
  if (gain.kind() == Gain::Kind::kTable ||
      (gain.kind() == Gain::Kind::kDistance && !gain.is_path()))
    return fail(Code::kUsage, "a structured channel takes the gains identity and distance");
  return {};
}

// `sizes` is the sum of the sizes of all terms that went into `sum`.
Swept finish(Long sum, Long sizes, std::size_t n, std::vector<std::uint32_t> remap) {
  const Long error = sizes * (0x1p-51L + static_cast<Long>(8 * n + 64) * 0x1p-64L) +
                     static_cast<Long>(n) * static_cast<Long>(n) * 0x1p-999L;
  const auto low = static_cast<double>(sum - error), high = static_cast<double>(sum + error);
  return {std::nextafter(low, -HUGE_VAL), std::nextafter(high, HUGE_VAL), std::move(remap)};
}

// The first 64 bits of a rational number: two doubles' worth.
Long in_long(const Rational& value) {
  const double high = to_double(value);
  if (!std::isfinite(high)) return high;
  return static_cast<Long>(high) + static_cast<Long>(to_double(value - Rational(high)));
}

class Powers {  // α^k
 public:
  explicit Powers(Long alpha) : alpha_(alpha) {}
  Long operator()(std::size_t k) const { return powl(alpha_, static_cast<Long>(k)); }

 private:
  Long alpha_;
};

// Outputs whose weights are all below what a number can hold take the guess of the nearest output
// that has weights.
void fill_unseen(std::vector<std::uint32_t>& remap, const std::vector<bool>& seen) {
  const std::size_t n = remap.size();
  std::size_t last = n;
  for (std::size_t z = 0; z < n; ++z) {
    if (seen[z]) {
      for (std::size_t k = last == n ? 0 : last + 1 + (z - last) / 2; k < z; ++k)
        remap[k] = remap[z];
      last = z;
    } else if (last != n) {
      remap[z] = remap[last];
    }
  }
}

Swept geometric_identity(const std::vector<double>& prior, Long alpha, Long end, Long inside) {
  const std::size_t n = prior.size();
  std::vector<std::uint32_t> remap(n);
  std::vector<bool> seen(n);
  std::vector<Long> best(n);
  Long value = 0;
  std::uint32_t at = 0;
  for (std::size_t z = 0; z < n; ++z) {  // from the left
    value *= alpha;
    if (prior[z] >= value) value = prior[z], at = static_cast<std::uint32_t>(z);
    best[z] = value, remap[z] = at;
  }
  value = 0;
  Long sum = 0;
  for (std::size_t z = n; z-- > 0;) {  // from the right
    value *= alpha;
    if (prior[z] >= value) value = prior[z], at = static_cast<std::uint32_t>(z);
    if (value > best[z]) best[z] = value, remap[z] = at;
    seen[z] = best[z] > kSeen;
    sum += best[z] * (n == 1 ? 1 : z == 0 || z + 1 == n ? end : inside);
  }
  fill_unseen(remap, seen);
  return finish(sum, sum, n, std::move(remap));
}

Swept geometric_distance(const std::vector<double>& prior, Long alpha, Long end, Long inside) {
  const std::size_t n = prior.size();
  const Powers power(alpha);
  // left(w) = Σ_{y≤w} π(y)α^(w−y) and right(w) = Σ_{y>w} π(y)α^(y−w), with their first moments.
  std::vector<Long> left(n), left_moment(n), right(n), right_moment(n);
  for (std::size_t w = 0; w < n; ++w) {
    left[w] = prior[w] + (w > 0 ? alpha * left[w - 1] : 0);
    left_moment[w] = w > 0 ? alpha * (left_moment[w - 1] + left[w - 1]) : 0;
  }
  for (std::size_t w = n - 1; w-- > 0;) {
    right[w] = alpha * (prior[w + 1] + right[w + 1]);
    right_moment[w] = alpha * (right_moment[w + 1] + right[w + 1] + prior[w + 1]);
  }
  std::vector<std::uint32_t> remap(n);
  std::vector<bool> seen(n);
  Long sum = 0, sizes = 0;
  std::size_t r = 0;
  for (std::size_t z = 0; z < n; ++z) {
    const Long total = left[z] + right[z];
    const auto up_to = [&](std::size_t w) {
      return w <= z ? power(z - w) * left[w] : total - power(w - z) * right[w];
    };
    seen[z] = total > kSeen;
    if (!seen[z]) continue;
    while (r + 1 < n && up_to(r) < total / 2) ++r;
    remap[z] = static_cast<std::uint32_t>(r);
    Long parts[4];
    const auto apart = static_cast<Long>(r <= z ? z - r : r - z);
    parts[0] = apart * total;
    parts[1] = 2 * power(r <= z ? z - r : r - z) * (r <= z ? left_moment[r] : right_moment[r]);
    parts[2] = r <= z ? -left_moment[z] : left_moment[z];
    parts[3] = r <= z ? right_moment[z] : -right_moment[z];
    const Long weight = n == 1 ? 1 : z == 0 || z + 1 == n ? end : inside;
    for (const Long part : parts) sum -= weight * part, sizes += weight * std::abs(part);
  }
  fill_unseen(remap, seen);
  return finish(sum, sizes, n, std::move(remap));
}

Swept flat_identity(const std::vector<double>& prior, Long ratio, Long share) {
  const std::size_t n = prior.size();
  std::size_t first = 0, second = n;  // the two largest
  for (std::size_t y = 1; y < n; ++y) {
    if (prior[y] > prior[first]) {
      second = first, first = y;
    } else if (second == n || prior[y] > prior[second]) {
      second = y;
    }
  }
  std::vector<std::uint32_t> remap(n);
  Long sum = 0;
  for (std::size_t z = 0; z < n; ++z) {
    const std::size_t other = z == first ? second : first;
    const Long mine = ratio * prior[z], theirs = other == n ? 0 : static_cast<Long>(prior[other]);
    remap[z] = static_cast<std::uint32_t>(mine >= theirs ? z : other);
    sum += share * std::max(mine, theirs);
  }
  return finish(sum, sum, n, std::move(remap));
}

Swept flat_distance(const std::vector<double>& prior, Long ratio, Long share) {
  const std::size_t n = prior.size();
  std::vector<Long> mass(n), moment(n);
  for (std::size_t y = 0; y < n; ++y) {
    mass[y] = prior[y] + (y > 0 ? mass[y - 1] : 0);
    moment[y] = static_cast<Long>(y) * prior[y] + (y > 0 ? moment[y - 1] : 0);
  }
  const Long all = mass[n - 1], all_moment = moment[n - 1];
  std::vector<std::uint32_t> remap(n);
  Long sum = 0, sizes = 0;
  for (std::size_t z = 0; z < n; ++z) {
    const Long extra = (ratio - 1) * prior[z], half = (all + extra) / 2;
    const auto begin = mass.begin(), here = begin + static_cast<std::ptrdiff_t>(z);
    auto found = z > 0 && mass[z - 1] >= half ? std::lower_bound(begin, here, half)
                                              : std::lower_bound(here, mass.end(), half - extra);
    if (found == mass.end()) --found;
    const auto w = static_cast<std::size_t>(found - begin);
    remap[z] = static_cast<std::uint32_t>(w);
    const auto place = static_cast<Long>(w), apart = static_cast<Long>(w < z ? z - w : w - z);
    const Long parts[] = {place * mass[w], -moment[w], all_moment - moment[w],
                          -place * (all - mass[w]), extra * apart};
    for (const Long part : parts) sum -= share * part, sizes += share * std::abs(part);
    sizes += share * (all_moment + place * all);  // what cancelled in the differences
  }
  return finish(sum, sizes, n, std::move(remap));
}

}  // namespace

Result<Swept> sweep_utility(const TruncatedGeometric& channel, const std::vector<double>& prior,
                            const Gain& gain) {
  TRY(check(channel.size, prior, gain));
  const Long alpha = in_long(channel.alpha()), end = 1 / (1 + alpha),
             inside = in_long((1 - channel.alpha()) / (1 + channel.alpha()));
  return gain.kind() == Gain::Kind::kIdentity ? geometric_identity(prior, alpha, end, inside)
                                              : geometric_distance(prior, alpha, end, inside);
}

Result<Swept> sweep_utility(const Flat& channel, const std::vector<double>& prior,
                            const Gain& gain) {
  TRY(check(channel.size, prior, gain));
  const Long ratio = in_long(channel.ratio.lower),
             share = 1 / (ratio + static_cast<Long>(channel.size - 1));
  return gain.kind() == Gain::Kind::kIdentity ? flat_identity(prior, ratio, share)
                                              : flat_distance(prior, ratio, share);
}

}  // namespace discreet::channel
