// What every picture is written with: the style sheet and escaped text.
#pragma once

#include <string>
#include <string_view>

namespace discreet::present {

// Classes page, ink, grid, frame and error, for white and dark pages.
extern const char* const kSheet;

// Fit to stand in XML: nothing that a user typed can break out.
std::string escape(std::string_view text);

// A line of text; `more` is further attributes, with a space in front.
std::string text_at(double x, double y, std::string_view anchor, std::string_view text,
                    std::string_view more = "");

}  // namespace discreet::present
