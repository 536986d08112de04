// One statement on a Trino server, by its client protocol: POST /v1/statement, then GET of each
// answer's nextUri until there is none. Rows come page by page; nothing of what the server says of
// an error comes out, since it can show rows.
//
//   Statement statement;
//   statement.sql = "SELECT count(*) FROM nation";
//   statement.types = {CellType::kWhole};
//   Http http(*policy::read_address("http://localhost:8080"), {.user = "ana"});
//   std::int64_t count = 0;
//   auto done = run(http, statement, {}, [&](const Cell* row) {
//     count = row[0].whole;
//     return true;
//   });
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "discreet/engine/engine.h"
#include "discreet/engine/trino/http.h"
#include "discreet/engine/trino/page.h"

namespace discreet::engine::trino {

// How far a server may go, and how patient we are. The protocol has no end of its own.
struct Patience {
  std::size_t page_bytes = std::size_t{64} << 20;
  std::size_t all_bytes = std::size_t{8} << 30;
  std::uint64_t pages = 1'000'000;  // a query that runs says so about once a second
  int tries = 8;                    // of one request, where the way to the server is disturbed
  // Waits between tries, longer each time; false: asked to leave meanwhile.
  std::function<bool(std::chrono::milliseconds, const Leave&)> wait = {};
};

struct Statement {
  std::string sql;
  std::string catalog = {}, schema = {};
  std::vector<CellType> types;
  std::vector<std::string> session = {};  // "query_max_run_time=60s"
};

// Why a statement gave no whole answer.
struct Failed {
  enum class Kind {
    kUnreachable,  // and nothing was begun
    kUntrusted,    // its certificate
    kUnknown,      // 401 or 403: it doesn't know us
    kNotTrino,     // what answers there doesn't speak the protocol; nothing was begun
    kStopped,      // by whoever looks on
    kLate,         // the time that was allowed is over
    kBroken,       // anything else, after it was begun
  };
  Kind kind = Kind::kBroken;
  std::string name = {};  // Trino's name for an error, as TABLE_NOT_FOUND; no row decides it before
                          // one is read
};

// Calls `take` with each row's cells; it returns false to end in vain. A statement that isn't read
// to its end is cancelled on the server.
tl::expected<void, Failed> run(Http& http, const Statement& statement, const Watch& watch,
                               const std::function<bool(const Cell* row)>& take,
                               const Patience& patience = {});

}  // namespace discreet::engine::trino
