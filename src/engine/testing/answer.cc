#include "discreet/engine/testing/answer.h"

#include <libpq-fe.h>

#include <string>

namespace discreet::engine::testing {

Answer::Answer(const std::vector<unsigned>& types, bool binary)
    : result_(PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK)) {
  std::string name = "column";
  std::vector<PGresAttDesc> columns;
  for (const unsigned type : types) {
    PGresAttDesc one{};
    one.name = name.data();
    one.typid = type;
    one.format = binary ? 1 : 0;
    columns.push_back(one);
  }
  PQsetResultAttrs(result_.get(), static_cast<int>(columns.size()), columns.data());
}

void Answer::Clear::operator()(pg_result* result) const { PQclear(result); }

}  // namespace discreet::engine::testing
