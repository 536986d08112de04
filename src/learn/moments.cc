#include "discreet/learn/moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "discreet/base/try.h"
#include "discreet/mechanism/grid.h"
#include "discreet/random/gaussian.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DISCREET_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define DISCREET_CLONES
#endif

namespace discreet::learn {
namespace {

// Rows that are added up in doubles before they go into whole numbers.
constexpr std::size_t kAtOnce = std::size_t{1} << 24;
constexpr int kProductBits = 2 * BallRows::kBits;

// Products are at most 2^28 and at most 2^24 of them are added up, so sums are at most 2^52:
// doubles hold them exactly, in any order, and are quicker than whole numbers. Those sums are added
// up in whole numbers, so that there is no number of rows that would have to be refused (2^35 would
// be too many, half a terabyte of them).
DISCREET_CLONES
void add_product(const double* a, double weight, std::size_t size, double* out) {
  for (std::size_t k = 0; k < size; ++k) out[k] += weight * a[k];
}

DISCREET_CLONES
void add_products(const double* a, const double* w, std::size_t stride, std::size_t size,
                  double* out) {
  for (std::size_t k = 0; k < size; ++k)
    out[k] += w[0] * a[k] + w[stride] * a[k + stride] + w[2 * stride] * a[k + 2 * stride] +
              w[3 * stride] * a[k + 3 * stride];
}

struct Stretch {
  std::size_t begin, end;  // rows
};

// The upper triangle, rows of it [first, last): Σ over rows of q_i·q_j.
void triangle(const BallRows& rows, const Stretch& of, std::size_t first, std::size_t last,
              std::vector<double>& out) {
  constexpr std::size_t kBlock = 64;
  const std::size_t width = rows.width;
  std::vector<double> block(kBlock * width);
  for (std::size_t start = of.begin; start < of.end; start += kBlock) {
    const std::size_t here = std::min(kBlock, of.end - start);
    std::copy_n(rows.values.begin() + static_cast<std::ptrdiff_t>(start * width), here * width,
                block.begin());
    std::fill(block.begin() + static_cast<std::ptrdiff_t>(here * width), block.end(), 0.0);
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t r = 0; r < kBlock; r += 4)
        add_products(block.data() + r * width + i, block.data() + r * width + i, width, width - i,
                     out.data() + i * width + i);
  }
}

std::vector<double> products(const BallRows& rows, const Stretch& of) {
  std::vector<double> out(rows.width * rows.width);
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  // Row i of the triangle has width − i numbers: as much work for each thread.
  std::vector<std::size_t> cuts = {0};
  for (unsigned t = 1; t < threads; ++t)
    cuts.push_back(static_cast<std::size_t>(static_cast<double>(rows.width) *
                                            (1 - std::sqrt(1 - double(t) / double(threads)))));
  cuts.push_back(rows.width);
  {
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < threads; ++t)
      others.emplace_back([&, t] { triangle(rows, of, cuts[t], cuts[t + 1], out); });
    triangle(rows, of, cuts[0], cuts[1], out);
  }
  return out;
}

std::vector<double> sums(const BallRows& rows, const Stretch& of, std::span<const float> targets) {
  std::vector<double> out(rows.width), row(rows.width);
  for (std::size_t i = of.begin; i < of.end; ++i) {
    const float y = std::isnan(targets[i]) ? 0.0F : std::clamp(targets[i], -1.0F, 1.0F);
    std::copy(rows.row(i).begin(), rows.row(i).end(), row.begin());
    add_product(row.data(), std::round(double{y} * double(BallRows::kOne)), rows.width, out.data());
  }
  return out;
}

// Of all rows, in whole numbers.
template <class Sums>
std::vector<std::int64_t> total(std::size_t rows, std::size_t size, const Sums& sums_of) {
  std::vector<std::int64_t> out(size);
  for (std::size_t begin = 0; begin < rows; begin += kAtOnce) {
    const std::vector<double> part = sums_of(Stretch{begin, std::min(rows, begin + kAtOnce)});
    for (std::size_t i = 0; i < size; ++i) out[i] += static_cast<std::int64_t>(part[i]);
  }
  return out;
}

// σ of each number, and the same in steps of the grid.
Rational each_of(const Rational& sigma, bool with_targets) {
  return with_targets ? sigma * mechanism::sqrt_above(2) : sigma;
}
Rational steps_of(const Rational& each) { return each * Rational(Integer(1) << kProductBits); }

}  // namespace

Status check_moments(const std::string& parameter, const Rational& sigma, bool with_targets) {
  if (random::RoundedGaussian::create(steps_of(each_of(sigma, with_targets)))) return {};
  return bad_parameter(parameter,
                       fmt::format("asks for noise of {:.4g} times what one example changes; "
                                   "accepted is what whole numbers of 2^40 hold, about {}",
                                   to_double(sigma), with_targets ? 2800 : 4000));
}

privacy::Event moments_event(const Rational& sigma) {
  return privacy::Event{privacy::Gaussian{sigma, 1}};
}

Result<Moments> release_moments(const BallRows& rows, std::span<const float> targets,
                                const Rational& sigma, random::Source& source) {
  if (!targets.empty() && targets.size() != rows.count)
    return fail(Code::kFailure, "moments: found other targets than rows");
  const Rational each = each_of(sigma, !targets.empty());
  const auto noise = TRY(random::RoundedGaussian::create(steps_of(each)));
  const double unit = std::ldexp(1.0, -kProductBits);
  Moments out;
  out.width = rows.width;
  out.sigma = to_double(each, Rounding::kUp);
  const std::vector<std::int64_t> exact = total(
      rows.count, rows.width * rows.width, [&](const Stretch& of) { return products(rows, of); });
  out.products.resize(exact.size());
  std::vector<std::int64_t> drawn(rows.width);
  for (std::size_t i = 0; i < rows.width; ++i) {
    const std::span<std::int64_t> line(drawn.data(), rows.width - i);
    TRY(noise.fill(source, line));
    for (std::size_t k = i; k < rows.width; ++k)
      out.products[i * rows.width + k] = out.products[k * rows.width + i] =
          static_cast<double>(exact[i * rows.width + k] + line[k - i]) * unit;
  }
  if (!targets.empty()) {
    const std::vector<std::int64_t> with =
        total(rows.count, rows.width, [&](const Stretch& of) { return sums(rows, of, targets); });
    TRY(noise.fill(source, drawn));
    for (std::size_t i = 0; i < rows.width; ++i)
      out.targets.push_back(static_cast<double>(with[i] + drawn[i]) * unit);
  }
  return out;
}

}  // namespace discreet::learn
