// What is PostgreSQL's own; everything else is in contract_test.cc.
#include "discreet/ledger/postgres_store.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "discreet/ledger/testing/places.h"

namespace discreet::ledger {
namespace {

using testing::ask;
using testing::Folder;
using testing::Postgres;
using testing::terms_at;

TEST(PostgresStore, RefusesWhatItMust) {
  Postgres server;
  Folder folder;
  const Terms terms = terms_at(server.ledger("clinic"));
  ASSERT_TRUE((*Ledger::open(terms))->reserve(ask("0.25")));

  EXPECT_EQ(server.run("SELECT count(*) FROM discreet.record"), "2");
  EXPECT_EQ(server.run(
                "DO $$ BEGIN DELETE FROM discreet.record; EXCEPTION WHEN raise_exception THEN "
                "PERFORM set_config('a.b', SQLERRM, false); END $$; SELECT current_setting('a.b')"),
            "the ledger is append-only");

  // Someone who may do anything edits a record.
  server.run("ALTER TABLE discreet.record DISABLE TRIGGER append_only");
  server.run("UPDATE discreet.record SET body = replace(body, '0.25', '0.05') WHERE record = 2");
  auto edited = Ledger::open(terms);
  ASSERT_FALSE(edited);
  EXPECT_NE(edited.error().message.text().find("does not match its hash"), std::string::npos)
      << edited.error().text();
  server.run("UPDATE discreet.record SET body = replace(body, '0.05', '0.25') WHERE record = 2");
  EXPECT_TRUE(Ledger::open(terms));
  server.run("DELETE FROM discreet.record WHERE record = 2");
  EXPECT_NE(Ledger::open(terms).error().message.text().find("1 records, but 2 are known"),
            std::string::npos);
  server.run("DELETE FROM discreet.record; DELETE FROM discreet.ledger");
  EXPECT_NE(Ledger::open(terms).error().message.text().find("missing"), std::string::npos);

  server.run("INSERT INTO discreet.format VALUES (2)");
  auto newer = Ledger::open(terms_at(server.ledger("another")));
  ASSERT_FALSE(newer);
  EXPECT_NE(newer.error().text().find("newer Discreet"), std::string::npos) << newer.error().text();
}

TEST(PostgresStore, AConnectionThatBreaksIsMadeAnew) {
  Postgres server;
  Folder folder;
  auto ledger = Ledger::open(terms_at(server.ledger("clinic")));
  auto reservation = (*ledger)->reserve(ask("0.25"));
  ASSERT_TRUE(reservation);
  server.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
      "backend_type = 'client backend'");
  auto broken = (*ledger)->reserve(ask("0.25"));
  if (!broken) {
    EXPECT_EQ(broken.error().code, Code::kFailure);
  }
  auto balances = (*ledger)->balances();
  ASSERT_TRUE(balances) << balances.error().text();
  EXPECT_TRUE((*ledger)->commit(*reservation, "{}"));
}

// A server process that is killed makes the server start over from its log: what was not written
// there is gone.
TEST(PostgresStore, WhatReturnedIsThereAfterACrashOfTheServer) {
  Postgres server;
  Folder folder;
  for (int round = 1; round <= 5; ++round) {
    const pid_t victim =
        std::stoi(server.run("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'"));
    auto ledger = Ledger::open(terms_at(server.ledger("clinic")));
    ASSERT_TRUE(ledger) << ledger.error().text();
    ASSERT_TRUE((*ledger)->reserve(ask("0.01")));
    ASSERT_EQ(kill(victim, SIGKILL), 0);
    Result<std::unique_ptr<Ledger>> after = fail(Code::kFailure, "not yet");
    for (int i = 0; i < 200 && !after; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (server.answers()) after = Ledger::open(terms_at(server.ledger("clinic")));
    }
    ASSERT_TRUE(after) << after.error().text();
    EXPECT_EQ((*after)->balances()->data_set.spent.epsilon, round * testing::rational("0.01"));
  }
}

TEST(PostgresStore, SelectAndInsertAreEnough) {
  Postgres server;
  Folder folder;
  ASSERT_TRUE((*Ledger::open(terms_at(server.ledger("clinic"))))->reserve(ask("0.25")));
  server.run(
      "CREATE ROLE teller LOGIN; GRANT USAGE ON SCHEMA discreet TO teller; GRANT SELECT, INSERT ON "
      "ALL TABLES IN SCHEMA discreet TO teller");
  std::string address = server.ledger("clinic");
  address.replace(address.find("discreet@"), 9, "teller@");
  auto ledger = Ledger::open(terms_at(address));
  ASSERT_TRUE(ledger) << ledger.error().text();
  auto reservation = (*ledger)->reserve(ask("0.25"));
  ASSERT_TRUE(reservation) << reservation.error().text();
  EXPECT_TRUE((*ledger)->commit(*reservation, "{}"));
  EXPECT_TRUE((*ledger)->verify({}));
}

TEST(PostgresStore, NobodyThere) {
  Folder folder;
  auto refused =
      Ledger::open(terms_at("postgresql://nobody@/nothing?host=" + folder / "no-socket"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kFailure);
  EXPECT_NE(refused.error().text().find("nothing was spent"), std::string::npos);
}

TEST(PostgresStore, OneNameForOnePlace) {
  EXPECT_EQ(*postgres_location("postgresql://ana:secret@db.example/clinic#visits"),
            "postgresql://db.example:5432/clinic#visits");
  EXPECT_EQ(*postgres_location("postgres://bo@db.example:5432/clinic"),
            "postgresql://db.example:5432/clinic#default");
  EXPECT_FALSE(postgres_location("postgresql://[broken"));
}

}  // namespace
}  // namespace discreet::ledger
