// A number that changes over the steps of a training: C, σ, the learning rate. Public: it depends
// on the step alone.
//
//   Schedule rate = *Schedule::parse("learning-rate", "0.5->0.1:cosine");
//   double half_way = rate.at(50, 100);  // 0.3
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "discreet/base/number.h"

namespace discreet::learn {

class Schedule {
 public:
  // "0.5"; "0.5->0.1" from the first step to the last, in a straight line or as :cosine or
  // :exponential says; "0.5,100:0.2,300:0.1" from those steps on. Numbers above 0.
  static Result<Schedule> parse(const std::string& parameter, const std::string& text);
  static Schedule constant(const Rational& value);

  double at(std::uint64_t step, std::uint64_t steps) const;
  bool is_constant() const { return shape_ == Shape::kPieces && pieces_.size() == 1; }
  // The least and the greatest that it may say.
  std::pair<double, double> ends() const;
  const Rational& first() const { return pieces_[0].value; }
  const std::string& text() const { return text_; }

  // As stretches of equal values, at most `most` of them, in exact numbers; each is at least what
  // the schedule says within it (rounding noise up loses no privacy).
  struct Piece {
    std::uint64_t begin = 0;  // step
    Rational value;
  };
  std::vector<Piece> pieces(std::uint64_t steps, std::size_t most) const;

 private:
  enum class Shape { kPieces, kLine, kCosine, kExponential };
  Shape shape_ = Shape::kPieces;
  std::vector<Piece> pieces_;  // of a line: where it begins and ends
  std::string text_;
};

}  // namespace discreet::learn
