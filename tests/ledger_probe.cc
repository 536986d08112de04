// A stand-in for a query, for the tests that crash it: reserve, "read data", commit, show the
// answer.
//
//   ledger-probe spend LOCATION BUDGET EPSILON COUNT [ANALYST]
//
// prints an answer a line, ID HASH, and stops at the first error;
//
//   ledger-probe status LOCATION BUDGET
//
// prints SPENT RECORDS UNFINISHED.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "discreet/cli/exit_code.h"
#include "discreet/ledger/ledger.h"

namespace {

using discreet::Error;
using discreet::parse_number;
using discreet::Rounding;
namespace ledger = discreet::ledger;

int stop(const Error& error) {
  fmt::print(stderr, "{}\n", error.text());
  return discreet::cli::exit_code(error.code);
}

// Straight to the file descriptor: what a user saw must not depend on a buffer.
void say(int where, const std::string& line) {
  if (write(where, line.data(), line.size()) < 0) std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string verb = argv[1];
  ledger::Terms terms;
  terms.policy = "probe";
  terms.epsilon = *parse_number(argv[3], Rounding::kDown);
  terms.location = argv[2];
  terms.sources = {std::string("/sources/") + argv[2]};
  terms.policy_hash = "hash";
  auto opened = ledger::Ledger::open(terms);
  if (!opened) return stop(opened.error());
  ledger::Ledger& book = **opened;
  if (verb == "status") {
    auto verified = book.verify({});
    if (!verified) return stop(verified.error());
    auto balances = book.balances();
    if (!balances) return stop(balances.error());
    say(1, fmt::format("{} {} {}\n", discreet::to_decimal(balances->data_set.spent.epsilon),
                       balances->records, balances->unfinished));
    return 0;
  }
  ledger::Request request;
  request.analyst = argc > 6 ? argv[6] : "probe";
  request.query = "SELECT 1";
  request.plan = "plan";
  request.epsilon = *parse_number(argv[4], Rounding::kUp);
  const long count = std::strtol(argv[5], nullptr, 10);
  for (long i = 0; i < count; ++i) {
    auto reservation = book.reserve(request);
    if (!reservation) return stop(reservation.error());
    say(2, "reserved\n");
    auto receipt = book.commit(*reservation, R"({"rows":[[1]]})");
    if (!receipt) return stop(receipt.error());
    say(1, fmt::format("{} {}\n", receipt->id, receipt->hash));
  }
  return 0;
}
