#include "discreet/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "discreet/base/quote.h"
#include "discreet/base/utf8.h"

namespace discreet {
namespace {

struct Place {
  std::size_t line;          // from 1
  std::size_t column;        // from 1, in characters
  std::string_view content;  // the line itself
};

// Counts characters, not bytes: a caret under UTF-8 text must stand under the right glyph.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

Place find(const Position& position) {
  const std::string_view text = position.text;
  const std::size_t offset = std::min(position.offset, text.size());
  const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', offset), text.size());
  const auto lines =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
  return {static_cast<std::size_t>(lines) + 1, characters(text.substr(begin, offset - begin)) + 1,
          text.substr(begin, end - begin)};
}

// The byte at which the character stands that is `count` characters before (after) byte `at`.
std::size_t back(std::string_view text, std::size_t at, std::size_t count) {
  for (; at > 0 && count > 0; --count) do {
      --at;
    } while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}
std::size_t forth(std::string_view text, std::size_t at, std::size_t count) {
  for (; at < text.size() && count > 0; --count) do {
      ++at;
    } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

// The part of a line that is shown: a query's line may have kilobytes.
struct Shown {
  std::string_view content;
  bool cut_before, cut_after;
  std::size_t at;  // the place in it
};

Shown window(std::string_view line, std::size_t at) {
  constexpr std::size_t kMost = 100;
  if (characters(line) <= kMost) return {line, false, false, at};
  const std::size_t end = forth(line, back(line, at, kMost / 2), kMost);
  const std::size_t begin = back(line, end, kMost);
  return {line.substr(begin, end - begin), begin > 0, end < line.size(), at - begin};
}

}  // namespace

std::string_view name_of(Code code) {
  switch (code) {
    case Code::kFailure:
      return "failure";
    case Code::kUsage:
      return "usage";
    case Code::kRefused:
      return "refused";
    case Code::kBudget:
      return "budget";
    case Code::kInterrupted:
      return "interrupted";
  }
  return "failure";
}

std::string Error::text(Notation notation) const {
  // Messages name what users and files say; nothing of that may break the line or reach a terminal
  // as a command.
  std::string out;
  if (!parameter.empty()) out += printable(named(parameter).text(notation)) + ": ";
  out += printable(message.text(notation));
  if (!hint.empty()) out += " (" + printable(hint.text(notation)) + ")";
  if (!position) return out;
  const Place place = find(*position);
  const std::size_t offset = std::min(position->offset, position->text.size());
  const std::size_t begin = static_cast<std::size_t>(place.content.data() - position->text.data());
  const Shown shown = window(place.content, std::min(offset - begin, place.content.size()));
  const std::string before = printable(shown.content.substr(0, shown.at), true);
  const std::string marked = printable(shown.content.substr(shown.at, position->length), true);
  const std::string_view rest =
      shown.content.substr(std::min(shown.at + position->length, shown.content.size()));
  out += fmt::format("\n  {}{}{}{}{}\n  ", shown.cut_before ? "…" : "", before, marked,
                     printable(rest, true), shown.cut_after ? "…" : "");
  // Tabs stay tabs, so that the caret stands right whatever a tab's width is; a wide character
  // takes two columns.
  if (shown.cut_before) out += ' ';
  for (std::string_view left = before; !left.empty();) {
    const char32_t c = next_code_point(left);
    out += c == U'\t' ? std::string(1, '\t') : std::string(columns_of(c), ' ');
  }
  std::size_t marks = 0;
  for (std::string_view left = marked; !left.empty();) marks += columns_of(next_code_point(left));
  out.append(std::max<std::size_t>(1, marks), '^');
  return out;
}

std::string Error::json() const {
  nlohmann::ordered_json out{
      {"code", name_of(code)}, {"message", message.text()}, {"hint", hint.text()}};
  if (!parameter.empty()) out["parameter"] = parameter;
  for (const Phrase::Piece& piece : hint.pieces()) {
    if (piece.kind == Phrase::Piece::Kind::kCommand)
      out["suggestions"].push_back({{"command", piece.words}});
    if (piece.kind == Phrase::Piece::Kind::kAdvice ||
        (piece.kind == Phrase::Piece::Kind::kName && !piece.value.empty()))
      out["suggestions"].push_back({{"parameter", piece.words}, {"value", piece.value}});
  }
  if (position) {
    const Place place = find(*position);
    out["position"] = {{"offset", position->offset},
                       {"length", position->length},
                       {"line", place.line},
                       {"column", place.column}};
  }
  // Bytes that aren't UTF-8 become the replacement character: an error message must always be
  // printable.
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace discreet
