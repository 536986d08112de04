#include "discreet/channel/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "discreet/base/quote.h"
#include "discreet/base/suggest.h"
#include "discreet/base/try.h"

namespace discreet::channel {
namespace {

constexpr std::size_t kMostDatabases = 2'000'000;

using Kind = Query::Kind;
constexpr Kind kKinds[] = {Kind::kCount, Kind::kSum,  Kind::kAverage, Kind::kMin,
                           Kind::kMax,   Kind::kMode, Kind::kTable};

// A database up to order: how many records have each value.
using Counts = std::vector<std::size_t>;

Rational answer(const Query& query, const Universe& universe, const Counts& counts) {
  const auto& values = universe.values;
  Rational sum;
  std::size_t total = 0, best = values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (counts[i] == 0) continue;
    total += counts[i];
    switch (query.kind) {
      case Kind::kCount: {
        const bool counts_in = query.counted.empty()
                                   ? sgn(values[i]) != 0
                                   : std::find(query.counted.begin(), query.counted.end(),
                                               values[i]) != query.counted.end();
        if (counts_in) sum += Rational(counts[i]);
        break;
      }
      case Kind::kSum:
      case Kind::kAverage:
        sum += Rational(counts[i]) * values[i];
        break;
      case Kind::kMin:  // values are in order
        if (best == values.size()) best = i;
        break;
      case Kind::kMax:
        best = i;
        break;
      case Kind::kMode:  // the smallest of the most frequent
        if (best == values.size() || counts[i] > counts[best]) best = i;
        break;
      case Kind::kTable:
        break;
    }
  }
  if (query.kind == Kind::kAverage) return sum / Rational(total);
  return best < values.size() ? values[best] : sum;
}

bool needs_a_record(Kind kind) {
  return kind == Kind::kAverage || kind == Kind::kMin || kind == Kind::kMax || kind == Kind::kMode;
}

// visit(counts) for all ways to have `records` records.
void for_each_counts(std::size_t values, std::size_t records,
                     const std::function<void(const Counts&)>& visit) {
  Counts counts(values, 0);
  const std::function<void(std::size_t, std::size_t)> fill = [&](std::size_t at, std::size_t left) {
    if (at + 1 == values) {
      counts[at] = left;
      visit(counts);
      return;
    }
    for (std::size_t k = 0; k <= left; ++k) {
      counts[at] = k;
      fill(at + 1, left - k);
    }
  };
  fill(0, records);
}

// visit(index of each record's value) for all values^records databases, the last fastest.
template <class Visit>
void for_each_list(std::size_t values, std::size_t records, Visit&& visit) {
  std::vector<std::size_t> at(records, 0);
  for (;;) {
    visit(at);
    std::size_t k = records;
    while (k > 0 && at[k - 1] + 1 == values) at[--k] = 0;
    if (k == 0) return;
    ++at[k - 1];
  }
}

// values^records, or too many.
std::size_t lists_of(const Universe& universe) {
  std::size_t out = 1;
  for (std::size_t i = 0; i < universe.records; ++i) {
    out *= universe.values.size();
    if (out > kMostDatabases) return kMostDatabases + 1;
  }
  return out;
}

std::size_t multisets_of(std::size_t values, std::size_t records) {
  Integer ways;
  mpz_bin_uiui(ways.get_mpz_t(), values + records - 1, values - 1);
  return ways > Integer(kMostDatabases) ? kMostDatabases + 1 : ways.get_ui();
}

Result<Universe> checked(const Query& query, Universe universe) {
  auto& values = universe.values;
  std::sort(values.begin(), values.end());
  if (std::adjacent_find(values.begin(), values.end()) != values.end())
    return fail(Code::kUsage, "the values: found one twice; accepted are different ones");
  if (values.empty() || universe.records == 0)
    return fail(Code::kUsage, "a universe without values or records; accepted is one or more");
  const bool ordered = query.kind == Kind::kTable;
  const std::size_t databases =
      ordered ? lists_of(universe) : multisets_of(values.size(), universe.records);
  if (databases > kMostDatabases) {
    return fail(Code::kUsage, fmt::format("{} values in {} records make more than {} databases; "
                                          "accepted is a smaller universe",
                                          values.size(), universe.records, kMostDatabases));
  }
  if (ordered && universe.relation == privacy::Relation::kAddRemove)
    return fail(Code::kUsage,
                "a table of answers is over lists of records; accepted is substitute");
  return universe;
}

class Builder {
 public:
  void join(const Rational& a, const Rational& b) {
    answers_.insert(a);
    if (a == b) return;
    edges_.insert(a < b ? std::pair(a, b) : std::pair(b, a));
  }
  std::size_t databases = 0;

  Result<Induced> built() const {
    std::vector<Rational> answers(answers_.begin(), answers_.end());
    const auto node = [&](const Rational& answer) {
      return static_cast<Node>(std::lower_bound(answers.begin(), answers.end(), answer) -
                               answers.begin());
    };
    std::vector<Edge> edges;
    for (const auto& [a, b] : edges_) edges.emplace_back(node(a), node(b));
    auto graph = TRY(Graph::edges(answers.size(), std::move(edges)));
    return Induced{std::move(answers), std::move(graph), databases};
  }

 private:
  std::set<Rational> answers_;
  std::set<std::pair<Rational, Rational>> edges_;
};

Result<Induced> of_table(const Query& query, const Universe& universe) {
  Builder builder;
  const auto& values = universe.values;
  std::vector<Rational> missing;
  const auto look_up = [&](const std::vector<std::size_t>& at) -> const Rational* {
    std::vector<Rational> records;
    for (const std::size_t i : at) records.push_back(values[i]);
    const auto found = query.table.find(records);
    if (found == query.table.end()) missing = records;
    return found == query.table.end() ? nullptr : &found->second;
  };
  for_each_list(values.size(), universe.records, [&](const std::vector<std::size_t>& at) {
    const Rational* here = look_up(at);
    if (here == nullptr) return;
    ++builder.databases;
    builder.join(*here, *here);
    std::vector<std::size_t> next = at;
    for (std::size_t k = 0; k < at.size(); ++k) {
      for (std::size_t v = at[k] + 1; v < values.size(); ++v) {
        next[k] = v;
        if (const Rational* there = look_up(next))
          builder.join(*here, *there), builder.join(*there, *here);
      }
      next[k] = at[k];
    }
  });
  if (!missing.empty()) {
    std::string list;
    for (const Rational& value : missing) list += (list.empty() ? "" : ",") + to_decimal(value);
    return fail(Code::kUsage,
                fmt::format("the table has no answer for the database {}; accepted is "
                            "one for each of {}",
                            list, lists_of(universe)));
  }
  return builder.built();
}

}  // namespace

Result<Query::Kind> query_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Kind kind : kKinds) {
    if (name_of(kind) == name) return kind;
    names.push_back(name_of(kind));
  }
  std::string hint = did_you_mean(name, names);
  return bad_parameter("query",
                       fmt::format("unknown query {}; accepted are {}", quote(name),
                                   "count, sum, average, min, max, mode and table"),
                       hint.starts_with("did") ? hint : "");
}

std::string name_of(Query::Kind kind) {
  switch (kind) {
    case Kind::kCount:
      return "count";
    case Kind::kSum:
      return "sum";
    case Kind::kAverage:
      return "average";
    case Kind::kMin:
      return "min";
    case Kind::kMax:
      return "max";
    case Kind::kMode:
      return "mode";
    case Kind::kTable:
      return "table";
  }
  return "";
}

Result<Induced> induced_graph(const Query& query, const Universe& given) {
  auto universe = TRY(checked(query, given));
  if (query.kind == Kind::kTable) return of_table(query, universe);
  Builder builder;
  const std::size_t values = universe.values.size();
  const auto visit = [&](const Counts& counts) {
    ++builder.databases;
    const Rational here = answer(query, universe, counts);
    builder.join(here, here);
    Counts next = counts;
    for (std::size_t i = 0; i < values; ++i) {
      if (counts[i] == 0) continue;
      --next[i];
      if (universe.relation == privacy::Relation::kAddRemove) {
        const bool empty = std::all_of(next.begin(), next.end(), [](auto c) { return c == 0; });
        if (!empty || !needs_a_record(query.kind))
          builder.join(here, answer(query, universe, next));
      } else {
        for (std::size_t k = i + 1; k < values; ++k) {
          ++next[k];
          builder.join(here, answer(query, universe, next));
          --next[k];
        }
      }
      ++next[i];
    }
  };
  const bool fixed = universe.relation == privacy::Relation::kSubstitute;
  const std::size_t fewest = fixed ? universe.records : needs_a_record(query.kind) ? 1 : 0;
  for (std::size_t n = fewest; n <= universe.records; ++n) for_each_counts(values, n, visit);
  return builder.built();
}

Result<std::vector<std::size_t>> answers_of(const Query& query, const Universe& given,
                                            const Induced& induced) {
  auto universe = TRY(checked(query, given));
  if (universe.relation != privacy::Relation::kSubstitute || lists_of(universe) > kMostDatabases)
    return fail(Code::kUsage, "databases are listed for substitute, and up to 2,000,000 of them");
  std::vector<std::size_t> out;
  for_each_list(universe.values.size(), universe.records, [&](const auto& at) {
    Rational value;
    if (query.kind == Kind::kTable) {
      std::vector<Rational> records;
      for (const std::size_t i : at) records.push_back(universe.values[i]);
      value = query.table.at(records);
    } else {
      Counts counts(universe.values.size(), 0);
      for (const std::size_t i : at) ++counts[i];
      value = answer(query, universe, counts);
    }
    out.push_back(static_cast<std::size_t>(
        std::lower_bound(induced.answers.begin(), induced.answers.end(), value) -
        induced.answers.begin()));
  });
  return out;
}

Result<Graph> hamming_graph(const Universe& universe) {
  const std::size_t databases = lists_of(universe), values = universe.values.size();
  if (databases > 100'000)
    return fail(Code::kUsage, "more than 100,000 databases; accepted is a smaller universe");
  std::vector<Edge> edges;
  for (std::size_t x = 0; x < databases; ++x) {
    std::size_t step = 1;
    for (std::size_t k = 0; k < universe.records; ++k, step *= values) {
      const std::size_t digit = x / step % values;
      for (std::size_t v = digit + 1; v < values; ++v)
        edges.emplace_back(static_cast<Node>(x), static_cast<Node>(x + (v - digit) * step));
    }
  }
  return Graph::edges(databases, std::move(edges));
}

}  // namespace discreet::channel
