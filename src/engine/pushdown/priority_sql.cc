#include "discreet/engine/pushdown/priority_sql.h"

#include <fmt/format.h>

#include "discreet/bound/priority.h"
#include "discreet/plan/shape.h"

namespace discreet::engine::pushdown {

using std::string;

string PrioritySql::combined(const string& a, const string& b) const {
  return dialect_.hash_whole(dialect_.exclusive_or(a, b), dialect_.secret(2));
}
string PrioritySql::inner(const string& value) const {
  return dialect_.hash_whole(value, dialect_.secret(3));
}

string PrioritySql::of_unit() const {
  const string key = dialect_.secret(0);
  return part_.select.input->unit_type == policy::Type::kText ? dialect_.hash_text("u", key)
                                                              : dialect_.hash_halves("u", key);
}

string PrioritySql::of_keys() const {
  string out = "0";
  for (std::size_t i = 0; i < part_.select.keys.size(); ++i) {
    const string key = dialect_.secret(1), name = fmt::format("k{}", i);
    string one;
    switch (plan::key_column(part_.select.keys[i].type)) {
      case bound::Column::Kind::kText:
        one = dialect_.hash_text(name, key);
        break;
      case bound::Column::Kind::kReal:
        one = dialect_.hash_real(name, key);
        break;
      case bound::Column::Kind::kWhole:
        one = dialect_.hash_halves(name, key);
        break;
    }
    one = fmt::format("coalesce({}, {})", one, bound::kNullHash);
    out = i == 0 ? one : combined(out, inner(one));
  }
  return fmt::format("CAST({} AS {})", out, dialect_.type(policy::Type::kInt));
}

string PrioritySql::group() const { return combined(of_unit(), of_keys()); }

string PrioritySql::row(bool marked) const {
  string out = "h";
  for (std::size_t s = 0; s < part_.slots.size(); ++s) {
    const string name = fmt::format("v{}", s);
    const bool word = part_.slots[s].kind == plan::Slot::Kind::kWord;
    const string value = word ? dialect_.hash_text(name, dialect_.secret(3)) : name;
    out = combined(out, inner(fmt::format("coalesce({}, CAST('-9223372036854775808' AS {}))", value,
                                          dialect_.type(policy::Type::kInt))));
  }
  if (!marked) return out;
  return fmt::format("(CASE WHEN m THEN {} ELSE {} END)", combined(out, inner("1")), out);
}

string PrioritySql::copy(const char* number, int purpose) const {
  return combined("c", inner(fmt::format("(4 * {} + {})", number, purpose)));
}

}  // namespace discreet::engine::pushdown
