// Addresses that lead to other machines say how the way is protected.
#include "discreet/engine/postgres/protection.h"

#include <gtest/gtest.h>

namespace discreet::engine::postgres {
namespace {

TEST(Protection, IsAskedForOnTheWayToOtherMachines) {
  for (const char* dsn :
       {"postgresql://ana@db.example/clinic", "host=10.0.0.7 dbname=clinic", "hostaddr=10.0.0.7",
        "host=localhost,db.example", "host=localhost hostaddr=10.0.0.7"})
    EXPECT_FALSE(protected_on_its_way(dsn)) << dsn;
  for (const char* dsn :
       {"postgresql://ana@db.example/clinic?sslmode=verify-full", "host=db sslmode=disable",
        "postgresql://ana@/clinic?host=/run/postgresql", "postgresql://localhost:5433/clinic",
        "host=127.0.0.1", "host=::1", "dbname=clinic", "service=clinic"})
    EXPECT_TRUE(protected_on_its_way(dsn)) << dsn;
  EXPECT_NE(protected_on_its_way("host=db").error().text().find("sslmode=verify-full"),
            std::string::npos);
}

// What a service file led to.
TEST(Protection, OfAServiceIsLookedAtOnceItIsRead) {
  EXPECT_FALSE(protected_way("db.example", "prefer", false));
  EXPECT_FALSE(protected_way("db.example", "allow", false));
  EXPECT_FALSE(protected_way("127.db.example", "prefer", false));
  EXPECT_TRUE(protected_way("127.0.0.2", "prefer", false));
  EXPECT_TRUE(protected_way("::1", "prefer", false));
  EXPECT_TRUE(protected_way("db.example", "prefer", true));
  EXPECT_TRUE(protected_way("db.example", "require", false));
  EXPECT_TRUE(protected_way("/run/postgresql", "prefer", false));
}

}  // namespace
}  // namespace discreet::engine::postgres
