// Learning a point function (deck 004): every example is 0 but for one unknown point, which is 1.
// Purely private learners need samples that grow with the logarithm of the domain; one that tells
// the most common positive example where it is far ahead doesn't know how large the domain is.
#include <discreet/mechanism/gap/mode.h>
#include <discreet/mechanism/gap/stability.h>
#include <fmt/format.h>

#include <map>

using namespace discreet;
using namespace discreet::mechanism;

struct Sample {
  std::string x;
  bool y;
};

// The point, or nothing: then "always 0" is the hypothesis, and wrong only where the point is rare.
Result<std::optional<std::string>> learn(const std::vector<Sample>& samples,
                                         const gap::Stability& stability) {
  std::map<std::string, std::int64_t> positives;
  for (const Sample& sample : samples)
    if (sample.y) ++positives[sample.x];
  std::vector<std::int64_t> counts;
  for (const auto& [x, count] : positives) counts.push_back(count);
  const gap::Mode mode = gap::mode_of(counts, gap::Domain::kOpen);
  const std::string point =
      counts.empty() ? "" : std::next(positives.begin(), static_cast<long>(mode.winner))->first;
  const auto told =
      stability.release(Exact<gap::Stable<std::string>>::from_private({point, mode.distance}));
  if (!told) return tl::unexpected<Error>(told.error());
  return told->value();
}

int main() {
  const Rational epsilon = 1, beta(1, 20);
  const auto stability = *gap::Stability::create({epsilon, *parse_number("1e-9", Rounding::kDown)});

  // 1000 samples, a tenth of them the point; the domain is all texts.
  std::vector<Sample> samples;
  for (int i = 0; i < 1000; ++i)
    samples.push_back(i % 10 == 0 ? Sample{"the point", true} : Sample{std::to_string(i), false});
  const auto found = learn(samples, stability);
  if (!found) return 1;
  fmt::print("learnt: {}\n", found->value_or("always 0"));

  // Positive samples from which each is right 19 times in 20. The exponential mechanism scores each
  // of d points by the samples it explains: e^(ε·positives) against 1 for all others.
  const std::int64_t stable = stability.test().distance_for(1 - beta);
  fmt::print("domain   positives needed: exponential   stable mode, delta = 1e-9\n");
  for (const unsigned bits : {8U, 32U, 64U, 1024U}) {
    const Ball others(Rational(Integer(1) << bits) - 1, 96);
    const auto right = [&](std::int64_t positives) {
      const Ball weight = exp(-Ball(epsilon * Rational(positives), 96), 96);
      return div(Ball(1), add(Ball(1), mul(others, weight, 96), 96), 96).lower();
    };
    std::int64_t positives = 0;
    while (right(positives) < 0.95) ++positives;
    fmt::print("2^{:<5}   {:>28}   {:>25}\n", bits, positives, stable);
  }
}
