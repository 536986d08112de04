// "Did you mean": the known word nearest to the one that was typed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discreet {

// The candidate within a third of its length in edits (insert, delete, replace, swap of
// neighbours); empty if none is.
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

// "did you mean 'laplace'?", else "one of a, b, c" while that stays short, else nothing.
std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates);

}  // namespace discreet
