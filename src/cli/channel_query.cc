#include "discreet/cli/channel_query.h"

#include <fmt/format.h>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/channel/csv.h"
#include "discreet/cli/channel_input.h"
#include "discreet/cli/numbers_file.h"

namespace discreet::cli {

void add_query_options(CLI::App& command, QueryOptions& options) {
  command
      .add_option(
          "--query", options.query,
          "count, sum, average, min, max, mode (the smallest of the most frequent) or table")
      ->required();
  command.add_option("--values", options.values, "what a record may be, such as 0,1,2")->required();
  command.add_option("--records", options.records, "how many records a database has")->required();
  command.add_option("--counted", options.counted,
                     "for count: the values that count (all but 0 otherwise)");
  command.add_option("--table", options.table,
                     "for table: a file with one database a line, its records and then the answer");
  command
      .add_option("--relation", options.relation,
                  "substitute: neighbours differ in one record; add-remove: one has a record more, "
                  "and databases have up to --records")
      ->capture_default_str();
}

Result<ReadQuery> read_query(const QueryOptions& options) {
  auto kind = TRY(channel::query_named(options.query));
  auto values = TRY(read_number_list("--values", options.values));
  auto records = TRY(read_integer("records", options.records, 1, 100'000));
  ReadQuery out{{.kind = kind},
                {.values = std::move(values), .records = static_cast<std::size_t>(records)}};
  if (options.relation == "add-remove") {
    out.universe.relation = privacy::Relation::kAddRemove;
  } else if (options.relation != "substitute") {
    return bad_parameter("relation", fmt::format("found {}; accepted is substitute or "
                                                 "add-remove",
                                                 quote(options.relation)));
  }
  if (!options.counted.empty()) {
    auto counted = TRY(read_number_list("--counted", options.counted));
    out.query.counted = std::move(counted);
  }
  const bool table = kind == channel::Query::Kind::kTable;
  if (table == options.table.empty()) {
    return fail(Code::kUsage, table ? "--query table: needs --table, a file of answers"
                                    : "--table: found without --query table");
  }
  if (!table) return out;
  auto text = TRY(read_text(options.table));
  auto read = TRY(channel::read_matrix(options.table, text, out.universe.records + 1));
  for (auto& row : read.rows) {
    const Rational answer = row.numbers.back();
    row.numbers.pop_back();
    if (!out.query.table.emplace(row.numbers, answer).second) {
      return fail(Code::kUsage,
                  fmt::format("{}, line {}, column 1: found a database for the second "
                              "time; accepted is each once",
                              options.table, row.line));
    }
  }
  return out;
}

}  // namespace discreet::cli
