// discreet channel optimal and universal: the best mechanism for a user, and whether one is best
// for all.
#include <fmt/format.h>

#include <memory>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/channel/universal.h"
#include "discreet/cli/channel_input.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/channel_verbs.h"
#include "discreet/cli/out_file.h"

namespace discreet::cli {
namespace {

using namespace channel;

struct Options {
  std::string graph, size, epsilon, gain = "identity", method, output, certificate, plot;
  std::vector<std::string> priors;
  bool check = false, json = false;
};

// Rounded such that each claim holds as it is printed.
Json json_of(const Certificate& certificate) {
  return {{"primal", to_double(certificate.primal, Rounding::kDown)},
          {"dual", to_double(certificate.dual, Rounding::kUp)},
          {"gap", to_double(certificate.gap(), Rounding::kUp)}};
}

// Everything that the dual bound follows from, exactly.
Json json_of(const Problem& problem, const Multipliers& multipliers) {
  const auto list = [](const std::vector<Rational>& numbers) {
    Json out = Json::array();
    for (const Rational& number : numbers) out.push_back(number.get_str());
    return out;
  };
  Json guesses = Json::array();
  for (std::size_t w = 0; w < problem.guesses; ++w) {
    Json edges = Json::array();
    for (const auto& [from, to, amount] : multipliers.edges[w])
      edges.push_back({from, to, amount.get_str()});
    Json guess{{"edges", edges}};
    if (!multipliers.pools.empty()) {
      guess["over"] = list(multipliers.pools[w].over);
      guess["under"] = list(multipliers.pools[w].under);
    }
    guesses.push_back(std::move(guess));
  }
  return {{"ratio",
           {{"lower", problem.ratio.lower.get_str()}, {"upper", problem.ratio.upper.get_str()}}},
          {"multipliers", guesses}};
}

Result<Graph> graph_of(const Options& options) {
  std::optional<std::size_t> size;
  if (!options.size.empty()) {
    auto read = TRY(read_integer("size", options.size, 1, 40'000));
    size = static_cast<std::size_t>(read);
  }
  return read_graph(options.graph, size);
}

Result<Method> method_of(const Options& options) {
  if (options.method.empty()) return Method::kAutomatic;
  if (options.method == "closed-form") return Method::kClosedForm;
  if (options.method == "linear-program") return Method::kLinearProgram;
  return bad_parameter("method", fmt::format("found {}; accepted is closed-form or "
                                             "linear-program",
                                             quote(options.method)));
}

const char* name_of(Method method) {
  return method == Method::kClosedForm ? "closed-form" : "linear-program";
}

// Several users: what each would get alone.
Result<std::vector<Certificate>> alone(const Graph& graph, const Ratio& ratio,
                                       const std::vector<User>& users) {
  std::vector<Certificate> out;
  for (const User& user : users) {
    auto problem = TRY(make_problem(graph, ratio, {user}));
    auto best = TRY(optimal(problem));
    out.push_back(std::move(best.certificate));
  }
  return out;
}

Status optimum(const Options& options) {
  for (const auto& [option, path] :
       {std::pair("plot", options.plot), std::pair("output", options.output),
        std::pair("certificate", options.certificate)})
    if (!path.empty()) TRY(can_write(option, path));
  auto ratio = TRY(parse_ratio("epsilon", options.epsilon));
  auto method = TRY(method_of(options));
  auto graph = TRY(graph_of(options));
  auto gain = TRY(read_gain(options.gain, graph));
  std::vector<User> users;
  for (const std::string& text : options.priors) {
    auto prior = TRY(read_prior(text, graph.size()));
    users.push_back({std::move(prior), gain});
  }
  auto problem = TRY(make_problem(graph, ratio, users));
  auto best = TRY(optimal(problem, method));
  const Certificate& proof = best.certificate;
  Json json{{"utility", to_double(proof.primal, Rounding::kDown)},
            {"matrix", json_matrix(best.channel)},
            {"certificate", json_of(proof)},
            {"method", name_of(best.method)}};
  std::string text = fmt::format(
      "utility is {}, and no epsilon-private mechanism has more than {}\n"
      "found by {}, gap {:.2g}\n",
      to_text(to_double(proof.primal, Rounding::kDown)),
      to_text(to_double(proof.dual, Rounding::kUp)),
      best.method == Method::kClosedForm ? "closed form (truncated geometric and the best remap)"
                                         : "linear program",
      to_double(proof.gap(), Rounding::kUp));
  if (best.exact && !short_exact(*best.exact).empty()) {
    json["exact"] = short_exact(*best.exact);
    text += fmt::format("before rounding to doubles: exactly {}\n", short_exact(*best.exact));
  }
  if (users.size() > 1) {
    auto each = TRY(alone(graph, ratio, users));
    Json parts = Json::array();
    Rational sum;
    for (const Certificate& certificate : each) {
      parts.push_back(json_of(certificate));
      sum += certificate.primal;
    }
    json["alone"] = parts;
    text += fmt::format("alone the users could have {:.12g} in all\n", to_double(sum));
  }
  if (options.check) {
    auto other = TRY(optimal(problem, Method::kLinearProgram));
    json["check"] = json_of(other.certificate);
    text += fmt::format("the linear program finds {}, and at most {}\n",
                        to_text(to_double(other.certificate.primal, Rounding::kDown)),
                        to_text(to_double(other.certificate.dual, Rounding::kUp)));
  }
  if (auto ok =
          plot_matrix(options.plot, best.channel, "The best mechanism: P(guess | input)", "guess");
      !ok)
    return ok;
  if (!options.output.empty()) TRY(write_whole("output", options.output, csv_of(best.channel)));
  if (!options.certificate.empty()) {
    const std::string proof_text = json_of(problem, best.multipliers).dump() + "\n";
    TRY(write_whole("certificate", options.certificate, proof_text));
  }
  return finish(options.json, json, text + table_of(best.channel));
}

Json prior_json(const Prior& prior) {
  Json out = Json::array();
  for (const Rational& p : prior) out.push_back(to_double(p));
  return out;
}

std::string support(const Prior& prior) {
  std::string out;
  for (std::size_t y = 0; y < prior.size(); ++y)
    if (sgn(prior[y]) != 0) out += fmt::format("{}{}", out.empty() ? "" : " or ", y);
  return out;
}

Status universal(const Options& options) {
  auto ratio = TRY(parse_ratio("epsilon", options.epsilon));
  auto graph = TRY(graph_of(options));
  auto found = TRY(universality(graph, ratio));
  Json json{{"universal", found.path      ? Json(true)
                          : found.witness ? Json(false)
                                          : Json(nullptr)},
            {"tried", found.tried}};
  if (found.path) {
    return finish(options.json, json,
                  "yes: on a path the truncated geometric mechanism is best for every prior and "
                  "monotone gain\n");
  }
  if (!found.witness) {
    return finish(options.json, json,
                  fmt::format("not known: none of {} pairs of users refutes it\n", found.tried));
  }
  const Witness& witness = *found.witness;
  const Rational alone = witness.first_alone.primal + witness.second_alone.primal;
  json["witness"] = {{"priors", {prior_json(witness.first), prior_json(witness.second)}},
                     {"alone", {json_of(witness.first_alone), json_of(witness.second_alone)}},
                     {"together", json_of(witness.together)}};
  return finish(
      options.json, json,
      fmt::format("no: a user who expects {} and one who expects {} could have {:.9g} + {:.9g} = "
                  "{:.9g} alone,\nand any one mechanism gives them at most {:.9g}\n",
                  support(witness.first), support(witness.second),
                  to_double(witness.first_alone.primal), to_double(witness.second_alone.primal),
                  to_double(alone), to_double(witness.together.dual)));
}

void add_common(CLI::App& command, Options& options) {
  command
      .add_option("--graph", options.graph,
                  "which inputs are neighbours: path, cycle, complete or a file of edges")
      ->required();
  command.add_option("--size", options.size, "how many inputs (a file of edges may say)");
  command.add_option("--epsilon", options.epsilon, "ε, from 1e-6 to 30")->required();
  command.add_flag("--json", options.json, "one JSON object");
}

}  // namespace

void add_channel_optimal(CLI::App& area, Action& chosen) {
  CLI::App* best = add_verb(area, "optimal", "The best ε-private mechanism, with a proof",
                            "discreet channel optimal --graph path --size 6 --epsilon 'ln(2)' "
                            "--prior uniform --gain identity");
  auto options = std::make_shared<Options>();
  add_common(*best, *options);
  best->add_option("--prior", options->priors,
                   "uniform, binomial, binomial(1/3), a list or a file; several times for several "
                   "users at once")
      ->required()
      ->expected(1)
      ->take_all();
  best->add_option("--gain", options->gain,
                   "identity, distance (minus the steps on the graph), or a file: one row a guess, "
                   "one column a true value")
      ->capture_default_str();
  best->add_option("--method", options->method,
                   "closed-form or linear-program; else the closed form where it is proved best");
  best->add_flag("--check", options->check, "solve the linear program as well");
  best->add_option("--output", options->output, "write the matrix to this CSV file, exactly");
  best->add_option("--certificate", options->certificate,
                   "write the multipliers that prove the bound to this JSON file, exactly");
  best->add_option("--plot", options->plot, "draw it as a heat map in this SVG file");
  best->callback([options, &chosen] { chosen = [options] { return optimum(*options); }; });

  CLI::App* all = add_verb(area, "universal", "Whether one mechanism can be best for every user",
                           "discreet channel universal --graph cycle --size 4 --epsilon 'ln(2)'");
  auto others = std::make_shared<Options>();
  add_common(*all, *others);
  all->callback([others, &chosen] { chosen = [others] { return universal(*others); }; });
}

}  // namespace discreet::cli
