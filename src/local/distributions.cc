#include "discreet/local/distributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/random/wide.h"

namespace discreet::local {
namespace {

constexpr std::uint64_t kMostUsers = 1'000'000'000;

// "zipf(1.5)" is zipf and 1.5.
struct Law {
  std::string name;
  std::optional<std::string> number;
};
Law split(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == std::string::npos || text.back() != ')') return {text, {}};
  return {text.substr(0, open), text.substr(open + 1, text.size() - open - 2)};
}

tl::unexpected<Error> unknown(const std::string& text) {
  const std::vector<std::string> names{"uniform", "zipf", "geometric", "bell"};
  return bad_parameter("distribution", fmt::format("found {}; accepted is {}", quote(text), kLaws),
                       nearest(text, names).empty() ? "" : did_you_mean(text, names));
}

// Walker's table: a cell at random, then its own value or the other that shares it.
class Table {
 public:
  explicit Table(std::span<const double> weights) : own_(weights.size()), other_(weights.size()) {
    const double scale =
        static_cast<double>(weights.size()) / std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<std::size_t> small, large;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      own_[i] = weights[i] * scale;
      other_[i] = static_cast<Value>(i);
      (own_[i] < 1 ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty()) {
      const std::size_t little = small.back(), much = large.back();
      small.pop_back();
      other_[little] = static_cast<Value>(much);
      own_[much] -= 1 - own_[little];
      if (own_[much] < 1) {
        large.pop_back();
        small.push_back(much);
      }
    }
    for (const std::size_t left : small) own_[left] = weights[left] > 0 ? 1 : own_[left];
  }
  Value pick(std::uint64_t word) const {
    const auto product = static_cast<random::Wide>(word) * own_.size();
    const auto cell = static_cast<std::size_t>(product >> 64);
    const double rest = static_cast<double>(static_cast<std::uint64_t>(product)) * 0x1p-64;
    return rest < own_[cell] ? static_cast<Value>(cell) : other_[cell];
  }

 private:
  std::vector<double> own_;
  std::vector<Value> other_;
};

}  // namespace

Result<std::vector<double>> law_weights(const std::string& text, std::size_t domain) {
  const Law law = split(text);
  std::optional<double> number;
  if (law.number) {
    const Result<Rational> read = parse_number(*law.number, Rounding::kDown);
    if (!read || (law.name != "zipf" && law.name != "geometric")) return unknown(text);
    number = to_double(*read);
  }
  std::vector<double> out(domain, 1.0);
  const auto fill = [&out](auto&& weight) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = weight(static_cast<double>(i));
  };
  if (law.name == "uniform") return out;
  if (law.name == "zipf") {
    const double s = number.value_or(1);
    if (s < 0 || s > 100)
      return bad_parameter("distribution",
                           fmt::format("found {}; accepted is an exponent from 0 to 100", text));
    fill([s](double i) { return std::pow(i + 1, -s); });
    return out;
  }
  if (law.name == "geometric") {
    const double r = number.value_or(0.9);
    if (r <= 0 || r > 1)
      return bad_parameter(
          "distribution", fmt::format("found {}; accepted is a ratio above 0 and at most 1", text));
    fill([r](double i) { return std::pow(r, i); });
    return out;
  }
  if (law.name == "bell") {
    const double middle = (static_cast<double>(domain) - 1) / 2;
    const double width = static_cast<double>(domain) / 6;
    fill([=](double i) { return std::exp(-(i - middle) * (i - middle) / (2 * width * width)); });
    return out;
  }
  return unknown(text);
}

std::vector<double> Population::frequencies() const {
  std::vector<double> out;
  out.reserve(counts.size());
  for (const std::uint64_t count : counts)
    out.push_back(static_cast<double>(count) / static_cast<double>(values.size()));
  return out;
}

Result<Population> draw_population(std::span<const double> weights, std::uint64_t users,
                                   random::Source& source) {
  if (users < 1 || users > kMostUsers)
    return bad_parameter("users",
                         fmt::format("found {}; accepted are 1 to {} people", users, kMostUsers));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const bool good = std::all_of(weights.begin(), weights.end(),
                                [](double w) { return std::isfinite(w) && w >= 0; });
  if (!good || !std::isfinite(sum) || sum <= 0 || weights.size() > kMostValues)
    return bad_parameter("distribution",
                         "found weights that can't be; accepted are numbers of at least 0, one a "
                         "value, not all 0");
  const Table table(weights);
  Population out{.values = std::vector<Value>(users),
                 .counts = std::vector<std::uint64_t>(weights.size())};
  std::vector<std::uint64_t> words(4096);
  for (std::size_t at = 0; at < users; at += words.size()) {
    const std::size_t count = std::min<std::size_t>(words.size(), users - at);
    TRY(source.fill(std::span(words).first(count)));
    for (std::size_t i = 0; i < count; ++i) {
      const Value value = table.pick(words[i]);
      out.values[at + i] = value;
      ++out.counts[value];
    }
  }
  return out;
}

}  // namespace discreet::local
