#include "discreet/local/subset.h"

#include <fmt/compile.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/pure.h"
#include "discreet/local/support_likelihood.h"
#include "discreet/random/uniform.h"
#include "discreet/random/wide.h"

namespace discreet::local {
namespace {

// 1 − p is e^−ε or so, down to 2^−722 at ε = 500: it must survive the subtraction.
constexpr long kBits = 1024;
constexpr std::size_t kBatch = 256;

// ωe^ε/(ωe^ε + d − ω), as 1/(1 + (d − ω)/(ωe^ε))
Ball inclusion(const Rational& epsilon, long domain, long size, long bits) {
  const Ball odds =
      div(Ball(domain - size), mul(Ball(size), exp(Ball(epsilon, bits), bits), bits), bits);
  return div(Ball(1), add(Ball(1), odds, bits), bits);
}

// (p(ω−1) + (1−p)ω)/(d−1) = (ω − p)/(d−1)
Ball other_inclusion(const Ball& p, long domain, long size, long bits) {
  return div(sub(Ball(size), p, bits), Ball(domain - 1), bits);
}

// Of one user's estimates of all values together: (p(1−p) + (d−1)·q(1−q))/(p−q)², whatever the
// frequencies are.
double total_variance(const Rational& epsilon, long domain, long size) {
  const Ball p = inclusion(epsilon, domain, size, kBits);
  const Ball q = other_inclusion(p, domain, size, kBits);
  const Ball others = mul(Ball(domain - 1), mul(q, sub(Ball(1), q, kBits), kBits), kBits);
  const Ball apart = sub(p, q, kBits);
  return div(add(mul(p, sub(Ball(1), p, kBits), kBits), others, kBits), mul(apart, apart, kBits),
             kBits)
      .middle();
}

long best_size(const Rational& epsilon, long domain) {
  const Ball ideal =
      div(Ball(domain), add(exp(Ball(epsilon, kBits), kBits), Ball(1), kBits), kBits);
  const long below = std::clamp(ideal.floor_shifted(0).get_si(), 1L, domain - 1);
  const long above = std::min(below + 1, domain - 1);
  return total_variance(epsilon, domain, above) < total_variance(epsilon, domain, below) ? above
                                                                                         : below;
}

Integer choose(std::size_t n, std::size_t k) {
  Integer out;
  mpz_bin_uiui(out.get_mpz_t(), n, k);
  return out;
}

double log2_choose(double n, double k) {
  return (std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)) / std::log(2.0);
}

// Moves each to `by` places later, the last to the front. By powers of two, each of which is always
// gone through, so that no address depends on `by`, which is private.
void turn(std::vector<Word>& set, std::vector<Word>& other, std::size_t by) {
  const std::size_t size = set.size();
  for (std::size_t step = 1, bit = 0; step <= size; step *= 2, ++bit) {
    const Word moves = 0 - static_cast<Word>(by >> bit & 1);
    const std::size_t shift = step % size;
    for (std::size_t k = 0; k < size; ++k) {
      const Word from = set[k < shift ? k + size - shift : k - shift];
      other[k] = (from & moves) | (set[k] & ~moves);
    }
    std::swap(set, other);
  }
}

// A uniform subset of `out.size()` of 1 … last, ascending: Floyd's algorithm (Bentley and Floyd
// 1987) on a bitmap, which is empty before and after.
class Draw {
 public:
  Draw(std::size_t last, std::size_t size) : last_(last), words_(size), bitmap_(last / 64 + 1) {}

  Status operator()(random::Source& source, std::span<Word> out) {
    TRY(source.fill(words_));
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t j = last_ - words_.size() + 1 + i;
      const random::Wide product = static_cast<random::Wide>(words_[i]) * j;
      auto t = static_cast<std::uint64_t>(product >> 64);
      // one word is fair unless its lower half is below 2^64 mod j (random/uniform.h): that happens
      // once in 2^40 draws or less
      if (static_cast<std::uint64_t>(product) < j) t = TRY(redraw(source, product, j));
      ++t;
      const std::uint64_t taken = 0 - (bitmap_[t / 64] >> (t % 64) & 1);  // all ones where t is in
      const std::uint64_t member = (j & taken) | (t & ~taken);
      bitmap_[member / 64] |= std::uint64_t{1} << (member % 64);
    }
    std::size_t at = 0;
    for (std::size_t w = 0; w < bitmap_.size(); ++w)
      for (std::uint64_t rest = std::exchange(bitmap_[w], 0); rest != 0; rest &= rest - 1)
        out[at++] = static_cast<Word>(64 * w + static_cast<unsigned>(std::countr_zero(rest)));
    return {};
  }

 private:
  static Result<std::uint64_t> redraw(random::Source& source, random::Wide product,
                                      std::uint64_t j) {
    if (static_cast<std::uint64_t>(product) >= (0 - j) % j)
      return static_cast<std::uint64_t>(product >> 64);
    return random::uniform_below(source, j);
  }

  std::uint64_t last_;
  std::vector<std::uint64_t> words_, bitmap_;
};

}  // namespace

Result<std::unique_ptr<Subset>> Subset::create(const Parameters& parameters) {
  const Rational epsilon = TRY(checked_epsilon(parameters));
  TRY(check_domain(parameters, 2, kMostDomain));
  const auto domain = static_cast<long>(parameters.domain);
  const long size = best_size(epsilon, domain);
  const Real p = [=](long bits) { return inclusion(epsilon, domain, size, bits); };
  const Ball q = other_inclusion(p(kBits), domain, size, kBits);
  Constants constants{.name = "subset",
                      .epsilon = epsilon,
                      .domain = parameters.domain,
                      .p = p(kBits).middle(),
                      .q = q.middle(),
                      .variance = pure_variance(p(kBits), q),
                      .bits = log2_choose(static_cast<double>(domain), static_cast<double>(size)),
                      .words = static_cast<std::size_t>(size),
                      .counters = parameters.domain,
                      .own = {{"subset", static_cast<double>(size)}}};
  auto coin = TRY(random::Bernoulli::create(p));
  return std::unique_ptr<Subset>(new Subset(std::move(constants), p, std::move(coin)));
}

// All is drawn as if the true value were 0 and the others 1 … d−1: ω of the others, and a member
// that gives way to the true one where the coin says so. Adding the true value modulo d at the end
// turns the sorted set by some places and changes nothing else, so that no step depends on it.
Status Subset::perturb(std::span<const Value> values, random::Source& source,
                       std::span<Word> reports) const {
  TRY(check_values(values, constants_.domain));
  const std::size_t size = constants_.words, domain = constants_.domain;
  Draw draw(domain - 1, size);
  std::vector<Word> set(size), turned(size);
  std::array<std::int64_t, kBatch> heads;
  std::array<std::uint64_t, kBatch> leaves;
  for (std::size_t start = 0; start < values.size(); start += kBatch) {
    const std::size_t count = std::min(kBatch, values.size() - start);
    TRY(coin_.fill(source, std::span(heads).first(count)));
    TRY(random::fill_uniform_below(source, size, std::span(leaves).first(count)));
    for (std::size_t i = 0; i < count; ++i) {
      TRY(draw(source, set));
      // where the coin says so, those before the one that leaves move up and 0 stands in front
      const Word in = 0 - static_cast<Word>(heads[i]);
      for (std::size_t k = size; k-- > 0;) {
        const Word move = in & (0 - static_cast<Word>(k <= leaves[i]));
        const Word before = k > 0 ? set[k - 1] : 0;
        set[k] = (before & move) | (set[k] & ~move);
      }
      const Value value = values[start + i];
      std::size_t wrapped = 0;
      for (const Word each : set) wrapped += each + std::uint64_t{value} >= domain;
      for (Word& each : set) {
        const std::uint64_t sum = each + std::uint64_t{value};
        const std::uint64_t over = 0 - static_cast<std::uint64_t>(sum >= domain);
        each = static_cast<Word>(sum - (domain & over));
      }
      turn(set, turned, wrapped);
      std::copy(set.begin(), set.end(), reports.subspan((start + i) * size, size).begin());
    }
  }
  return {};
}

void Subset::write(std::span<const Word> report, std::string& line) const {
  for (std::size_t i = 0; i < report.size(); ++i) {
    if (i > 0) line += ',';
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}"), report[i]);
  }
}

// One spelling for a set: ascending, each once.
Fault Subset::read(std::string_view line, std::span<Word> report) const {
  if (line.empty()) return Fault::kMalformed;
  std::size_t at = 0;
  for (std::size_t i = 0; i < report.size(); ++i) {
    if (at > line.size()) return Fault::kWrongLength;
    const std::size_t end = std::min(line.find(',', at), line.size());
    const Fault fault = read_index(line.substr(at, end - at), constants_.domain, report[i]);
    if (fault != Fault::kNone) return fault;
    if (i > 0 && report[i] <= report[i - 1]) return Fault::kMalformed;
    at = end + 1;
  }
  return at > line.size() ? Fault::kNone : Fault::kWrongLength;
}

void Subset::count(std::span<const Word> reports, std::span<std::uint64_t> counters) const {
  for (const Word member : reports) ++counters[member];
}

bool Subset::fits(std::span<const std::uint64_t> counters, std::uint64_t users) const {
  return sum_to(counters, users, constants_.words);
}

Ball Subset::probability(Value value, std::span<const Word> report, long bits) const {
  const std::size_t others = constants_.domain - 1, size = constants_.words;
  const bool in = std::binary_search(report.begin(), report.end(), value);
  const Ball p = p_(bits);
  return in ? div(p, Ball(Rational(choose(others, size - 1)), bits), bits)
            : div(sub(Ball(1), p, bits), Ball(Rational(choose(others, size)), bits), bits);
}

Result<std::vector<Word>> Subset::outcomes() const {
  const std::size_t size = constants_.words;
  // a set of 2^24 values has no number of subsets that could be written down quickly
  if (constants_.bits > 21) return first_numbers(std::size_t{1} << 31);
  const Integer count = choose(constants_.domain, size);
  if (count > static_cast<unsigned long>(kMostOutcomes)) return first_numbers(count.get_ui());
  std::vector<Word> set(size), out;
  for (std::size_t i = 0; i < size; ++i) set[i] = static_cast<Word>(i);
  for (;;) {
    out.insert(out.end(), set.begin(), set.end());
    std::size_t i = size;
    while (i > 0 && set[i - 1] == constants_.domain - size + i - 1) --i;
    if (i == 0) return out;
    ++set[i - 1];
    for (; i < size; ++i) set[i] = set[i - 1] + 1;
  }
}

std::vector<double> Subset::supports(std::span<const std::uint64_t> counters) const {
  return {counters.begin(), counters.end()};
}

namespace {

// Sets that hold few of the values, as lists.
class SparseRows final : public SupportRows {
 public:
  SparseRows(std::vector<Word> reports, std::size_t size)
      : reports_(std::move(reports)), size_(size) {}
  std::size_t member(std::size_t byte, std::size_t bit) const override { return 8 * byte + bit; }
  void fill(std::size_t report, std::size_t tile,
            std::span<std::uint8_t, kRowBytes> row) const override {
    std::fill(row.begin(), row.end(), std::uint8_t{0});
    const auto set = std::span(reports_).subspan(report * size_, size_);
    const std::size_t first = tile * kRowValues;
    auto at = std::lower_bound(set.begin(), set.end(), first);
    for (; at != set.end() && *at - first < kRowValues; ++at)
      row[(*at - first) / 8] |= static_cast<std::uint8_t>(1U << ((*at - first) % 8));
  }

 private:
  std::vector<Word> reports_;
  std::size_t size_;
};

// Sets as rows of bits, which take less memory than lists from a 32nd of the values on.
std::vector<Word> as_bits(std::span<const Word> reports, std::size_t size, std::size_t words) {
  std::vector<Word> out(reports.size() / size * words);
  for (std::size_t i = 0; i < reports.size(); ++i)
    out[i / size * words + reports[i] / 32] |= Word{1} << (reports[i] % 32);
  return out;
}

}  // namespace

Result<std::unique_ptr<Likelihood>> Subset::likelihood(const State& state) const {
  const std::size_t size = constants_.words, words = (constants_.domain + 31) / 32;
  const double constant = log(sub(Ball(1), p_(kBits), kBits), kBits).middle() -
                          std::log(2.0) * log2_choose(static_cast<double>(constants_.domain - 1),
                                                      static_cast<double>(size));
  return support_likelihood(*this, state, constant,
                            [=](std::vector<Word> reports) -> std::unique_ptr<SupportRows> {
                              if (size >= words)
                                return bit_rows(as_bits(reports, size, words), words);
                              return std::make_unique<SparseRows>(std::move(reports), size);
                            });
}

}  // namespace discreet::local
