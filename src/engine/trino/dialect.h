// Trino's SQL. Its doubles are Java's, which raise no error; its whole numbers and casts do, and
// its comparisons know NaN as equal to nothing, so these are looked after.
//
//   policy::Catalog catalog;
//   bound::Secret secret;
//   Dialect dialect(catalog, "hive", secret);
//   auto text = *dialect.cast("c0", policy::Type::kDouble, policy::Type::kInt);
//
// Values are those of engine/duckdb: texts are compared by their bytes, NaN is one number and the
// largest, what has no value is NULL. (Logarithms, exp, powers, sine and cosine are Java's: their
// last bit may be another than C's.)
#pragma once

#include "discreet/bound/secret.h"
#include "discreet/engine/pushdown/dialect.h"
#include "discreet/policy/catalog.h"

namespace discreet::engine::trino {

class Dialect final : public pushdown::Dialect {
 public:
  // The secret's words stand in the statement: Trino has no parameters that its records of queries
  // don't show too, and whoever reads those reads the rows anyway.
  // Of several shares of the units, a power of two, the statement is for one. Or for no row at all,
  // and no table: to see whether it runs.
  struct Share {
    unsigned which = 0, of = 1;
    bool nothing = false;
  };
  Dialect(const policy::Catalog& catalog, std::string trino_catalog, const bound::Secret& secret,
          Share share)
      : catalog_(catalog),
        trino_catalog_(std::move(trino_catalog)),
        secret_(secret),
        share_(share) {}
  Dialect(const policy::Catalog& catalog, std::string trino_catalog, const bound::Secret& secret)
      : Dialect(catalog, std::move(trino_catalog), secret, Share()) {}

  Result<std::string> scan(const sql::Relation& relation) const override;
  std::string_view type(policy::Type type) const override;
  std::string in_share(const std::string& unit, policy::Type type, bool one_table) const override;
  Result<std::string> literal(const policy::Value& value) const override;

  Result<std::string> arithmetic(sql::Op op, const Operand& a, const Operand& b) const override;
  std::string compared(std::string_view symbol, policy::Type type, const std::string& a,
                       const std::string& b) const override;
  std::string among(const std::string& value, policy::Type type,
                    const std::vector<std::string>& list) const override;
  std::string ordered(const std::string& expr, policy::Type type) const override;
  Result<std::string> cast(const std::string& inner, policy::Type from,
                           policy::Type to) const override;
  Result<std::string> like(const std::string& text, const std::string& pattern,
                           bool any_case) const override;
  Result<std::string> call(const sql::Expr& call,
                           const std::vector<std::string>& args) const override;
  std::string shifted(const sql::Expr& shift, const std::string& moment) const override;
  Result<std::string> folded(const sql::Folded& folded, const std::string& arg) const override;

  std::string travelling(const std::string& expr, policy::Type type) const override;
  std::string as_real(const std::string& expr, policy::Type type) const override;
  std::string number(const std::string& value) const override;
  std::string real_text(const std::string& value) const override;
  std::string on_grid(const std::string& value, const bound::Slot& slot) const override;
  std::string clamps(const std::string& value, const bound::Slot& slot) const override;
  std::string edges_below(const std::string& value,
                          const std::vector<double>& edges) const override;
  std::string place_in(const std::string& value,
                       const std::vector<std::string>& list) const override;

  std::string hash_whole(const std::string& value, const std::string& key) const override;
  std::string hash_halves(const std::string& value, const std::string& key) const override;
  std::string hash_real(const std::string& value, const std::string& key) const override;
  std::string hash_text(const std::string& value, const std::string& key) const override;
  std::string exclusive_or(const std::string& a, const std::string& b) const override;
  std::string secret(std::size_t n) const override;

  std::string wide(const std::string& whole) const override;
  std::string summed(const std::string& whole) const override { return "sum(" + wide(whole) + ")"; }
  // There is no such word: what is read twice is calculated twice, by some connectors from files as
  // they are found.
  std::string_view materialized() const override { return ""; }
  bool keeps_stages() const override { return false; }
  std::string floor_quotient(const std::string& a, const std::string& b) const override;

 private:
  const policy::Catalog& catalog_;
  const std::string trino_catalog_;
  const bound::Secret secret_;
  const Share share_;
};

// Why a question can't be answered here: before anything is spent, and the same for all rows.
tl::unexpected<Error> not_here(const std::string& what, const std::string& hint = {});

// A double as a literal, to its last bit.
std::string real(double value);
// How deep lambdas stand in lambdas: each is named by that, v0_, v1_, …
std::size_t lambdas_in(const std::vector<std::string>& texts);
// Trino's planner takes twice as long for each: so deep, about a second.
inline constexpr std::size_t kMostLambdas = 10;
// `body` with {0}, {1}, … for the arguments, which stand there more than once: long ones are
// calculated once, as the fields of a row that a lambda is given.
std::string let(const std::vector<std::string>& args, std::string_view body);
// A text in small letters, and in capitals, as DuckDB has them.
std::string lowered(const std::string& text);
std::string raised(const std::string& text);
// The nearest whole number, halves to even, as a double: {0} in a body.
inline constexpr std::string_view kNearest =
    "CASE WHEN abs({0}) >= DOUBLE '4503599627370496' THEN {0} WHEN {0} < DOUBLE '0' THEN ({0} - "
    "DOUBLE '4503599627370496') + DOUBLE '4503599627370496' ELSE ({0} + DOUBLE "
    "'4503599627370496') - DOUBLE '4503599627370496' END";

}  // namespace discreet::engine::trino
