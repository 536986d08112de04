// A reply, and an explanation, as JSON and in words.
#pragma once

#include <string>

#include "discreet/service/reply.h"

namespace discreet::render {

// {"columns","rows","intervals","guarantee","spent","remaining","receipt","plan", …}
std::string json(const service::Reply& reply);
// The answer as a picture that says its ε, its confidence and what was left out.
Result<std::string> plot(const service::Reply& reply, const std::string& unit,
                         const Rational& confidence);
// "this answer: ε 0.5, δ 0   spent: …   left: …   receipt …"
std::string spending_line(const service::Reply& reply);

std::string json(const service::Explanation& explanation);
std::string words(const service::Explanation& explanation, const std::string& unit);

}  // namespace discreet::render
