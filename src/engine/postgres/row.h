// A row in PostgreSQL's binary form.
#pragma once

#include <vector>

#include "discreet/engine/pushdown/contributions.h"

struct pg_result;

namespace discreet::engine::postgres {

// Whether the answer's columns are of these kinds: bigint, double precision, text, numeric.
bool has_columns(const pg_result* answer, const std::vector<pushdown::Held>& expected);
// Whether its first row has, in such columns, what is NULL or as long as it should be: the server
// is trusted with the data, and with nothing else.
bool is_held(pushdown::Held held, std::string_view bytes);
bool has_values(const pg_result* answer, const std::vector<pushdown::Held>& expected);

// The first row of an answer that was looked at. What isn't as it should be would read as 0.
class BinaryRow final : public pushdown::Row {
 public:
  explicit BinaryRow(const pg_result* answer) : answer_(answer) {}
  bool is_null(std::size_t column) const override;
  std::int64_t whole(std::size_t column) const override;
  double real(std::size_t column) const override;
  std::string_view text(std::size_t column) const override;
  bound::Wide wide(std::size_t column) const override;

 private:
  const pg_result* answer_;
};

// Whether these are a finite numeric's bytes.
bool is_numeric(std::string_view bytes);
// … its whole part, cut at ±2^100; 0 where they are none.
bound::Wide read_numeric(std::string_view bytes);

}  // namespace discreet::engine::postgres
