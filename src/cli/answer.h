// An answer on the screen and in files.
#pragma once

#include <string>

#include "discreet/service/session.h"

namespace discreet::cli {

// A table with ± where something is known of the error.
std::string answer_table(const plan::Answer& answer);
std::string answer_csv(const plan::Answer& answer);
std::string answer_markdown(const plan::Answer& answer);
std::string answer_jsonlines(const plan::Answer& answer);
// The one object of --json.
std::string reply_json(const service::Reply& reply);
// "spent ε = 0.5, δ = 0; left ε = 2.5, δ = 1e-06; receipt …"
std::string spending_line(const service::Reply& reply);
// Bars by key, or lines where the one key is a number or a date.
Result<std::string> answer_plot(const plan::Answer& answer);

// A number as JSON, exact where the decimal is short, else rounded to that side.
std::string json_rational(const Rational& value, Rounding rounding);

}  // namespace discreet::cli
