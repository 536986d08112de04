// discreet channel make KIND …: the matrix of a mechanism, as CSV.
#include <fmt/format.h>

#include <functional>
#include <memory>

#include "discreet/base/try.h"
#include "discreet/channel/csv.h"
#include "discreet/channel/make.h"
#include "discreet/cli/channel_input.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/channel_query.h"
#include "discreet/cli/channel_verbs.h"
#include "discreet/cli/numbers_file.h"
#include "discreet/cli/out_file.h"

namespace discreet::cli {
namespace {

using namespace channel;

struct Options {
  std::string size, epsilon, low, high, truth = "1/2", yes = "1/2", scores, sensitivity,
                                        graph = "complete", first, second, map, output, plot;
  QueryOptions query;
  bool monotone = false, json = false;
};

struct Sized {
  std::size_t size;
  Ratio ratio;
};

Result<Sized> read_sized(const Options& options) {
  auto size = TRY(read_integer("size", options.size, 1, Graph::kLargest));
  auto ratio = TRY(parse_ratio("epsilon", options.epsilon));
  return Sized{static_cast<std::size_t>(size), std::move(ratio)};
}

// A formula can be asked without writing its matrix down.
template <class T>
Result<T> hinted(Result<T> made, const std::string& formula) {
  if (!made && made.error().hint.empty())
    made.error().hint = fmt::format("ask {} without making it: discreet channel utility '{}'",
                                    "epsilon or utility", formula);
  return made;
}

Result<Channel> make_truncated(const Options& options) {
  auto p = TRY(read_sized(options));
  return hinted(
      writable(TruncatedGeometric{p.size, p.ratio}),
      fmt::format("truncated-geometric(size={}, epsilon={})", options.size, options.epsilon));
}

Result<Channel> make_flat(const Options& options) {
  auto p = TRY(read_sized(options));
  return hinted(writable(Flat{p.size, p.ratio}),
                fmt::format("flat(size={}, epsilon={})", options.size, options.epsilon));
}

Result<Channel> make_geometric(const Options& options) {
  auto p = TRY(read_sized(options));
  constexpr std::int64_t kFar = 1'000'000;
  auto low = TRY(read_integer("from", options.low, -kFar, kFar));
  auto high = TRY(read_integer("to", options.high, -kFar, kFar));
  return geometric_window(p.size, low, high, p.ratio);
}

Result<Channel> make_coins(const Options& options) {
  const Bounds chance{0, 1, false, "a probability from 0 to 1, such as 1/2"};
  auto truth = TRY(read_number("truth", options.truth, Rounding::kDown, chance));
  auto yes = TRY(read_number("yes", options.yes, Rounding::kDown, chance));
  return from_coins(truth, yes);
}

Result<Channel> make_exponential(const Options& options) {
  auto ratio = TRY(parse_ratio("epsilon", options.epsilon));
  auto epsilon = TRY(read_epsilon(options.epsilon));
  auto text = TRY(read_text(options.scores));
  auto table = TRY(read_table(options.scores, text));
  ExponentialParameters parameters{.inputs = table.rows.size(),
                                   .outputs = table.columns(),
                                   .scores = {},
                                   .epsilon = epsilon,
                                   .ratio = ratio};
  for (auto& row : table.rows)
    std::move(row.numbers.begin(), row.numbers.end(), std::back_inserter(parameters.scores));
  parameters.monotone = options.monotone;
  if (!options.sensitivity.empty()) {
    auto sensitivity = TRY(read_number("sensitivity", options.sensitivity, Rounding::kUp,
                                       {0, Rational(1e15), true, "a number above 0, such as 1"}));
    parameters.sensitivity = sensitivity;
  }
  auto graph = TRY(read_graph(options.graph, parameters.inputs));
  return exponential(parameters, graph);
}

using Combine = Result<Channel> (*)(const Channel&, const Channel&);
template <Combine combine>
Result<Channel> make_of_two(const Options& options) {
  auto first = TRY(cli::read_channel(options.first));
  auto second = TRY(cli::read_channel(options.second));
  return combine(first, second);
}

Result<Channel> make_oblivious(const Options& options) {
  auto noise = TRY(cli::read_channel(options.first));
  if (!options.map.empty()) {
    if (!options.query.query.empty())
      return bad_parameter("map", "found together with --query; accepted is one of them");
    std::vector<std::size_t> answers;
    auto numbers = TRY(read_number_list("--map", options.map));
    for (const Rational& number : numbers) {
      if (number.get_den() != 1 || sgn(number) < 0 || number >= Rational(noise.rows())) {
        return fail(
            Code::kUsage,
            fmt::format("--map, item {}: found {}; accepted is a row of the channel, 0 to {}",
                        answers.size() + 1, to_decimal(number), noise.rows() - 1));
      }
      answers.push_back(number.get_num().get_ui());
    }
    return oblivious(noise, answers);
  }
  if (options.query.query.empty() || options.query.values.empty() || options.query.records.empty())
    return fail(Code::kUsage, "oblivious: needs --query, --values and --records, or --map");
  auto read = TRY(read_query(options.query));
  auto induced = TRY(induced_graph(read.query, read.universe));
  if (induced.answers.size() != noise.rows()) {
    return fail(Code::kUsage, fmt::format("the query has {} answers and the channel {} rows; "
                                          "accepted are as many",
                                          induced.answers.size(), noise.rows()));
  }
  auto answers = TRY(answers_of(read.query, read.universe, induced));
  return oblivious(noise, answers);
}

using Make = Result<Channel> (*)(const Options&);

Status make(const Options& options, Make how) {
  for (const auto& [option, path] :
       {std::pair("plot", options.plot), std::pair("output", options.output)})
    if (!path.empty()) TRY(can_write(option, path));
  auto made = TRY(how(options));
  TRY(plot_matrix(options.plot, made, "P(output | input)"));
  if (!options.output.empty()) TRY(write_whole("output", options.output, csv_of(made)));
  if (options.json) return print(Json{{"matrix", json_matrix(made)}}.dump() + "\n");
  return options.output.empty() ? print(csv_of(made)) : Status{};
}

struct Kind {
  const char *name, *what, *example;
  Make how;
  std::string_view takes;  // s size, e ε, w window, c coins, x exponential, 1 2 channels, q query
};

void add_kind(CLI::App& parent, Action& chosen, const Kind& kind) {
  CLI::App* command = add_verb(parent, kind.name, kind.what, kind.example);
  auto options = std::make_shared<Options>();
  const auto takes = [&](char c) { return kind.takes.find(c) != std::string_view::npos; };
  if (takes('1')) command->add_option("FILE", options->first, "a channel")->required();
  if (takes('2')) command->add_option("SECOND", options->second, "another one")->required();
  if (takes('s'))
    command->add_option("--size", options->size, "how many inputs, 0 to size−1")->required();
  if (takes('e')) command->add_option("--epsilon", options->epsilon, "ε, above 0")->required();
  if (takes('w')) {
    command->add_option("--from", options->low, "the window's lowest output")->required();
    command->add_option("--to", options->high, "the window's highest output")->required();
  }
  if (takes('c')) {
    command->add_option("--truth", options->truth, "the chance of the truth")
        ->capture_default_str();
    command->add_option("--yes", options->yes, "the chance of a yes otherwise")
        ->capture_default_str();
  }
  if (takes('x')) {
    command
        ->add_option("--scores", options->scores,
                     "a CSV file: one row an input, one column an output")
        ->required();
    command->add_option("--sensitivity", options->sensitivity,
                        "the most a score changes between neighbours (found from the scores)");
    command->add_flag("--monotone", options->monotone,
                      "scores of neighbours all move the same way: e^(ε·score/Δ)");
    command->add_option("--graph", options->graph, "path, cycle, complete or a file of edges")
        ->capture_default_str();
  }
  if (takes('q')) {
    add_query_options(*command, options->query);
    for (const char* name : {"--query", "--values", "--records"})
      command->get_option(name)->required(false);
    command->add_option("--map", options->map, "f itself: a row of the channel for each database");
  }
  command->add_option("--output", options->output, "write the CSV to this file");
  command->add_option("--plot", options->plot, "draw it as a heat map in this SVG file");
  command->add_flag("--json", options->json, "one JSON object");
  command->callback([options, how = kind.how, &chosen] {
    chosen = [options, how] { return make(*options, how); };
  });
}

}  // namespace

void add_channel_make(CLI::App& area, Action& chosen) {
  CLI::App* command =
      add_verb(area, "make", "The matrix of a mechanism, exactly, as CSV",
               "discreet channel make truncated-geometric --size 6 --epsilon 'ln(2)'");
  command->require_subcommand(1);
  static constexpr Kind kKinds[] = {
      {"truncated-geometric", "Geometric noise on 0 … size−1, clamped to it",
       "discreet channel make truncated-geometric --size 6 --epsilon 'ln(2)'", make_truncated,
       "se"},
      {"geometric", "Geometric noise seen through a window whose ends hold the tails",
       "discreet channel make geometric --size 6 --from -5 --to 10 --epsilon 'ln(2)'",
       make_geometric, "sew"},
      {"flat", "k-ary randomized response: the truth e^ε times as likely as any other",
       "discreet channel make flat --size 4 --epsilon 'ln(3)'", make_flat, "se"},
      {"randomized-response", "Yes or no, from coins",
       "discreet channel make randomized-response --truth 1/2 --yes 1/2", make_coins, "c"},
      {"exponential", "The exponential mechanism from a matrix of scores",
       "printf '2,0\\n1,1\\n0,2\\n' > scores.csv && discreet channel make exponential --scores "
       "scores.csv --epsilon 1 --graph path",
       make_exponential, "xe"},
      {"product", "Two mechanisms, each on an input of its own",
       "discreet channel make product coin.csv coin.csv", make_of_two<product>, "12"},
      {"together", "Two mechanisms on the same input",
       "discreet channel make together coin.csv coin.csv", make_of_two<same_input>, "12"},
      {"compose", "Post-processing: the first one's output goes into the second",
       "discreet channel make compose coin.csv coin.csv", make_of_two<after>, "12"},
      {"oblivious", "H∘f: noise on the answer of a query, a row for each database",
       "discreet channel make oblivious 'truncated-geometric(size=4, epsilon=ln(2))' --query count "
       "--values 0,1 --records 3",
       make_oblivious, "1q"},
  };
  for (const Kind& kind : kKinds) add_kind(*command, chosen, kind);
}

}  // namespace discreet::cli
