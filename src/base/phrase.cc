#include "discreet/base/phrase.h"

#include <ostream>
#include <utility>

namespace discreet {
namespace {

using Kind = Phrase::Piece::Kind;

std::string written(const Phrase::Piece& piece, Notation notation) {
  switch (notation) {
    case Notation::kPlain:
      return piece.words + (piece.value.empty() ? "" : " = " + piece.value);
    case Notation::kOptions:
      return "--" + piece.words + (piece.value.empty() ? "" : " " + piece.value);
    case Notation::kPrompt:
      return "." + piece.words + (piece.value.empty() ? "" : " " + piece.value);
  }
  return {};
}

std::string_view verb(Notation notation) {
  switch (notation) {
    case Notation::kPlain:
      return "set ";
    case Notation::kOptions:
      return "add ";
    case Notation::kPrompt:
      return "write ";
  }
  return {};
}

}  // namespace

Phrase::Phrase(std::string words) {
  if (!words.empty()) pieces_.push_back({Kind::kWords, std::move(words), {}});
}

std::string Phrase::text(Notation notation) const {
  std::string out;
  for (const Piece& piece : pieces_) switch (piece.kind) {
      case Kind::kWords:
        out += piece.words;
        break;
      case Kind::kName:
        out += written(piece, notation);
        break;
      case Kind::kAdvice:
        out += std::string(verb(notation)) + written(piece, notation);
        break;
      case Kind::kCommand:
        out += "discreet " + piece.words;
        break;
    }
  return out;
}

Phrase& Phrase::operator+=(const Phrase& more) {
  pieces_.insert(pieces_.end(), more.pieces_.begin(), more.pieces_.end());
  return *this;
}

std::ostream& operator<<(std::ostream& out, const Phrase& phrase) { return out << phrase.text(); }

Phrase named(std::string parameter) {
  return Phrase(Phrase::Piece{Kind::kName, std::move(parameter), {}});
}
Phrase given(std::string parameter, std::string value) {
  return Phrase(Phrase::Piece{Kind::kName, std::move(parameter), std::move(value)});
}
Phrase advise(std::string parameter, std::string value) {
  return Phrase(Phrase::Piece{Kind::kAdvice, std::move(parameter), std::move(value)});
}
Phrase command(std::string words) {
  return Phrase(Phrase::Piece{Kind::kCommand, std::move(words), {}});
}

}  // namespace discreet
