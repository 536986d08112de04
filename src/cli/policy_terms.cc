#include "discreet/cli/policy_terms.h"

#include <fmt/format.h>
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <filesystem>

#include "discreet/ledger/durable_file.h"
#include "discreet/ledger/record.h"

namespace discreet::cli {

Result<ledger::Terms> read_terms(const std::string& policy_path) {
  auto text = ledger::read_whole(policy_path);
  if (!text) return forward_error(text);
  if (!*text)
    return fail(Code::kFailure, fmt::format("--policy: there is no file {}", policy_path));
  const toml::parse_result parsed = toml::parse(**text, policy_path);
  if (!parsed)
    return fail(Code::kUsage, fmt::format("{}: {}", policy_path, parsed.error().description()));
  const toml::table& root = parsed.table();
  const auto policy = root["policy"];
  const auto number = [&](auto node, const char* key) -> Result<Rational> {
    if (const auto whole = node.template value_exact<std::int64_t>()) return Rational(*whole);
    if (const auto real = node.template value_exact<double>())
      return parse_number(to_text(*real), Rounding::kDown);
    return fail(Code::kUsage, fmt::format("{}: {}: found no number", policy_path, key));
  };
  ledger::Terms terms;
  terms.policy = policy["name"].value_or(std::string("policy"));
  terms.policy_hash = ledger::sha256_hex(**text);
  auto epsilon = number(policy["budget"]["epsilon"], "budget.epsilon");
  if (!epsilon) return forward_error(epsilon);
  terms.epsilon = *epsilon;
  if (policy["budget"]["delta"]) {
    auto delta = number(policy["budget"]["delta"], "budget.delta");
    if (!delta) return forward_error(delta);
    terms.delta = *delta;
  }
  auto accountant =
      ledger::parse_accountant(policy["budget"]["accountant"].value_or(std::string("approx")));
  if (!accountant) return forward_error(accountant);
  terms.accountant = *accountant;
  if (const auto days = policy["budget"]["renewal_days"].value<std::int64_t>())
    terms.renewal = std::chrono::seconds(*days * 86'400);
  if (policy["max_epsilon_per_query"]) {
    auto most = number(policy["max_epsilon_per_query"], "max_epsilon_per_query");
    if (!most) return forward_error(most);
    terms.max_epsilon_per_query = *most;
  }
  const std::filesystem::path path = std::filesystem::weakly_canonical(policy_path);
  const std::filesystem::path folder = path.parent_path();
  const auto place = policy["ledger"].value<std::string>();
  terms.location = !place ? (folder / (path.stem().string() + ".ledger")).string()
                   : place->find("://") != std::string::npos ? *place
                                                             : (folder / *place).string();
  if (const toml::table* tables = root["tables"].as_table()) {
    for (const auto& [name, table] : *tables) {
      const toml::table* about = table.as_table();
      if (about == nullptr || (*about)["public"].value_or(false)) continue;
      std::string source = (*about)["source"].value_or(std::string());
      if (const std::size_t hash = source.find('#'); hash != std::string::npos) source.resize(hash);
      if (!source.empty())
        terms.sources.push_back(std::filesystem::weakly_canonical(folder / source).string());
    }
  }
  return terms;
}

}  // namespace discreet::cli
