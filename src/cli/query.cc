#include "discreet/cli/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "discreet/base/try.h"

namespace discreet::cli {

void QueryOptions::add_to(CLI::App& verb) {
  verb.add_option("--policy", policy, "the owner's policy file (TOML)")->required();
  verb.add_option("QUERY", query, "the SELECT statement");
  verb.add_option("-f,--file", file, "read the query from this file; - is standard input");
  verb.add_option("--epsilon", epsilon, "privacy loss of the query; no default");
  verb.add_option("--delta", delta,
                  "chance that the guarantee fails; needed where groups are chosen privately");
  verb.add_option("--max-groups", max_groups, "groups a unit may count in (the noise follows)");
  verb.add_option("--max-rows", max_rows, "rows a unit may have in a group (the noise follows)");
  verb.add_option("--max-rows-total", max_total,
                  "rows a unit may have in all groups together (the noise follows)");
  verb.add_option("--bounds", bounds,
                  "auto: measure them, also where some are declared; declared: measure none");
  verb.add_option("--min-units", min_units, "never show a group of fewer units");
  verb.add_option("--confidence", confidence, "of the intervals")->capture_default_str();
  verb.add_option("--as", analyst, "whose budget is charged; the login name unless said");
  verb.add_option("--memory", memory,
                  "megabytes that may be used; half of the machine's unless said");
  verb.add_option("--threads", threads, "threads; all cores unless said");
}

Result<sql::Options> QueryOptions::flags() const {
  sql::Options out;
  if (!epsilon.empty()) {
    auto value = TRY(read_epsilon(epsilon));
    out.epsilon = value;
  }
  if (!delta.empty()) {
    auto value = TRY(read_delta(delta));
    out.delta = value;
  }
  for (const auto& [name, text, place] : {std::tuple{"max-groups", &max_groups, &out.max_groups},
                                          {"max-rows", &max_rows, &out.max_rows},
                                          {"max-rows-total", &max_total, &out.max_total},
                                          {"min-units", &min_units, &out.min_units}}) {
    if (text->empty()) continue;
    auto value = TRY(read_integer(name, *text, 1, 1'000'000));
    *place = value;
  }
  if (!bounds.empty() && bounds != "auto" && bounds != "declared")
    return bad_parameter("bounds", fmt::format("found '{}'; accepted is auto or declared", bounds));
  out.measure_bounds = bounds == "auto";
  out.assume_bounds = bounds == "declared";
  return out;
}

Result<Rational> QueryOptions::read_confidence() const {
  auto value = read_number("confidence", confidence, Rounding::kDown,
                           {0, 1, true, "a number between 0 and 1, such as 0.95"});
  if (value && *value == 1)
    return bad_parameter("confidence",
                         "found 1; accepted is a number between 0 and 1, such as 0.95");
  return value;
}

Result<engine::Limits> QueryOptions::limits() const {
  engine::Limits out;
  if (!memory.empty()) {
    auto value = TRY(read_integer("memory", memory, 64, 100'000'000));
    out.memory = static_cast<std::size_t>(value) * 1'000'000;
  }
  if (!threads.empty()) {
    auto value = TRY(read_integer("threads", threads, 1, 1024));
    out.threads = static_cast<unsigned>(value);
  }
  return out;
}

Result<std::string> QueryOptions::text() const {
  if (!query.empty() && !file.empty())
    return fail(Code::kUsage, "both a query and --file are given", "give one of them");
  if (!query.empty()) return query;
  std::string out;
  if (!file.empty() && file != "-") {
    std::ifstream stream(file, std::ios::binary);
    std::stringstream text;
    if (!stream || !(text << stream.rdbuf()))
      return fail(Code::kFailure, fmt::format("--file: '{}' can't be read", file));
    out = text.str();
  } else {
    out.assign(std::istreambuf_iterator<char>(std::cin), {});
  }
  if (std::all_of(out.begin(), out.end(), [](unsigned char c) { return std::isspace(c); }))
    return fail(Code::kUsage, "there is no query",
                "write it as an argument, with -f FILE, or on standard input");
  return out;
}

std::string QueryOptions::who() const { return cli::who(analyst); }

}  // namespace discreet::cli
