// discreet channel graph: the answers of a query and which of them are neighbours.
#include <fmt/format.h>

#include <memory>

#include "discreet/base/try.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/channel_query.h"
#include "discreet/cli/channel_verbs.h"
#include "discreet/cli/out_file.h"

namespace discreet::cli {
namespace {

struct Options {
  QueryOptions query;
  std::string output;
  bool json = false;
};

Status graph(const Options& options) {
  auto read = TRY(read_query(options.query));
  auto induced = TRY(channel::induced_graph(read.query, read.universe));
  constexpr std::size_t kMostNodes = 5000;  // distances take their square
  if (induced.answers.size() > kMostNodes) {
    return fail(Code::kUsage, fmt::format("the query has {} answers; accepted are at most {}",
                                          induced.answers.size(), kMostNodes));
  }
  const auto& answers = induced.answers;
  const auto cycle = induced.graph.shortest_cycle();
  Json nodes = Json::array(), exact = Json::array(), edges = Json::array();
  std::string csv, list, circle;
  constexpr std::size_t kMostListed = 20;
  for (const Rational& answer : answers) {
    const bool whole = answer.get_den() == 1 && answer.get_num().fits_slong_p();
    nodes.push_back(whole ? Json(answer.get_num().get_si()) : Json(to_double(answer)));
    exact.push_back(to_decimal(answer));
  }
  for (std::size_t i = 0; i < answers.size() && i < kMostListed; ++i)
    list += (i == 0 ? "" : ", ") + to_decimal(answers[i]);
  if (answers.size() > kMostListed) list += ", …";
  induced.graph.for_each_edge([&](channel::Node a, channel::Node b) {
    edges.push_back({a, b});
    csv += fmt::format("{},{}\n", a, b);
  });
  for (const channel::Node node : cycle)
    circle += (circle.empty() ? "" : ", ") + to_decimal(answers[node]);
  if (!options.output.empty()) TRY(write_whole("output", options.output, csv));
  const Json json{{"nodes", nodes},
                  {"edges", edges},
                  {"cycles", !cycle.empty()},
                  {"cycle", cycle},
                  {"path", induced.graph.is_some_path()},
                  {"diameter", induced.graph.diameter()},
                  {"exact", exact},
                  {"databases", induced.databases}};
  std::string text = fmt::format("{} nodes: {}\n{} edges, diameter {}\n", answers.size(), list,
                                 induced.graph.edge_count(), induced.graph.diameter());
  text += cycle.empty() ? fmt::format("no cycles: {}\n", induced.graph.is_some_path()
                                                             ? "a path, as for a counting query"
                                                             : "a tree that is no path")
                        : fmt::format("it has cycles, such as {}\n", circle);
  return finish(options.json, json, text);
}

}  // namespace

void add_channel_graph(CLI::App& area, Action& chosen) {
  CLI::App* command =
      add_verb(area, "graph", "The answers of a query, and which of them are neighbours",
               "discreet channel graph --query average --values 0,1,2 --records 3");
  auto options = std::make_shared<Options>();
  add_query_options(*command, options->query);
  command->add_option("--output", options->output,
                      "write the edges to this file, fit for --graph; nodes are numbered from 0");
  command->add_flag("--json", options->json, "one JSON object");
  command->callback([options, &chosen] { chosen = [options] { return graph(*options); }; });
}

}  // namespace discreet::cli
