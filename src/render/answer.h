// An answer on the screen and in files.
#pragma once

#include <string>

#include "discreet/plan/release.h"

namespace discreet::render {

// A table with ± where something is known of the error.
std::string table(const plan::Answer& answer);
std::string csv(const plan::Answer& answer);
std::string markdown(const plan::Answer& answer);
std::string json_lines(const plan::Answer& answer);
// Bars by key, or lines where the one key is a number or a date (SVG), with these notes below the
// title. An error where there is no number to draw.
Result<std::string> plot(const plan::Answer& answer, const std::vector<std::string>& notes = {});

}  // namespace discreet::render
