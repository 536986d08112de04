// A ledger's records, as they come from a disk that somebody may have written to: one body a line.
// The target numbers and chains them, so that what is tried is their content and not only their
// hashes.
#include <nlohmann/json.hpp>

#include "discreet/ledger/parts.h"
#include "target.h"

namespace discreet::fuzz {

using namespace ledger;

namespace {

std::vector<std::string> lines_of(std::string_view bytes) {
  constexpr std::size_t kMost = 64;
  std::vector<std::string> out;
  while (!bytes.empty() && out.size() < kMost) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    out.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return out;
}

Row next_row(const Book& book, const std::string& line) {
  Row row{book.records() + 1, line, {}, {}};
  if (auto body = parse_body(line)) {
    (*body)["record"] = row.record;
    const auto text = canonical(*body);
    require(text.has_value(), "what was read as JSON can be written");
    require(canonical(*parse_body(*text)) == *text,
            "a canonical body is read and written as it is");
    row.body = *text;
  } else {
    require_refusal(body.error(), {Code::kFailure});
  }
  row.hash = chain_hash(book.head(), row.body);
  return row;
}

// Whoever changes a record without its hash is found out.
void tampered(Book book, Row row) {
  row.body += ' ';
  require(!book.apply(row), "a body that isn't the hashed one is refused");
}

// No total may disagree with the records: added up again, from the releases.
void add_up(const Book& book) {
  for (const auto& [name, account] : book.accounts()) {
    for (const Rational* sum : {&account.spent.epsilon, &account.spent.delta, &account.spent.rho,
                                &account.spent.part_delta})
      require(*sum >= 0, "what was spent isn't negative");
    const Amount spent = spent_of(account.limit, account.spent);
    require(spent.epsilon >= 0 && spent.delta >= 0, "what was spent can be told");
    if (account.limit) {
      const Amount left = remaining_of(*account.limit, account.spent);
      require(left.epsilon >= 0 && left.delta >= 0, "what is left isn't negative");
      const auto fits = check_fits("a budget", *account.limit, account.spent, account.spent);
      if (!fits) require_refusal(fits.error(), {Code::kBudget});
    }
    if (book.terms().renewal) continue;  // then only the window's releases count
    Sums sum;
    std::uint64_t releases = 0;
    for (const auto& [record, release] : book.releases()) {
      if (release.state == Release::State::kAbandoned || !release.paid.contains(name)) continue;
      sum += release.cost;
      ++releases;
    }
    require(sum == account.spent, "an account has spent what its releases cost");
    require(releases == account.releases, "an account has its releases counted");
  }
}

}  // namespace

void target(std::string_view bytes) {
  Book book;
  std::vector<Row> rows;
  for (const std::string& line : lines_of(bytes)) {
    const Row row = next_row(book, line);
    tampered(book, row);
    const auto before = book.last_time();
    if (auto applied = book.apply(row); !applied) {
      // of a damaged ledger nothing is used any more
      return require_refusal(applied.error(), {Code::kFailure});
    }
    require(book.head() == row.hash && book.records() == row.record,
            "a record taken in is the head");
    // It only goes on, but where the owner sets it.
    const auto body = *parse_body(row.body);
    require(utc(book.last_time()) == text(body, "time") ||
                (row.record > 1 && text(body, "kind") != "set" && book.last_time() == before),
            "a time reads back, or is before the latest");
    rows.push_back(row);
    add_up(book);
    if (book.terms().renewal) {
      const std::uint64_t window = book.window_at(book.last_time());
      require(book.window_end(window) > book.last_time(), "a window ends after its records");
    }
  }
  for (const Row& row : rows) {
    const auto entry = tell(row, *parse_body(row.body), book);
    if (!entry) {
      require_refusal(entry.error(), {Code::kFailure});
      continue;
    }
    for (const ledger::Event& event : entry->events) {
      const auto back = event_of(event_json(event));
      require(back && back->epsilon == event.epsilon && back->delta == event.delta &&
                  back->rho == event.rho && back->expression == event.expression,
              "a recorded event reads back");
    }
  }
}

}  // namespace discreet::fuzz
