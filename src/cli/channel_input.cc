#include "discreet/cli/channel_input.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/channel/csv.h"
#include "discreet/cli/command.h"
#include "discreet/cli/numbers_file.h"

namespace discreet::cli {
namespace {

constexpr std::uintmax_t kLargestFile = 256'000'000;

bool is_file(const std::string& path) {
  std::error_code unknown;
  return path == "-" || std::filesystem::exists(path, unknown);
}

// A word that is neither a name nor a file.
tl::unexpected<Error> unknown(const std::string& parameter, const std::string& text,
                              const std::vector<std::string>& names, const std::string& accepted) {
  std::string hint = did_you_mean(text, names);
  return bad_parameter(
      parameter, fmt::format("found {}, which is no file; accepted is {}", quote(text), accepted),
      hint.starts_with("did") ? hint : "");
}

void note_rounding(const std::string& name, std::size_t rows) {
  if (rows == 0) return;
  fmt::print(stderr,
             "discreet: {}: {} row{} of decimals sum{} to 1 only up to rounding, and {} divided by "
             "{} sum\n",
             name, rows, rows == 1 ? "" : "s", rows == 1 ? "s" : "", rows == 1 ? "was" : "were",
             rows == 1 ? "its" : "their");
}

std::string called(const std::string& path) {
  return path == "-" ? std::string("standard input") : path;
}

// name(size=6, epsilon=ln(2))
struct Formula {
  std::string name, size, epsilon;
};

Result<Formula> read_formula(const std::string& text) {
  Formula out{text.substr(0, text.find('(')), {}, {}};
  const auto wrong = [&](const std::string& found) {
    return fail(Code::kUsage, fmt::format("{}: found {}; accepted is {}(size=6, epsilon=ln(2))",
                                          quote(text), quote(found), out.name));
  };
  if (out.name != "truncated-geometric" && out.name != "flat") {
    const std::string names[] = {"truncated-geometric", "flat"};
    return fail(Code::kUsage,
                fmt::format("unknown channel {}; accepted is a file, truncated-geometric(…) or "
                            "flat(…)",
                            quote(out.name)),
                did_you_mean(out.name, names));
  }
  if (!text.ends_with(')')) return wrong(text);
  const std::string inside = text.substr(out.name.size() + 1, text.size() - out.name.size() - 2);
  for (const std::string& item : split_list(inside)) {
    const auto equals = item.find('=');
    const std::string key = item.substr(0, equals);
    std::string* place = key == "size" ? &out.size : key == "epsilon" ? &out.epsilon : nullptr;
    if (equals == std::string::npos || place == nullptr || !place->empty()) return wrong(item);
    *place = item.substr(equals + 1);
  }
  if (out.size.empty() || out.epsilon.empty()) return wrong(inside);
  return out;
}

// "binomial" or "binomial(1/3)".
std::optional<std::string> binomial_chance(const std::string& text) {
  if (text == "binomial") return "1/2";
  if (!text.starts_with("binomial(") || !text.ends_with(')')) return std::nullopt;
  return text.substr(9, text.size() - 10);
}

Result<Rational> read_chance(const std::string& text) {
  return read_number("prior", text, Rounding::kDown,
                     {0, 1, false, "binomial's chance, a probability from 0 to 1, such as 1/3"});
}

constexpr const char* kPriors =
    "uniform, binomial, binomial(1/3), a list such as 0.2,0.3,0.5, or a file of probabilities";

}  // namespace

Result<std::string> read_text(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::error_code unknown;
  const auto size = std::filesystem::is_regular_file(path, unknown)
                        ? std::filesystem::file_size(path, unknown)
                        : 0;
  if (size > kLargestFile) {
    return fail(Code::kUsage, fmt::format("'{}' has {} bytes; accepted are at most {}", path, size,
                                          kLargestFile));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file && !std::filesystem::is_directory(path, unknown))
    text.assign(std::istreambuf_iterator<char>(file), {});
  if (!file || file.bad() || std::filesystem::is_directory(path, unknown)) {
    return fail(Code::kFailure, fmt::format("'{}' could not be read", path),
                std::filesystem::exists(path, unknown) ? "" : "does it exist?");
  }
  return text;
}

Result<AnyChannel> read_any_channel(const std::string& text) {
  if (text.find('(') != std::string::npos && !is_file(text)) {
    auto formula = TRY(read_formula(text));
    auto size = TRY(read_integer("size", formula.size, 1, channel::Graph::kLargest));
    auto ratio = TRY(channel::parse_ratio("epsilon", formula.epsilon));
    if (formula.name == "flat")
      return channel::Flat{static_cast<std::size_t>(size), std::move(ratio)};
    return channel::TruncatedGeometric{static_cast<std::size_t>(size), std::move(ratio)};
  }
  auto content = TRY(read_text(text));
  std::size_t rounded = 0;
  auto read = TRY(channel::read_channel(called(text), content, &rounded));
  note_rounding(called(text), rounded);
  return read;
}

Result<channel::Channel> written_out(const AnyChannel& any) {
  if (const auto* dense = std::get_if<channel::Channel>(&any)) return *dense;
  if (const auto* flat = std::get_if<channel::Flat>(&any)) return channel::writable(*flat);
  return channel::writable(std::get<channel::TruncatedGeometric>(any));
}

Result<channel::Channel> read_channel(const std::string& text) {
  auto any = TRY(read_any_channel(text));
  return written_out(any);
}

std::size_t inputs_of(const AnyChannel& any) {
  if (const auto* dense = std::get_if<channel::Channel>(&any)) return dense->rows();
  if (const auto* flat = std::get_if<channel::Flat>(&any)) return flat->size;
  return std::get<channel::TruncatedGeometric>(any).size;
}

Result<channel::Graph> read_graph(const std::string& text, std::optional<std::size_t> size) {
  const bool named = text == "path" || text == "cycle" || text == "complete";
  if (!named && !is_file(text))
    return unknown("graph", text, {"path", "cycle", "complete"},
                   "path, cycle, complete or a file of edges, such as 0,1 on a line");
  if (named) {
    if (!size)
      return fail(Code::kUsage, fmt::format("--graph {}: needs --size, the number of nodes", text));
    if (text == "cycle") return channel::Graph::cycle(*size);
    return text == "path" ? channel::Graph::path(*size) : channel::Graph::complete(*size);
  }
  auto content = TRY(read_text(text));
  if (!size) {
    auto table = TRY(channel::read_table(called(text), content));
    Rational most = 0;
    for (const auto& row : table.rows)
      for (const Rational& node : row.numbers)
        if (node > most) most = node;
    constexpr long kMost = 10'000'000;
    if (most < kMost)
      size = Integer(most.get_num() / most.get_den()).get_ui() + 1;
    else
      size = kMost;  // then the node is refused where it stands
  }
  return channel::read_graph(called(text), content, *size);
}

Result<channel::Prior> read_prior(const std::string& text, std::size_t size) {
  if (text == "uniform") return channel::uniform_prior(size);
  if (const auto chance = binomial_chance(text)) {
    auto number = TRY(read_chance(*chance));
    return channel::binomial_prior(size, number);
  }
  const bool list = text.find(',') != std::string::npos || parse_number(text, Rounding::kDown);
  if (!is_file(text) && !list) return unknown("prior", text, {"uniform", "binomial"}, kPriors);
  std::string name = "--prior", content = text;
  if (is_file(text)) {
    auto read = TRY(read_text(text));
    name = called(text), content = std::move(read);
  }
  std::size_t rounded = 0;
  auto prior = channel::read_distribution(name, content, size, &rounded);
  if (prior) note_rounding(name, rounded);
  return prior;
}

Result<std::vector<double>> read_prior_doubles(const std::string& text, std::size_t size) {
  if (text == "uniform") return channel::uniform_doubles(size);
  if (const auto chance = binomial_chance(text)) {
    auto number = TRY(read_chance(*chance));
    return channel::binomial_doubles(size, number);
  }
  auto prior = TRY(read_prior(text, size));
  return channel::in_doubles(prior);
}

Result<channel::Gain> read_gain(const std::string& text, const channel::Graph& graph) {
  if (text == "identity") return channel::Gain::identity(graph.size());
  if (text == "distance") return channel::Gain::distance(graph);
  if (!is_file(text))
    return unknown("gain", text, {"identity", "distance"},
                   "identity, distance or a file with one row a guess and one column a true value");
  auto content = TRY(read_text(text));
  auto table = TRY(channel::read_matrix(called(text), content, graph.size()));
  std::vector<Rational> entries;
  for (auto& row : table.rows)
    std::move(row.numbers.begin(), row.numbers.end(), std::back_inserter(entries));
  return channel::Gain::table(table.rows.size(), graph.size(), std::move(entries));
}

}  // namespace discreet::cli
