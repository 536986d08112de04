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
using Of = AggregateForm::Of;

Type value_type(const Aggregate& aggregate) {
  switch (aggregate.form->gives) {
    case AggregateForm::Gives::kCount:
      return Type::kInt;
    case AggregateForm::Gives::kPlace:
      return is_time(aggregate.arg->type) ? aggregate.arg->type : Type::kDouble;
    case AggregateForm::Gives::kValue:
      return aggregate.arg->type;
    case AggregateForm::Gives::kNumber:
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

class AggregateReader {
 public:
  AggregateReader(const Context& at, const Catalog& catalog, const Term& term, const Scope& scope)
      : at_(at),
        forms_(at.aggregates()),
        catalog_(catalog),
        term_(term),
        scope_(scope),
        name_(term.name) {}

  Result<Aggregate> read() {
    show();
    TRY(arguments());
    if (at_.has_aggregate(args_)) return refuse("an aggregate inside an aggregate");
    TRY(within_group());
    TRY(form());
    TRY(method());
    TRY(share());
    if (out_.form->of != Of::kRows && args_.size() != 1)
      return refuse(fmt::format("{} takes one expression", name_),
                    counts() ? "COUNT(DISTINCT a || '/' || b) counts different pairs" : "");
    TRY(argument());
    TRY(counts() ? bounds_of_count() : bounds_of_values());
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
        if (is_plain_star && term_.args.size() > 1 && find_form(forms_, name_, Of::kRows))
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
      } else if (label == "method") {
        if (arg.kind != Term::Kind::kLiteral || arg.literal.type != Type::kText || arg.literal.null)
          return at_.refuse(arg.place, "method => … is a word in quotes", "method => 'smooth'");
        out_.method = lower(arg.literal.string);
        method_ = &arg;
      } else if (label == "bound") {
        out_.proposed = TRY(literal_number(at_, arg));
        if (*out_.proposed <= 0) return at_.refuse(arg.place, "bound => … is a number above 0");
      } else {
        const std::vector<string> names = {"contribution_bounds_per_group",
                                           "contribution_bounds_per_row", "epsilon", "method",
                                           "bound"};
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
        !takes_share(find_form(forms_, name_, false)))
      return refuse("ORDER BY inside this aggregate is not understood");
    from_above_ = term_.order[0].descending;
    args_.insert(args_.begin(), term_.order[0].term);
    return {};
  }

  bool counts() const { return out_.form->gives == AggregateForm::Gives::kCount; }
  bool takes_share(const AggregateForm* form) const {
    return form && form->share && !find_spelling(*form, name_)->median;
  }

  Status form() {
    out_.form = args_.empty() ? find_form(forms_, name_, Of::kRows) : nullptr;
    if (out_.form && term_.distinct)
      return refuse("COUNT(DISTINCT *) is not understood", "name a column");
    if (!out_.form) out_.form = find_form(forms_, name_, term_.distinct);
    if (!out_.form && term_.distinct)
      return refuse(fmt::format("{}(DISTINCT …) is not answered", name_), "COUNT(DISTINCT …) is");
    if (!out_.form) return refuse(fmt::format("{} takes no expression", name_));
    return {};
  }

  // One of those that the form has.
  Status method() const {
    const AggregateForm::Method* found = nullptr;
    std::vector<std::string_view> known;
    std::string bounded;
    for (const AggregateForm::Method& one : out_.form->methods) {
      known.push_back(one.name);
      if (one.name == out_.method) found = &one;
      if (one.bounded) bounded = one.name;
    }
    if (out_.proposed && !(found && found->bounded))
      return refuse("bound => … is not taken here",
                    bounded.empty() ? "" : fmt::format("it is for method => '{}'", bounded));
    if (!method_ || found) return {};
    if (known.empty())
      return at_.refuse(method_->place,
                        fmt::format("{} is released in one way only", out_.form->name),
                        "leave method => … out");
    return at_.refuse(method_->place, fmt::format("{} has no method '{}'", name_, out_.method),
                      did_you_mean(out_.method, std::vector<string>(known.begin(), known.end())));
  }

  Status share() {
    out_.share = Rational(1, 2);
    if (!takes_share(out_.form)) return {};
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
    out_.share = from_above_ ? Rational(1 - p) : p;
    args_.pop_back();
    return {};
  }

  Status argument() {
    if (args_.empty()) return {};
    auto arg = TRY(Binder(at_, scope_).bind(args_[0]));
    const AggregateForm* units = find_form(forms_, name_, Of::kUnits);
    if (out_.form->distinct && arg.is_key && units) {
      out_.form = units;
      arg = literal(Value::integer(1));
    }
    out_.arg = std::move(arg);
    if (out_.form->of_truth && out_.arg->type == Type::kBool)
      out_.arg = as_number(std::move(*out_.arg));
    return {};
  }

  Status bounds_of_values() {
    if (out_.arg->uses_key)
      return refuse(fmt::format("{} of the {}'s key is refused", name_, catalog_.unit),
                    "COUNT(DISTINCT key) counts them");
    if (out_.arg->uses_hidden)
      return refuse("this column is hidden by the policy", "it may stand in WHERE and COUNT");
    if (out_.form->of == Of::kListed) {
      const auto open = [&](const AggregateForm::Method& one) {
        return one.open && (out_.method.empty() || one.name == out_.method);
      };
      if (!out_.arg->domain &&
          std::any_of(out_.form->methods.begin(), out_.form->methods.end(), open))
        return {};
      if (!out_.arg->domain)
        return refuse(
            fmt::format(
                "{} chooses among declared values, and the policy lists none for this column",
                out_.form->name),
            "columns.NAME = { values = […] } in the policy");
      return {};
    }
    if (!is_number(out_.arg->type) && !(out_.form->of == Of::kOrdered && is_time(out_.arg->type)))
      return refuse(
          fmt::format("{} takes a number, found {}", name_, with_article(out_.arg->type)),
          out_.arg->type == Type::kText ? "CAST(x AS DOUBLE) makes one; texts are grouped by" : "");
    TRY(takes_per_group());
    if (!out_.bounds) out_.bounds = out_.arg->range;
    // Where nothing says how large these values can be, that is measured (plan/survey.h).
    if (out_.per_group && out_.per_group->low == 0 && out_.per_group->high == 0)
      return refuse("bounds (0, 0) leave nothing to measure");
    return {};
  }

  Status takes_per_group() const {
    if (!out_.per_group || out_.form->per_group) return {};
    return refuse("contribution_bounds_per_group is for " +
                  list_of(forms_, [](const AggregateForm& form) { return form.per_group; }));
  }

  Status bounds_of_count() const {
    TRY(takes_per_group());
    if (out_.bounds) return refuse("a count has no bounds per row");
    if (out_.per_group && out_.per_group->high <= 0)
      return refuse("a count's upper bound is above 0");
    return {};
  }

  Status filter() {
    if (term_.filter.empty()) return {};
    const Term& condition = term_.filter[0];
    if (at_.has_aggregate(condition))
      return at_.refuse(condition.place, "an aggregate can't stand in FILTER");
    auto bound = TRY(Binder(at_, scope_).condition(condition));
    if (out_.form->of == Of::kRows) {  // those with a 1 where the condition holds
      out_.form = find_form(forms_, name_, Of::kAnything);
      if (!out_.form) return refuse(fmt::format("{} takes no FILTER", name_));
      out_.arg = literal(Value::integer(1));
    }
    out_.arg = only_where(std::move(bound), std::move(*out_.arg));
    return {};
  }

  const Context& at_;
  const AggregateForms& forms_;
  const Catalog& catalog_;
  const Term& term_;
  const Scope& scope_;
  const string& name_;
  std::vector<Term> args_;
  bool from_above_ = false;
  const Term* method_ = nullptr;  // where it was written
  Aggregate out_;
};

}  // namespace

Result<Aggregate> read_aggregate(const Context& at, const Catalog& catalog, const Term& term,
                                 const Scope& scope) {
  return AggregateReader(at, catalog, term, scope).read();
}

}  // namespace discreet::sql
