// What `discreet sql` and `discreet explain` share: the query, the policy and the options that
// change accuracy or cost.
#pragma once

#include <memory>
#include <string>

#include "discreet/cli/command.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/sql/parse.h"

namespace discreet::cli {

struct QueryOptions {
  std::string policy, query, file;
  std::string epsilon, delta, max_groups, max_rows, max_total, bounds, min_units, selection,
      confidence = "0.95", analyst, memory, threads;

  void add_to(CLI::App& verb);
  Result<sql::Options> flags() const;
  Result<Rational> read_confidence() const;
  Result<engine::Limits> limits() const;
  // The argument, the file (-f), or standard input.
  Result<std::string> text() const;
  bool has_text() const { return !query.empty() || !file.empty(); }
  std::string who() const;  // --as, else the login name
};

}  // namespace discreet::cli
