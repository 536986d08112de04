// How `discreet channel` tells its results: numbers as JSON, matrices as CSV, tables and pictures.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/channel/channel.h"
#include "discreet/channel/delta.h"
#include "discreet/channel/epsilon.h"

namespace discreet::cli {

using Json = nlohmann::ordered_json;

Json json_number(double value);  // "inf" where JSON has no number
Json json_matrix(const channel::Channel& channel);

// Exact: fractions and decimals that read back as the same channel.
std::string csv_of(const channel::Channel& channel);
std::string table_of(const channel::Channel& channel);

// "3/4", or nothing where it has too many digits to be of use.
std::string short_exact(const Rational& value);
// "ln(3)", "5*ln(2)", or nothing.
std::string short_exact(const channel::Loss& loss);

// One JSON object, or the text.
Status finish(bool json, const Json& object, const std::string& text);

// Pictures, written whole or not at all; nothing where no file is named.
Status plot_matrix(const std::string& path, const channel::Channel& channel,
                   const std::string& title, const std::string& outputs = "output");
Status plot_tradeoff(const std::string& path, const std::vector<channel::Point>& curve);

}  // namespace discreet::cli
