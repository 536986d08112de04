#include "discreet/sql/parse.h"

#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/sql/clause.h"
#include "discreet/sql/parser.h"
#include "discreet/sql/read_syntax.h"

namespace discreet::sql {
namespace {

using std::string;
constexpr std::size_t kLongestQuery = 1'000'000;
constexpr double kMostParsed = 30'000;  // words and marks

}  // namespace

Result<Parsed> parse(const string& text, const Parser& parser) {
  Parsed out;
  out.text = text;
  if (text.size() > kLongestQuery)
    return fail(Code::kRefused, "the query is longer than a million bytes");
  if (text.find('\0') != string::npos) return fail(Code::kRefused, "the query holds a NUL byte");
  if (parsed_size(text) > kMostParsed)
    return fail(Code::kRefused,
                fmt::format("the query has more than {} words and marks", kMostParsed),
                "a public table holds long lists; CASE x WHEN … copies x for each WHEN");
  string plain = text;
  TRY(lift_clause(plain, out.options));
  const string serialized = TRY(parser.serialize(plain));
  out.query = TRY(read_syntax(serialized, text));
  return out;
}

Result<Options> merge(const Options& flags, const Options& query) {
  Options out = query;
  Status ok;
  const auto one = [&](auto& into, const auto& flag, const char* name, const char* option) {
    if (!flag) return;
    if (into && *into != *flag && ok)
      ok = fail(Code::kUsage, named(name) + fmt::format(" and the query's {} disagree", option),
                "say it once");
    into = flag;
  };
  one(out.epsilon, flags.epsilon, "epsilon", "epsilon");
  one(out.delta, flags.delta, "delta", "delta");
  one(out.max_groups, flags.max_groups, "max-groups", "max_groups_contributed");
  one(out.max_total, flags.max_total, "max-rows-total", "max_rows_contributed");
  one(out.min_units, flags.min_units, "min-units", "min_privacy_units_per_group");
  one(out.selection, flags.selection, "selection", "group_selection_strategy");
  one(out.unit_column, flags.unit_column, "unit-column", "privacy_unit_column");
  if (!ok) return forward_error(ok);
  // No clause of a query says these.
  if (flags.max_rows) out.max_rows = flags.max_rows;
  out.measure_bounds = flags.measure_bounds;
  out.assume_bounds = flags.assume_bounds;
  return out;
}

}  // namespace discreet::sql
