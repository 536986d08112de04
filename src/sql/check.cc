#include "discreet/sql/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/sql/aggregate.h"
#include "discreet/sql/bind.h"
#include "discreet/sql/from.h"
#include "discreet/sql/group_list.h"
#include "discreet/sql/links.h"
#include "discreet/sql/reveal.h"
#include "discreet/sql/row_cost.h"
#include "discreet/sql/select_list.h"
#include "discreet/sql/unfold.h"

namespace discreet::sql {

using std::string;

namespace {

class Checker {
 public:
  Checker(const Parsed& parsed, const Catalog& catalog, const Tools& tools)
      : parsed_(parsed),
        tools_(tools),
        at_(parsed.text, tools.calculator, tools.aggregates),
        catalog_(catalog),
        from_(at_, catalog) {}

  Result<Question> check() {
    Question question;
    question.text = parsed_.text;
    question.options = parsed_.options;
    Ctes none, ctes{&none, {}};
    TRY(from_.with(parsed_.query, ctes));
    std::vector<Query> selects;
    Status shape = spread(parsed_.query, selects);
    if (!shape) {  // perhaps public tables may be asked so
      auto open = from_.query(parsed_.query, none);
      if (!open || (*open)->is_private) return forward_error(shape);
      TRY(affordable(row_cost(**open, row_prices(catalog_)), parsed_.query.place));
      TRY(open_question(question, *open));
      return question;
    }
    if (selects.size() > kMostSelects)
      return at_.refuse(selects[kMostSelects].place,
                        fmt::format("UNION ALL has more than {} parts", kMostSelects),
                        "ask them by themselves");
    // Public tables only: the whole query is an ordinary one.
    std::vector<Scope> scopes;
    bool is_private = false;
    for (const Query& select : selects) {
      auto scope = TRY(from_.rows(select, ctes));
      TRY(fits(select.from.place, *scope.relation));
      is_private |= scope.relation->is_private;
      scopes.push_back(std::move(scope));
    }
    if (!is_private) {
      auto open = TRY(from_.query(parsed_.query, none));
      TRY(affordable(row_cost(*open, row_prices(catalog_)), parsed_.query.place));
      TRY(open_question(question, open));
      return question;
    }
    for (std::size_t i = 0; i < selects.size(); ++i) {
      if (!scopes[i].relation->is_private)
        return at_.refuse(selects[i].place, "this part of UNION ALL asks about public tables only",
                          "ask it by itself: it costs nothing");
      TRY(from_.lift(selects[i], scopes[i], ctes));
      TRY(fits(selects[i].place, *scopes[i].relation));
      auto select = TRY(released(selects[i], scopes[i]));
      if (i > 0 && select.outputs.size() != question.selects[0].outputs.size())
        return at_.refuse(selects[i].place,
                          "the parts of UNION ALL have different numbers of columns");
      TRY(affordable(row_cost(select, row_prices(catalog_)), selects[i].place));
      question.selects.push_back(std::move(select));
    }
    TRY(unit_column());
    for (const Output& output : question.selects[0].outputs) names_.push_back(output.name);
    question.order_on_outputs = question.selects.size() > 1;
    TRY(limit(question));
    TRY(order(question, scopes[0]));
    for (std::size_t i = 0; i < question.selects.size(); ++i)
      TRY(measures(question.selects[i], scopes[i].relation));
    TRY(finish(question));
    return question;
  }

 private:
  static constexpr std::size_t kMostSelects = 100, kMostAggregates = 500, kMostOrders = 1'000;

  Status open_question(Question& question, const RelationPtr& relation) const {
    TRY(fits(parsed_.query.place, *relation));
    question.open = relation;
    for (const Column& column : relation->columns) question.open_names.push_back(column.name);
    return finish(question);
  }

  Status finish(Question& question) const {
    question.singles = from_.singles();
    for (const Single& one : question.singles) TRY(fits(parsed_.query.place, *one.rows));
    return {};
  }

  // The SELECTs of a top-level UNION ALL.
  Status spread(const Query& query, std::vector<Query>& out) const {
    const bool is_whole = &query == &parsed_.query;
    const bool is_ordered = !query.order.empty() || query.limit || query.offset;
    if (query.kind == Query::Kind::kSelect) {
      if (!is_whole && (is_ordered || query.distinct || !query.ctes.empty()))
        return at_.refuse(query.place,
                          "a part of UNION ALL has its own ORDER BY, LIMIT, DISTINCT or WITH",
                          "put them around the whole");
      out.push_back(query);
      return {};
    }
    if (query.operation != SetOperation::kUnionAll)
      return at_.refuse(query.place, "UNION, EXCEPT and INTERSECT are not answered",
                        "UNION ALL is");
    if (!is_whole && is_ordered)
      return at_.refuse(query.place, "a part of UNION ALL has its own ORDER BY or LIMIT");
    TRY(spread(query.sides[0], out));
    return spread(query.sides[1], out);
  }

  Status fits(const Place& place, const Relation& relation) const {
    if (unfolded_size(relation) > kMostUnfolded)
      return at_.refuse(place, "the query unfolds to more than an engine can take",
                        "use fewer levels of subqueries that use the one below twice");
    if (depth_of(relation) > kDeepestRelation)
      return at_.refuse(place, "the query is nested too deeply", "use fewer levels of subqueries");
    return {};
  }

  // One row's cost, whatever it holds: by the question alone, before anything is spent.
  Status affordable(const RowCost& cost, const Place& place) const {
    if (cost.steps <= kMostRowSteps) return {};
    auto at = at_.position(place);
    if (at && cost.dearest && cost.dearest->position < at->text.size()) {
      at->offset = cost.dearest->position;
      at->length = cost.dearest->length;
    }
    return fail(Code::kRefused,
                fmt::format("one row could take about {:.4g} ms, and a question may take 1 ms a "
                            "row: this is the dearest part",
                            std::ceil(cost.steps / 1e4) / 100),
                "use fewer functions and patterns of texts, or read less of each: left(x, 100) "
                "instead of x",
                at);
  }

  // privacy_unit_column may say again what the policy says, and nothing else.
  Status unit_column() const {
    const auto& asked = parsed_.options.unit_column;
    if (!asked) return {};
    for (const Table& table : catalog_.tables)
      if (!table.rule.key.empty() && (same_name(table.rule.key, *asked) ||
                                      same_name(table.rule.name + "." + table.rule.key, *asked)))
        return {};
    return fail(Code::kRefused,
                fmt::format("privacy_unit_column={}: the policy protects the {}, by another column",
                            *asked, catalog_.unit),
                "leave privacy_unit_column out: who is protected is the policy's to say");
  }

  Result<Select> released(const Query& query, const Scope& scope) {
    Select out;
    out.input = follow_links_once(scope.relation);
    auto items = TRY(select_items(at_, query, scope));
    auto groups = TRY(group_terms(at_, query, items, scope));
    const bool aggregates = at_.has_aggregate(query.items) || query.having;
    if (query.distinct && groups.empty() && !aggregates)  // SELECT DISTINCT ward is GROUP BY ward
      for (const Item& item : items) groups.push_back(item.term);
    if (groups.empty() && !aggregates) {
      for (const Item& item : items)
        if (item.term.kind == Term::Kind::kCall && is_other_aggregate(item.term.name)) {
          auto refused = Binder(at_, scope).bind(item.term);
          return forward_error(refused);
        }
      return at_.refuse(query.place, "this would show single rows",
                        "ask for aggregates: COUNT(*), SUM, AVG, … with GROUP BY");
    }
    keys_.clear();
    for (const Term& group : groups) TRY(key(group, items, scope, out));
    TRY(list_groups(out, tools_));
    for (const Item& item : items) {
      auto expr = TRY(output(item.term, scope, out, nullptr));
      out.outputs.push_back({item.name, std::move(expr)});
    }
    if (query.having) {
      auto condition = TRY(output(*query.having, scope, out, &out));
      if (condition.type != Type::kBool)
        return at_.refuse(query.having->place, "HAVING takes a condition");
      out.having = std::move(condition);
    }
    return out;
  }

  // One expression of GROUP BY; the same one again is the same key.
  Status key(const Term& group, const std::vector<Item>& items, const Scope& scope, Select& out) {
    auto key = TRY(Binder(at_, scope).bind(group));
    if (key.is_key || key.uses_key)
      return at_.refuse(
          group.place,
          fmt::format("grouping by the {}'s key would show single people", catalog_.unit),
          "group by it in a subquery, and aggregate outside");
    if (key.uses_hidden)
      return at_.refuse(group.place,
                        "this column is hidden by the policy, or it is joined on one that is",
                        "a hidden column may stand in WHERE, not in the answer");
    if (std::find(keys_.begin(), keys_.end(), key) != keys_.end()) return {};
    keys_.push_back(key);
    string name;
    for (const Item& item : items)
      if (item.term == group) name = item.name;
    if (name.empty() && group.kind == Term::Kind::kColumn) name = group.names.back();
    out.key_names.push_back(name.empty() ? fmt::format("key{}", out.keys.size() + 1) : name);
    out.keys.push_back(std::move(key));
    return {};
  }

  // What is counted in a group may not tell what the group's name then lists.
  Status measures(const Select& select, const RelationPtr& rows) const {
    std::vector<const Expr*> args;
    std::vector<std::size_t> places;
    for (const Aggregate& one : select.aggregates)
      if (one.arg) {
        args.push_back(&*one.arg);
        places.push_back(one.position);
      }
    const std::vector<Tells> told = told_by_groups(rows, select.keys, args);
    for (std::size_t i = 0; i < told.size(); ++i)
      if (told[i].any())
        return at_.refuse(places[i],
                          told[i].key
                              ? fmt::format("comparing the {}'s key with the public rows that are "
                                            "grouped by would show single people",
                                            catalog_.unit)
                              : "comparing a column that is hidden by the policy with the public "
                                "rows that are grouped by would show it",
                          "compare it with literals, or leave those rows out of GROUP BY");
    return {};
  }

  // An expression over released values: keys, aggregates and literals.
  Result<Expr> output(const Term& term, const Scope& scope, Select& select, const Select* aliases) {
    const auto intercept = [&, this](const Term& part) {
      return over_released(part, scope, select, aliases);
    };
    Scope empty;
    Binder binder(at_, empty, intercept);
    return binder.bind(term);
  }

  // What a term means over released values; nothing where that is what its parts mean.
  std::optional<Result<Expr>> over_released(const Term& part, const Scope& scope, Select& select,
                                            const Select* aliases) const {
    if (at_.is_aggregate(part)) {
      auto one = TRY(read_aggregate(at_, catalog_, part, scope));
      // It is compared with those there are.
      TRY(at_.spend(select.aggregates.size() / 32, part.place));
      if (select.aggregates.size() == kMostAggregates)
        return at_.refuse(part.place,
                          fmt::format("a SELECT has more than {} aggregates", kMostAggregates));
      return over(select, place_of(std::move(one), select));
    }
    if (at_.has_aggregate(part) || part.kind == Term::Kind::kLiteral) return std::nullopt;
    if (part.query || part.kind == Term::Kind::kStar)
      return std::nullopt;  // refused with their own words
    const bool is_column = part.kind == Term::Kind::kColumn;
    if (aliases && is_column && part.names.size() == 1)
      for (const Output& one : aliases->outputs)
        if (same_name(one.name, part.names[0])) return one.expr;
    auto expr = Binder(at_, scope).bind(part);
    if (expr) {
      const auto found = std::find(keys_.begin(), keys_.end(), *expr);
      if (found != keys_.end())
        return over(select, static_cast<std::size_t>(found - keys_.begin()));
    }
    if (part.kind == Term::Kind::kLifted)
      return at_.refuse(part.place, "a subquery beside released values is not answered",
                        "put it into GROUP BY, WHERE or an aggregate; or ask it by itself");
    if (!is_column) return std::nullopt;
    if (!expr) return forward_error(expr);
    if (expr->is_key || expr->uses_key)
      return at_.refuse(part.place, fmt::format("the {}'s key can't be shown", catalog_.unit),
                        "COUNT(DISTINCT key) counts them");
    return at_.refuse(
        part.place, fmt::format("'{}' must be in GROUP BY or in an aggregate", part.names.back()));
  }

  // The aggregate's place among the released columns: the same one again is the same number.
  static std::size_t place_of(Aggregate one, Select& select) {
    const auto same = std::find_if(
        select.aggregates.begin(), select.aggregates.end(), [&](const Aggregate& other) {
          return other.form == one.form && other.arg == one.arg && other.bounds == one.bounds &&
                 other.per_group == one.per_group && other.share == one.share &&
                 other.epsilon == one.epsilon && other.method == one.method &&
                 other.proposed == one.proposed;
        });
    const auto index = static_cast<std::size_t>(same - select.aggregates.begin());
    if (same == select.aggregates.end()) select.aggregates.push_back(std::move(one));
    return select.keys.size() + index;
  }

  static Expr over(const Select& select, std::size_t index) {
    if (index < select.keys.size()) return column(index, select.keys[index].type);
    return column(index, value_type(select.aggregates[index - select.keys.size()]));
  }

  Status limit(Question& question) const {
    for (auto [term, place] : {std::pair{&parsed_.query.limit, &question.limit},
                               {&parsed_.query.offset, &question.offset}}) {
      if (!*term) continue;
      auto count = TRY(literal_number(at_, **term));
      if (count.get_den() != 1 || count < 0 || count > 1'000'000'000)
        return at_.refuse((*term)->place, "LIMIT takes a whole number");
      *place = count.get_num().get_si();
    }
    return {};
  }

  Status order(Question& question, const Scope& scope) {
    if (parsed_.query.order.size() > kMostOrders)
      return at_.refuse(parsed_.query.order[kMostOrders].term.place,
                        fmt::format("ORDER BY has more than {} expressions", kMostOrders));
    for (const OrderTerm& order : parsed_.query.order) {
      std::vector<Expr> exprs;
      if (order.term.kind == Term::Kind::kStar) {  // ORDER BY ALL: by each column in turn
        for (std::size_t i = 0; i < names_.size(); ++i) exprs.push_back(of_output(question, i));
      } else {
        exprs.push_back(TRY(ordering(order.term, question, scope)));
      }
      for (Expr& expr : exprs)
        question.order.push_back({std::move(expr), order.descending, order.nulls_first});
    }
    return {};
  }

  static Expr of_output(const Question& question, std::size_t i) {
    const Expr& expr = question.selects[0].outputs[i].expr;
    return question.order_on_outputs ? column(i, expr.type) : expr;
  }

  Result<Expr> ordering(const Term& term, Question& question, const Scope& scope) {
    if (const auto index = whole_number(term)) {
      if (*index < 1 || static_cast<std::size_t>(*index) > names_.size())
        return at_.refuse(term.place,
                          fmt::format("ORDER BY {}: there are {} columns", *index, names_.size()));
      return of_output(question, static_cast<std::size_t>(*index) - 1);
    }
    if (term.kind == Term::Kind::kColumn && term.names.size() == 1)
      for (std::size_t i = 0; i < names_.size(); ++i)
        if (same_name(names_[i], term.names[0])) return of_output(question, i);
    if (question.order_on_outputs)
      return at_.refuse(term.place, "ORDER BY takes an output column's name or number here");
    return output(term, scope, question.selects[0], &question.selects[0]);
  }

  const Parsed& parsed_;
  const Tools& tools_;
  Context at_;
  const Catalog& catalog_;
  From from_;
  std::vector<Expr> keys_;     // of the SELECT at hand
  std::vector<string> names_;  // of the columns shown
};

}  // namespace

Result<Question> check(const Parsed& parsed, const Catalog& catalog, const Tools& tools) {
  return Checker(parsed, catalog, tools).check();
}

}  // namespace discreet::sql
