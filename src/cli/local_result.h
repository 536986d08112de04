// How `discreet local estimate` tells its results: JSON, a table, a picture.
#pragma once

#include <optional>
#include <string>

#include "discreet/cli/local_values.h"
#include "discreet/cli/local_verbs.h"
#include "discreet/local/numeric_shape.h"

namespace discreet::cli {

struct Shown {
  bool json = false;
  std::string plot;                     // a file; empty: none
  std::optional<std::size_t> top = {};  // how many values; none: kMostRows, of a shape all
};

// "inf" of a channel that isn't private at all.
Json json_epsilon(const local::Protocol& protocol);

Status show_frequencies(const Shown& shown, const NamedProtocol& named, const local::State& state,
                        const Scale& scale, local::Method method, const local::Estimate& estimate);
// Frequencies of bins, and the mean.
Status show_shape(const Shown& shown, const NamedProtocol& named, const local::State& state,
                  const Scale& scale, local::Method method, const local::Shape& shape);
// In the units of the scale.
Status show_mean(const Shown& shown, const NamedProtocol& named, const local::State& state,
                 const Scale& scale, const local::Number& mean);

// What other verbs show alike: all values in their order, or the greatest where they are many;
inline constexpr std::size_t kMostRows = 50;
std::vector<std::size_t> shown_values(const std::vector<double>& estimates, std::size_t most);
// as many decimals as the smallest of the error bars warrants: two digits of it;
int decimals_for(const std::vector<double>& errors);
std::string told_number(double value, int decimals);  // "unknown" where it is infinite
// what is wrong with reports that can't be of this protocol; nothing where nothing is;
std::string strange_reports(const std::string& protocol, const local::Estimate& estimate);
void warn(const std::string& warning);  // on standard error
// how the estimate was found, what is missing and what is strange about it;
void add_findings(Json& json, const std::string& protocol, const local::Estimate& estimate);
// users, rejected and rejections; as a sentence; numbers, where some may be infinite.
void add_users(Json& json, const local::State& state);
std::string foot(const local::State& state);
Json numbers(const std::vector<double>& values);

}  // namespace discreet::cli
