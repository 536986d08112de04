// An answer of PostgreSQL's as libpq holds it, with columns of any types and no row: also what no
// good server would send.
//
//   Answer answer({20, 25});  // bigint, text
//   const pg_result* got = answer.get();
#pragma once

#include <memory>
#include <vector>

struct pg_result;

namespace discreet::engine::testing {

class Answer {
 public:
  // Its columns' types, by their numbers in pg_type; in binary form, or as texts.
  explicit Answer(const std::vector<unsigned>& types, bool binary = true);
  const pg_result* get() const { return result_.get(); }

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace discreet::engine::testing
