// PostgreSQL's SQL. Where one of its functions or operators would raise an error on some value (its
// doubles raise one where IEEE has an infinity or a zero), the value is looked at first.
//
//   policy::Catalog catalog;  // from an engine's schemas
//   Dialect dialect(catalog);
//   auto text = *dialect.cast("c0", policy::Type::kDouble, policy::Type::kInt);  // (CASE WHEN …
//
// All values are those of engine/duckdb: texts are compared by their bytes, doubles know NaN as the
// largest and one of its kind, what has no value is NULL.
#pragma once

#include "discreet/engine/pushdown/dialect.h"
#include "discreet/policy/catalog.h"

namespace discreet::engine::postgres {

class Dialect final : public pushdown::Dialect {
 public:
  // The secret is words of a statement's parameters $1 … $4.
  explicit Dialect(const policy::Catalog& catalog) : catalog_(catalog) {}

  Result<std::string> scan(const sql::Relation& relation) const override;
  std::string_view type(policy::Type type) const override;
  std::string_view kept_apart() const override { return " OFFSET 0"; }
  bool keeps_stages() const override { return true; }
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
  std::string floor_quotient(const std::string& a, const std::string& b) const override;

 private:
  const policy::Catalog& catalog_;
};

// Why a question can't be answered here: before anything is spent, and the same for all rows.
tl::unexpected<Error> not_here(const std::string& what, const std::string& hint = {});

// A double as a literal, to its last bit.
std::string real(double value);
// `body` with {0}, {1}, … for the arguments, which stand there more than once: long ones are
// calculated once, in a subquery that PostgreSQL keeps as it is.
std::string let(const std::vector<std::string>& args, std::string_view body);

std::string lowered(const std::string& text);
std::string raised(const std::string& text);

// A regular expression of RE2 as one of PostgreSQL's; nothing where they could differ.
std::optional<std::string> translated(std::string_view pattern, bool whole_text);

}  // namespace discreet::engine::postgres
