// discreet noise KIND --scale S --count N: exact noise, one integer a line.
#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "discreet/base/try.h"
#include "discreet/cli/command.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/watchdog.h"
#include "discreet/present/progress.h"
#include "discreet/random/gaussian.h"
#include "discreet/random/generator.h"
#include "discreet/random/geometric.h"
#include "discreet/random/scale.h"

namespace discreet::cli {
namespace {

constexpr std::size_t kBlock = 8192;  // what is held in memory, whatever the count
constexpr std::int64_t kMostSamples = 1'000'000'000'000'000;

struct Options {
  std::string scale;
  std::string count = "1";
  bool json = false;
};

template <class Sampler>
Status draw(std::string_view parameter, const Options& options) {
  using random::kLargestScale;
  using random::kSmallestScale;
  auto scale = TRY(read_number(parameter, options.scale, Rounding::kUp,
                               {kSmallestScale, kLargestScale, false,
                                "a number from 2^-20 (about 1e-6) to 2^40 (about 1e12)"}));
  auto count = TRY(read_integer("count", options.count, 0, kMostSamples));
  auto sampler = TRY(Sampler::create(scale));

  random::Source& source = random::thread_generator();
  present::Progress progress("drawing", static_cast<std::uint64_t>(count), true);
  std::array<std::int64_t, kBlock> values;
  fmt::memory_buffer text;
  if (options.json) fmt::format_to(std::back_inserter(text), "{{\"samples\":[");
  const Interrupt interrupt;
  const Watchdog watchdog;
  for (std::int64_t drawn = 0; drawn < count;) {
    if (Interrupt::asked()) return fail(Code::kInterrupted, "interrupted");
    const auto size = static_cast<std::size_t>(std::min<std::int64_t>(kBlock, count - drawn));
    TRY(sampler.fill(source, std::span(values).first(size)));
    for (std::size_t i = 0; i < size; ++i) {
      if (options.json) {
        const bool first = drawn == 0 && i == 0;
        fmt::format_to(std::back_inserter(text), "{}{}", first ? "" : ",", values[i]);
      } else {
        fmt::format_to(std::back_inserter(text), "{}\n", values[i]);
      }
    }
    drawn += static_cast<std::int64_t>(size);
    TRY(print({text.data(), text.size()}));
    text.clear();
    progress.advance(size);
  }
  if (options.json) fmt::format_to(std::back_inserter(text), "]}}\n");
  return print({text.data(), text.size()});
}

template <class Sampler>
void add_kind(CLI::App& noise, Action& chosen, const std::string& name, const std::string& what,
              const std::string& parameter, const std::string& meaning) {
  CLI::App* verb =
      add_verb(noise, name, what, "discreet noise " + name + " --" + parameter + " 50 --count 5");
  auto options = std::make_shared<Options>();
  verb->add_option("--" + parameter, options->scale, meaning + ", from 2^-20 to 2^40")->required();
  verb->add_option("--count", options->count, "how many samples")->capture_default_str();
  verb->add_flag("--json", options->json, "{\"samples\":[…]} instead of one integer a line");
  verb->callback([options, parameter, &chosen] {
    chosen = [options, parameter] { return draw<Sampler>(parameter, *options); };
  });
}

}  // namespace

void add_noise(CLI::App& app, Action& chosen) {
  CLI::App* noise =
      add_verb(app, "noise",
               "Draw exact noise: integers that follow their distribution without rounding error",
               "discreet noise laplace --scale 1000 --count 5");
  noise->require_subcommand(1);
  add_kind<random::DiscreteLaplace>(
      *noise, chosen, "laplace",
      "Discrete Laplace: P[z] proportional to e^(-|z|/scale) on the integers", "scale",
      "the scale, any number such as 10, 65537/3 or 1/ln(3)");
  add_kind<random::Geometric>(
      *noise, chosen, "geometric",
      "Geometric, one-sided: P[k] proportional to e^(-k/scale), k = 0, 1, 2, …", "scale",
      "the scale");
  add_kind<random::RoundedLaplace>(*noise, chosen, "rounded-laplace",
                                   "A continuous Laplace variable rounded to the nearest integer",
                                   "scale", "the scale");
  add_kind<random::RoundedGaussian>(*noise, chosen, "gaussian",
                                    "A continuous Gaussian variable rounded to the nearest integer",
                                    "sigma", "the standard deviation before rounding");
  add_kind<random::DiscreteGaussian>(
      *noise, chosen, "discrete-gaussian",
      "Discrete Gaussian: P[z] proportional to e^(-z²/2σ²) on the integers", "sigma", "σ");
}

}  // namespace discreet::cli
