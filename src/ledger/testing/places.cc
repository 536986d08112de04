#include "discreet/ledger/testing/places.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace discreet::ledger::testing {

Folder::Folder() {
  std::string path = std::filesystem::temp_directory_path() / "discreet-ledger.XXXXXX";
  path_ = mkdtemp(path.data());
  setenv("XDG_STATE_HOME", (path_ + "/state").c_str(), 1);
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

void Folder::forget_everything() const { std::filesystem::remove_all(path_ + "/state"); }

Postgres::Postgres() {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) return;
  process_ = fork();
  if (process_ == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    execl(DISCREET_SOURCE "/tests/private-postgres", "private-postgres", nullptr);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  in_ = to[1];
  out_ = from[0];
  for (char c = 0; read(out_, &c, 1) == 1 && c != '\n';) address_ += c;
  EXPECT_TRUE(address_.starts_with("postgresql://")) << "PostgreSQL could not be started";
}

Postgres::~Postgres() {
  close(in_);
  close(out_);
  int status = 0;
  waitpid(process_, &status, 0);
}

bool Postgres::answers() const { return PQping(address_.c_str()) == PQPING_OK; }

std::string Postgres::run(const std::string& sql) const {
  PGconn* connection = PQconnectdb(address_.c_str());
  PGresult* answer = PQexec(connection, sql.c_str());
  const ExecStatusType status = PQresultStatus(answer);
  EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
      << PQerrorMessage(connection);
  std::string field = PQntuples(answer) > 0 ? PQgetvalue(answer, 0, 0) : "";
  PQclear(answer);
  PQfinish(connection);
  return field;
}

Rational rational(const std::string& text) { return *parse_number(text, Rounding::kUp); }

Terms terms_at(const std::string& location) {
  Terms terms;
  terms.policy = "clinic";
  terms.epsilon = 1;
  terms.delta = rational("1e-6");
  terms.location = location;
  terms.sources = {"/data/visits.parquet"};
  terms.policy_hash = "p1";
  return terms;
}

Request ask(const std::string& epsilon, const std::string& delta, const std::string& analyst,
            const std::string& plan) {
  Request request;
  request.analyst = analyst;
  request.query = "SELECT count(*) FROM visits";
  request.plan = plan;
  request.epsilon = rational(epsilon);
  request.delta = rational(delta);
  request.events = {
      {"dp(epsilon=" + epsilon + ",delta=" + delta + ")", request.epsilon, request.delta, {}}};
  request.source_stamp = "s1";
  return request;
}

}  // namespace discreet::ledger::testing
