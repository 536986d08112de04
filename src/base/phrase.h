// A sentence that can name parameters of what was asked: each interface writes them in its own way.
//
//   Phrase hint = advise("epsilon", "0.5") + ", or leave " + named("min-units") + " out";
//   std::string shell = hint.text(Notation::kOptions);  // add --epsilon 0.5, or leave …
//   std::string prompt = hint.text(Notation::kPrompt);  // write .epsilon 0.5, or leave …
//   std::string other = hint.text();                    // set epsilon = 0.5, or leave …
//
// Parameters are words with dashes between them, as long options have them.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace discreet {

enum class Notation {
  kPlain,    // for programs, and where nothing is known of the interface
  kOptions,  // --epsilon 0.5
  kPrompt,   // .epsilon 0.5
};

class Phrase {
 public:
  struct Piece {
    enum class Kind {
      kWords,    // as they are
      kName,     // a parameter, perhaps with a value
      kAdvice,   // to set a parameter
      kCommand,  // a command to run, without the program's name: "budget init --new"
    };
    Kind kind = Kind::kWords;
    std::string words;  // or the parameter's name
    std::string value;
  };

  Phrase() = default;
  Phrase(std::string words);  // NOLINT(google-explicit-constructor): plain words are a phrase
  Phrase(const char* words) : Phrase(std::string(words)) {}  // NOLINT(google-explicit-constructor)
  explicit Phrase(Piece piece) { pieces_.push_back(std::move(piece)); }

  bool empty() const { return pieces_.empty(); }
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::string text(Notation notation = Notation::kPlain) const;

  Phrase& operator+=(const Phrase& more);
  friend Phrase operator+(Phrase a, const Phrase& b) {
    a += b;
    return a;
  }
  // As plain text.
  friend bool operator==(const Phrase& a, const Phrase& b) { return a.text() == b.text(); }
  friend std::ostream& operator<<(std::ostream& out, const Phrase& phrase);

 private:
  std::vector<Piece> pieces_;
};

Phrase named(std::string parameter);                      // --max-groups
Phrase given(std::string parameter, std::string value);   // --max-groups 3
Phrase advise(std::string parameter, std::string value);  // add --max-groups 3
Phrase command(std::string words);                        // discreet budget init --new

}  // namespace discreet
