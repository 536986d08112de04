// Values of mechanisms as text: JSON, and plainly for a terminal.
#pragma once

#include <string>
#include <string_view>

#include "discreet/mechanism/value.h"

namespace discreet::cli {

// 412, [12,40], "dark" (the place of a label without a name), [false,true], [null,12],
// {"dark":12}, null where nothing is told.
std::string json_of(const mechanism::Value& value);
// The same, but for a label's name without quotes, "(empty)" for an empty one, and "(nothing)".
std::string text_of(const mechanism::Value& value);
std::string text_of(const mechanism::Label& label);

// The ends of an interval, and bounds on errors, as they are read: with at most six significant
// digits, but all of those before the point. Rounded so that what is said of them stays true.
mechanism::Value shortened(const mechanism::Value& value, Rounding rounding);
// A bound that was itself rounded up to a double: one step of that doesn't count.
std::string bound_text(double bound);

// A rational is written out where its decimals end, else as the nearest double.
std::string number_json(const Rational& value);
std::string number_json(double value);
std::string text_json(std::string_view text);

}  // namespace discreet::cli
