// What an engine's SQL has to say for itself where a question is pushed down into it; all the rest
// (print.h, bounding.h) is the same for every engine.
//
// Whatever a dialect prints is total: no row can make it fail, whatever it holds, and its value is
// the one that DuckDB gives (engine/duckdb), to the last bit. What an engine can't calculate so is
// refused, before anything is reserved.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "discreet/bound/shape.h"
#include "discreet/sql/algebra.h"

namespace discreet::engine::pushdown {

class Dialect {
 public:
  virtual ~Dialect() = default;

  // --- tables, types, literals
  // A SELECT of the table's columns c0, c1, … (and u), each read totally as its type.
  virtual Result<std::string> scan(const sql::Relation& relation) const = 0;
  virtual std::string_view type(policy::Type type) const = 0;
  virtual Result<std::string> literal(const policy::Value& value) const = 0;
  // What a stage that is read twice is marked with, so that it is calculated once.
  virtual std::string_view materialized() const { return "MATERIALIZED "; }
  // Whether that is so: it is the same rows both times.
  virtual bool keeps_stages() const = 0;

  // What ends a SELECT that the engine is to keep as it is, where it would put each expression of
  // it wherever its column stands in the SELECT around it; nothing where it never does.
  virtual std::string_view kept_apart() const { return ""; }

  // Whether a unit is in the share of units that a statement is for, where an engine asks for
  // several shares (rows.h: comes_in_shares); nothing where it doesn't.
  virtual std::string in_share(const std::string& unit, policy::Type type,
                               bool one_table) const = 0;

  // --- expressions, from printed arguments
  // +, −, ·, /, % of doubles, with the expressions that they were printed from.
  struct Operand {
    std::string text;
    const sql::Expr* expr;
  };
  virtual Result<std::string> arithmetic(sql::Op op, const Operand& a, const Operand& b) const = 0;
  // <, <=, … of two values of one type, texts by their bytes.
  virtual std::string compared(std::string_view symbol, policy::Type type, const std::string& a,
                               const std::string& b) const = 0;
  // Whether the value equals one of some, as `compared` has it.
  virtual std::string among(const std::string& value, policy::Type type,
                            const std::vector<std::string>& list) const = 0;
  // What ORDER BY sorts by.
  virtual std::string ordered(const std::string& expr, policy::Type type) const = 0;
  virtual Result<std::string> cast(const std::string& inner, policy::Type from,
                                   policy::Type to) const = 0;
  // Without any character that escapes another.
  virtual Result<std::string> like(const std::string& text, const std::string& pattern,
                                   bool any_case) const = 0;
  virtual Result<std::string> call(const sql::Expr& call,
                                   const std::vector<std::string>& args) const = 0;
  // A moment moved by the call's literal.
  virtual std::string shifted(const sql::Expr& shift, const std::string& moment) const = 0;
  // An aggregate of the column `arg`, in the dialect's own words.
  virtual Result<std::string> folded(const sql::Folded& folded, const std::string& arg) const = 0;

  // --- values on their way out, and on the grid
  // All but reals and texts as whole numbers; −0 as 0.
  virtual std::string travelling(const std::string& expr, policy::Type type) const = 0;
  // Days or seconds since 1970, and other numbers, as a double.
  virtual std::string as_real(const std::string& expr, policy::Type type) const = 0;
  // A double without NaN, which is NULL.
  virtual std::string number(const std::string& value) const = 0;
  // A double as text, the shortest that reads back, as DuckDB writes it.
  virtual std::string real_text(const std::string& value) const = 0;
  // The nearest whole number times step, between low and high (halves to even); NaN is NULL.
  virtual std::string on_grid(const std::string& value, const bound::Slot& slot) const = 0;
  // A truth value: whether on_grid had to clamp it.
  virtual std::string clamps(const std::string& value, const bound::Slot& slot) const = 0;
  // How many of the edges, which grow, are below the value (a whole number, or a double).
  virtual std::string edges_below(const std::string& value,
                                  const std::vector<double>& edges) const = 0;
  // The place of the value in the list, from 0 on; NULL where it isn't there.
  virtual std::string place_in(const std::string& value,
                               const std::vector<std::string>& list) const = 0;

  // --- the keyed hash (bound/hashing.h): whole numbers of 64 bits
  virtual std::string hash_whole(const std::string& value, const std::string& key) const = 0;
  // … by its upper half, with the hash of its lower half as the key.
  virtual std::string hash_halves(const std::string& value, const std::string& key) const = 0;
  virtual std::string hash_real(const std::string& value, const std::string& key) const = 0;
  virtual std::string hash_text(const std::string& value, const std::string& key) const = 0;
  virtual std::string exclusive_or(const std::string& a, const std::string& b) const = 0;
  // The n-th word of the secret, from 0 on.
  virtual std::string secret(std::size_t n) const = 0;

  // --- whole numbers wider than 64 bits
  virtual std::string wide(const std::string& whole) const = 0;
  // Σ of whole numbers of 64 bits, in which they can't overflow.
  virtual std::string summed(const std::string& whole) const { return "sum(" + whole + ")"; }
  // ⌊a / b⌋, b > 0.
  virtual std::string floor_quotient(const std::string& a, const std::string& b) const = 0;
};

}  // namespace discreet::engine::pushdown
