// What bounding left out, in a sentence or two.
#pragma once

#include <string>
#include <vector>

#include "discreet/service/reply.h"

namespace discreet::render {

// Lines without an end: what was left out, what may be missing, how near chosen values are.
std::vector<std::string> honest_lines(const service::Reply& reply, const std::string& unit,
                                      const Rational& confidence);
// The first of them in few words, for a picture; empty where nothing is left out.
std::string left_out_caption(const plan::LeftOut& left_out, const std::string& unit);

}  // namespace discreet::render
