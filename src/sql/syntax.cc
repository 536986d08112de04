#include "discreet/sql/syntax.h"

#include <algorithm>
#include <cctype>

namespace discreet::sql {

QueryPtr::QueryPtr(Query query) : query_(std::make_shared<const Query>(std::move(query))) {}

bool operator==(const QueryPtr& a, const QueryPtr& b) {
  if (a.query_ == b.query_) return true;
  return a.query_ && b.query_ && *a.query_ == *b.query_;
}

std::optional<Position> position_in(const std::string& text, const Place& place) {
  if (!place || *place >= text.size()) return std::nullopt;
  std::size_t end = *place;
  const auto word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           static_cast<unsigned char>(c) >= 128;
  };
  while (end < text.size() && word(text[end])) ++end;
  return Position{text, *place, std::max<std::size_t>(1, end - *place)};
}

std::optional<std::int64_t> whole_number(const Term& term) {
  if (term.kind != Term::Kind::kLiteral || term.literal.null || term.literal.type != Type::kInt)
    return std::nullopt;
  return term.literal.whole;
}

}  // namespace discreet::sql
