// A table's rows as columns of numbers, for what learns from them: each unit's one row, or every
// row where each is a unit of its own.
//
//   #include "discreet/random/generator.h"
//   #include "discreet/engine/duckdb/duckdb.h"
//   const policy::Policy policy = *policy::Policy::read("clinic.toml");
//   auto schemas = *(*Duckdb::open(policy, {}))->schemas();
//   const policy::Catalog catalog = *policy::make_catalog(policy, schemas);
//   MatrixRequest request{.table = "visits", .columns = {{"age"}, {"ward", {}}}};
//   request.columns[1].choices = {policy::Value::text("A"), policy::Value::text("B")};
//   auto matrix = read_matrix(policy, catalog, request, {}, {}, random::thread_generator());
//
// No row can make it fail: a field that can't be read as its column's type is missing (NaN), and so
// is one that is none of the choices. Rows are those of this project's own readers (csv.h, json.h),
// so that one unit's bytes don't decide what another's mean. A unit with several rows gets one of
// them, each with the same probability, whatever the others have; rows that belong to nobody are
// left out.
#pragma once

#include <string>
#include <vector>

#include "discreet/engine/engine.h"
#include "discreet/engine/failure.h"
#include "discreet/random/source.h"

namespace discreet::engine::duckdb {

struct MatrixColumn {
  std::string name;
  // Not empty: the number of the choice that it is, values of the column's type.
  std::vector<policy::Value> choices = {};
};

struct MatrixRequest {
  std::string table;
  std::vector<MatrixColumn> columns;
};

struct Matrix {
  std::size_t rows = 0;
  std::vector<std::vector<double>> columns;  // by column, then row; NaN: missing
};

// Columns of texts need choices; others are refused, as are columns that the table hasn't. With one
// thread (limits) rows come in the order of the file.
Result<Matrix> read_matrix(const policy::Policy& policy, const policy::Catalog& catalog,
                           const MatrixRequest& request, const Limits& limits, const Watch& watch,
                           random::Source& source, Reserved reserved = Reserved::kStays);

}  // namespace discreet::engine::duckdb
