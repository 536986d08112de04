#include "discreet/service/testing/questions/aggregates.h"

#include "discreet/service/testing/questions/keys.h"

namespace discreet::service::testing::questions {
namespace {

using policy::Type;
using Kind = Aggregate::Kind;

// NaN is nothing.
Piece some(const Piece& number) {
  Piece out = number;
  out.oracle = fmt::format("(CASE WHEN NOT isnan({0}) THEN {0} END)", real(number).oracle);
  return out;
}

}  // namespace

Aggregate random_aggregate(Draw& draw, Expressions& expressions, const World& world) {
  constexpr int kDepth = 2;
  const Piece when =
      draw.one_in(3)
          ? write(Type::kText, " FILTER (WHERE {})",
                  {draw.one_in(6) ? expressions.about_public() : expressions.truth(kDepth)})
          : write(Type::kText, "", {});
  // A number with bounds that are declared, found by propagation (or not: then it is refused),
  // written with LEAST and GREATEST, or given to the aggregate (`given`, of which it says so).
  std::string given;
  const auto bounded = [&]() -> Piece {
    switch (draw.below(8)) {
      case 0:
        return some(expressions.column("x"));
      case 1:
        return real(expressions.column("i"));
      case 2:
        return some(write(Type::kDouble, "({} * 2 + {})",
                          {real(expressions.column("x")), real(expressions.column("i"))}));
      case 3:
        return some(expressions.number(1));
      case 4:
      case 5: {
        given = ", contribution_bounds_per_row => (-20, 30)";
        const Piece number = expressions.number(kDepth);
        return write(Type::kDouble, "{0}",
                     "(CASE WHEN NOT isnan({0}) THEN LEAST(GREATEST({0}, -20::DOUBLE), 30::DOUBLE) "
                     "END)",
                     {real(number)});
      }
      default:
        return write(Type::kDouble, "LEAST(GREATEST({}, -20), 30)",
                     "LEAST(GREATEST({}, -20::DOUBLE), 30::DOUBLE)",
                     {real(expressions.number(kDepth))});
    }
  };
  const auto made = [&](Kind kind, const std::string& ours, const std::string& oracle,
                        const Piece& arg) {
    Aggregate out;
    out.kind = kind;
    out.text = write(Type::kDouble, ours, oracle, {arg, when, write(Type::kText, given, "", {})});
    return out;
  };
  switch (draw.below(17)) {
    case 0:
      return made(Kind::kCount, "COUNT(*){1}", "COUNT(*){1}", when);
    case 1:
      return made(Kind::kCount, "COUNT({0}){1}", "COUNT({0}){1}", some(expressions.number(kDepth)));
    case 2:
      return made(Kind::kCount, "COUNT({0}){1}", "COUNT({0}){1}", expressions.text(kDepth));
    case 3:
      return made(Kind::kCount, "COUNT(DISTINCT {0}){1}", "COUNT(DISTINCT {0}){1}",
                  draw.one_in(2) ? expressions.text(kDepth) : expressions.moment(1));
    case 4:
      return made(Kind::kCount, "COUNT(DISTINCT ({0} + 0)){1}",
                  "COUNT(DISTINCT CASE WHEN NOT isnan({0}) THEN {0} + 0 END){1}",
                  real(expressions.number(kDepth)));
    case 5:
      return made(Kind::kCount, "COUNT(DISTINCT {0}){1}", "COUNT(DISTINCT {0}){1}",
                  expressions.column("j"));
    case 6: {
      Piece u;
      u.ours = u.oracle = "t.u";
      return made(Kind::kCount, "COUNT(DISTINCT {0}){1}", "COUNT(DISTINCT {0}){1}", u);
    }
    case 7: {
      Aggregate out = made(Kind::kCount, "(COUNT(*){1} * 2 + 1)", "(COUNT(*){1} * 2 + 1)", when);
      out.of_nothing = 1;
      return out;
    }
    case 8:
      return made(Kind::kCount, "COUNT(*, contribution_bounds_per_group => (0, 5000)){1}",
                  "COUNT(*){1}", when);
    case 9:
    case 10: {
      const Piece arg = bounded();
      return made(Kind::kSum, "SUM({0}{2}){1}", "COALESCE(SUM({0}){1}, 0)", arg);
    }
    case 11: {  // whole groups are clamped, at bounds that none reaches
      return made(Kind::kSum,
                  "SUM(LEAST(GREATEST({0}, -20), 30), contribution_bounds_per_group => (-1000000, "
                  "1000000)){1}",
                  "COALESCE(SUM(LEAST(GREATEST({0}, -20::DOUBLE), 30::DOUBLE)){1}, 0)",
                  real(expressions.number(1)));
    }
    case 12: {
      const Piece arg = bounded();
      return made(Kind::kMean, "AVG({0}{2}){1}", "AVG({0}){1}", arg);
    }
    case 13: {
      const Piece arg = bounded();
      return draw.one_in(2)
                 ? made(Kind::kVariance, "VAR_POP({0}{2}){1}", "COALESCE(VAR_POP({0}){1}, 0)", arg)
                 : made(Kind::kVariance, "VAR_SAMP({0}{2}){1}", "COALESCE(VAR_SAMP({0}){1}, 0)",
                        arg);
    }
    case 14: {
      const Piece arg = bounded();
      return made(Kind::kDeviation, "STDDEV({0}{2}){1}", "COALESCE(STDDEV_SAMP({0}){1}, 0)", arg);
    }
    case 15: {
      const double share = draw.from<double>({0, 0.1, 0.5, 0.75, 1});
      Aggregate out =
          made(Kind::kQuantile, fmt::format("QUANTILE({{0}}, {}){{1}}", share),
               fmt::format("string_agg({{0}}, '{}'){{1}}", kBetween), expressions.column("i"));
      out.share = share;
      return out;
    }
    default: {
      if (draw.one_in(2))
        return made(Kind::kEnd, draw.word({"MIN({0}){1}", "MAX({0}){1}"}), "COUNT({0}){1}",
                    expressions.column(draw.word({"x", "i"})));
      const Piece arg = expressions.column(draw.word({"w", "v", "b"}));
      Piece shown = arg;
      shown.oracle = canonical_sql(arg);
      Aggregate out =
          made(Kind::kMost, "MODE({0}){1}",
               fmt::format("string_agg(CAST({{0}} AS VARCHAR), '{}'){{1}}", kBetween), shown);
      out.text.type = world.columns().at(arg.ours.substr(arg.ours.find('.') + 1));
      out.text.columns = arg.columns;
      return out;
    }
  }
}

}  // namespace discreet::service::testing::questions
