// One aggregate as it was written: which it is, of what, within which bounds.
#include "discreet/sql/aggregate.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/select_list.h"

namespace discreet::sql {

using std::string;
using Kind = Aggregate::Kind;

std::string_view name_of(Aggregate::Kind kind) {
  using Kind = Aggregate::Kind;
  switch (kind) {
    case Kind::kCountRows:
      return "COUNT(*)";
    case Kind::kCount:
      return "COUNT";
    case Kind::kCountDistinct:
      return "COUNT(DISTINCT)";
    case Kind::kCountUnits:
      return "COUNT(DISTINCT unit)";
    case Kind::kSum:
      return "SUM";
    case Kind::kAvg:
      return "AVG";
    case Kind::kVarPop:
      return "VAR_POP";
    case Kind::kVarSamp:
      return "VAR_SAMP";
    case Kind::kStddevPop:
      return "STDDEV_POP";
    case Kind::kStddevSamp:
      return "STDDEV_SAMP";
    case Kind::kQuantile:
      return "QUANTILE";
    case Kind::kMin:
      return "MIN";
    case Kind::kMax:
      return "MAX";
    case Kind::kMode:
      return "MODE";
  }
  return {};
}

Type value_type(const Aggregate& aggregate) {
  using Kind = Aggregate::Kind;
  switch (aggregate.kind) {
    case Kind::kCountRows:
    case Kind::kCount:
    case Kind::kCountDistinct:
    case Kind::kCountUnits:
      return Type::kInt;
    case Kind::kQuantile:
    case Kind::kMin:
    case Kind::kMax:
      return is_time(aggregate.arg->type) ? aggregate.arg->type : Type::kDouble;
    case Kind::kMode:
      return aggregate.arg->type;
    case Kind::kSum:
    case Kind::kAvg:
    case Kind::kVarPop:
    case Kind::kVarSamp:
    case Kind::kStddevPop:
    case Kind::kStddevSamp:
      break;
  }
  return Type::kDouble;
}

Result<Rational> literal_number(const Context& at, const Term& term) {
  if (term.kind == Term::Kind::kCall && term.name == "-" && term.args.size() == 1) {
    auto inner = TRY(literal_number(at, term.args[0]));
    return Rational(-inner);
  }
  const Expr value = term.kind == Term::Kind::kLiteral ? constant(term) : Expr();
  if (!value.range) return at.refuse(term.place, "a literal number is expected here");
  return value.range->low;
}

namespace {

bool is_count(Kind kind) {
  return kind == Kind::kCountRows || kind == Kind::kCount || kind == Kind::kCountDistinct ||
         kind == Kind::kCountUnits;
}

class AggregateReader {
 public:
  AggregateReader(const Context& at, const Catalog& catalog, const Term& term, const Scope& scope)
      : at_(at), catalog_(catalog), term_(term), scope_(scope), name_(term.name) {}

  Result<Aggregate> read() {
    show();
    TRY(arguments());
    if (has_aggregate(args_)) return refuse("an aggregate inside an aggregate");
    TRY(within_group());
    TRY(kind());
    TRY(share());
    if (out_.kind != Kind::kCountRows && args_.size() != 1)
      return refuse(fmt::format("{} takes one expression", name_),
                    name_ == "count" ? "COUNT(DISTINCT a || '/' || b) counts different pairs" : "");
    TRY(argument());
    TRY(is_count(out_.kind) ? bounds_of_count() : bounds_of_values());
    TRY(filter());
    return std::move(out_);
  }

 private:
  tl::unexpected<Error> refuse(string message, string hint = {}) const {
    return at_.refuse(term_.place, std::move(message), std::move(hint));
  }

  // As the user wrote it, to the closing parenthesis; for display only.
  void show() {
    const auto place = at_.position(term_.place);
    if (!place) return;
    const string& text = at_.text();
    out_.position = place->offset;
    std::size_t end = place->offset;
    int depth = 0;
    while (end < text.size()) {
      const char c = text[end++];
      if (c == '(') ++depth;
      if (c == ')' && --depth <= 0) break;
    }
    out_.text = text.substr(place->offset, end - place->offset);
  }

  // Named arguments are for the aggregate, the others are what it is of.
  Status arguments() {
    for (const Term& arg : term_.args) {
      const string label = lower(arg.alias);
      if (label.empty()) {
        const bool is_plain_star =
            arg.kind == Term::Kind::kStar && arg.name.empty() && arg.names.empty();
        if (name_ == "count" && is_plain_star && term_.args.size() > 1)
          continue;  // COUNT(*, contribution_bounds_per_group => …)
        args_.push_back(arg);
      } else if (label == "contribution_bounds_per_group" ||
                 label == "contribution_bounds_per_row") {
        auto bounds = TRY(interval(arg));
        (label.ends_with("group") ? out_.per_group : out_.bounds) = bounds;
      } else if (label == "epsilon") {
        auto epsilon = TRY(literal_number(at_, arg));
        if (epsilon <= 0) return at_.refuse(arg.place, "epsilon => … is a number above 0");
        out_.epsilon = epsilon;
      } else {
        const std::vector<string> names = {"contribution_bounds_per_group",
                                           "contribution_bounds_per_row", "epsilon"};
        return at_.refuse(arg.place, fmt::format("unknown argument '{}'", label),
                          did_you_mean(label, names));
      }
    }
    return {};
  }

  Result<Interval> interval(const Term& term) const {
    const auto wrong = [&] {
      return at_.refuse(term.place, "bounds are two literal numbers, the lower first",
                        "contribution_bounds_per_group => (0, 5000)");
    };
    if (term.kind != Term::Kind::kCall || term.name != "row" || term.args.size() != 2)
      return wrong();
    const Rational low = TRY(literal_number(at_, term.args[0]));
    const Rational high = TRY(literal_number(at_, term.args[1]));
    const Rational limit("1000000000000000000000000000000");
    if (low > high || abs(low) > limit || abs(high) > limit) return wrong();
    return Interval{low, high};
  }

  // PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)
  Status within_group() {
    if (term_.order.empty()) return {};
    if (term_.order.size() != 1 || args_.size() != 1 ||
        !(name_.starts_with("quantile") || name_.starts_with("percentile")))
      return refuse("ORDER BY inside this aggregate is not understood");
    from_above_ = term_.order[0].descending;
    args_.insert(args_.begin(), term_.order[0].term);
    return {};
  }

  Status kind() {
    if (name_ == "count_star" || (name_ == "count" && args_.empty())) {
      out_.kind = Kind::kCountRows;
      if (term_.distinct) return refuse("COUNT(DISTINCT *) is not understood", "name a column");
    } else if (name_ == "count") {
      out_.kind = term_.distinct ? Kind::kCountDistinct : Kind::kCount;
    } else if (name_ == "sum") {
      out_.kind = Kind::kSum;
    } else if (name_ == "avg" || name_ == "mean") {
      out_.kind = Kind::kAvg;
    } else if (name_ == "var_pop") {
      out_.kind = Kind::kVarPop;
    } else if (name_ == "var_samp" || name_ == "variance") {
      out_.kind = Kind::kVarSamp;
    } else if (name_ == "stddev_pop") {
      out_.kind = Kind::kStddevPop;
    } else if (name_ == "stddev_samp" || name_ == "stddev") {
      out_.kind = Kind::kStddevSamp;
    } else if (name_ == "min") {
      out_.kind = Kind::kMin;
    } else if (name_ == "max") {
      out_.kind = Kind::kMax;
    } else if (name_ == "mode") {
      out_.kind = Kind::kMode;
    } else {
      out_.kind = Kind::kQuantile;
    }
    if (term_.distinct && out_.kind != Kind::kCountDistinct)
      return refuse(fmt::format("{}(DISTINCT …) is not answered", name_), "COUNT(DISTINCT …) is");
    return {};
  }

  Status share() {
    out_.quantile = Rational(1, 2);
    if (out_.kind != Kind::kQuantile || name_ == "median") return {};
    if (args_.size() != 2)
      return refuse(fmt::format("{} takes an expression and a literal share", name_),
                    "QUANTILE(cost, 0.9)");
    using K = Term::Kind;
    const K given = args_[1].kind;
    if (given == K::kCall || given == K::kNot || given == K::kIsNull || given == K::kIsNotNull ||
        given == K::kIn || given == K::kNotIn || given == K::kCoalesce)
      return at_.refuse(args_[1].place, "one quantile is answered at a time",
                        fmt::format("write {0}(x, 0.25), {0}(x, 0.5)", name_));
    auto p = TRY(literal_number(at_, args_[1]));
    if (p < 0 || p > 1) return at_.refuse(args_[1].place, "a quantile is a number from 0 to 1");
    out_.quantile = from_above_ ? Rational(1 - p) : p;
    args_.pop_back();
    return {};
  }

  Status argument() {
    if (args_.empty()) return {};
    auto arg = TRY(Binder(at_, scope_).bind(args_[0]));
    if (out_.kind == Kind::kCountDistinct && arg.is_key) {
      out_.kind = Kind::kCountUnits;
      arg = literal(Value::integer(1));
    }
    out_.arg = std::move(arg);
    if ((out_.kind == Kind::kSum || out_.kind == Kind::kAvg) && out_.arg->type == Type::kBool)
      out_.arg = as_number(std::move(*out_.arg));
    return {};
  }

  Status bounds_of_values() {
    if (out_.arg->uses_key)
      return refuse(fmt::format("{} of the {}'s key is refused", name_, catalog_.unit),
                    "COUNT(DISTINCT key) counts them");
    if (out_.arg->uses_hidden)
      return refuse("this column is hidden by the policy", "it may stand in WHERE and COUNT");
    if (out_.kind == Kind::kMode) {
      if (!out_.arg->domain)
        return refuse(
            "MODE chooses among declared values, and the policy lists none for this column",
            "columns.NAME = { values = […] } in the policy");
      return {};
    }
    const bool ordered =
        out_.kind == Kind::kQuantile || out_.kind == Kind::kMin || out_.kind == Kind::kMax;
    if (!is_number(out_.arg->type) && !(ordered && is_time(out_.arg->type)))
      return refuse(
          fmt::format("{} takes a number, found a {}", name_, name_of(out_.arg->type)),
          out_.arg->type == Type::kText ? "CAST(x AS DOUBLE) makes one; texts are grouped by" : "");
    if (out_.per_group && out_.kind != Kind::kSum && out_.kind != Kind::kAvg)
      return refuse("contribution_bounds_per_group is for COUNT, SUM and AVG");
    if (!out_.bounds) out_.bounds = out_.arg->range;
    if (!out_.bounds && !out_.per_group)
      return refuse(
          fmt::format("{} needs bounds, and nothing says how large these values can be", name_),
          "declare columns.NAME = { range = [low, high] } in the policy, or "
          "write contribution_bounds_per_row => (low, high) after the expression, or "
          "contribution_bounds_per_group => (low, high)");
    if (out_.per_group && out_.per_group->low == 0 && out_.per_group->high == 0)
      return refuse("bounds (0, 0) leave nothing to measure");
    return {};
  }

  Status bounds_of_count() const {
    if (out_.per_group && (out_.kind == Kind::kCountDistinct || out_.kind == Kind::kCountUnits))
      return refuse("contribution_bounds_per_group is for COUNT, SUM and AVG");
    if (out_.bounds) return refuse("a count has no bounds per row");
    if (out_.per_group && out_.per_group->high <= 0)
      return refuse("a count's upper bound is above 0");
    return {};
  }

  Status filter() {
    if (term_.filter.empty()) return {};
    const Term& condition = term_.filter[0];
    if (has_aggregate(condition))
      return at_.refuse(condition.place, "an aggregate can't stand in FILTER");
    auto bound = TRY(Binder(at_, scope_).condition(condition));
    if (out_.kind == Kind::kCountRows) {
      out_.kind = Kind::kCount;
      out_.arg = literal(Value::integer(1));
    }
    out_.arg = only_where(std::move(bound), std::move(*out_.arg));
    return {};
  }

  const Context& at_;
  const Catalog& catalog_;
  const Term& term_;
  const Scope& scope_;
  const string& name_;
  std::vector<Term> args_;
  bool from_above_ = false;
  Aggregate out_;
};

}  // namespace

Result<Aggregate> read_aggregate(const Context& at, const Catalog& catalog, const Term& term,
                                 const Scope& scope) {
  return AggregateReader(at, catalog, term, scope).read();
}

}  // namespace discreet::sql
