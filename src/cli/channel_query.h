// The options that say what a query is over: shared by `channel graph` and `channel make
// oblivious`.
#pragma once

#include <string>

#include "discreet/channel/query.h"
#include "discreet/cli/command.h"

namespace discreet::cli {

struct QueryOptions {
  std::string query, values, records, counted, table, relation = "substitute";
};
void add_query_options(CLI::App& command, QueryOptions& options);

struct ReadQuery {
  channel::Query query;
  channel::Universe universe;
};
Result<ReadQuery> read_query(const QueryOptions& options);

}  // namespace discreet::cli
