// Dates, timestamps and other values as files, engines and policies write them.
#include <cmath>

#include "discreet/policy/value.h"
#include "target.h"

namespace discreet::fuzz {

using policy::Type;
using policy::Value;

void target(std::string_view bytes) {
  const std::string text(bytes);
  for (const Type type :
       {Type::kBool, Type::kInt, Type::kDouble, Type::kText, Type::kDate, Type::kTimestamp}) {
    const auto value = Value::read(text, type);
    if (!value) {
      require(policy::is_time(type), "only moments can't be read");
      continue;
    }
    require(!value->null && value->type == type, "a text is a value of the type it is read as");
    const auto back = Value::read(value->show(), type);
    require(back && *back == *value, "a shown value reads back");
    require((*back <=> *value) == 0 && !(*value < *back), "a value is its own equal");
    if (type == Type::kDate || type == Type::kTimestamp) {
      require(value->show().size() >= 10 && value->show() >= "0001" && value->show() < "9999-12-32",
              "moments lie in the years 1 to 9999");
      require(text.substr(0, 10) == value->show().substr(0, 10),
              "a moment's day is the one written");
    }
  }
  if (const auto type = policy::type_named(bytes))
    require(policy::type_named(policy::name_of(*type)) == type, "a type's name names it");
}

}  // namespace discreet::fuzz
