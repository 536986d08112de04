// Rows as examples, by an encoding (learn/encoding.h): a function of each row alone.
//
//   #include <cmath>
//   Encoding encoding{.shape = {1, 1, 3},
//                     .features = {{"age", 0, 100}, {"ward", 0, 1, {"A", "B"}}},
//                     .label = {"ill", 0, 1, {"no", "yes"}}};
//   const std::vector<double> age = {50, 200}, ward = {1, NAN}, ill = {0, 1};
//   Examples two = encode(encoding, {&age, &ward}, &ill);  // x: 0, 0, 1; 1, 0, 0
#pragma once

#include <vector>

#include "discreet/learn/encoding.h"

namespace discreet::learn {

// A number, clamped and scaled to −1 … 1; 0 for NaN, and where the bounds leave no room.
float scaled(const Column& column, double value);

// The numbers that the features have together: the shape's width.
std::size_t width_of(const std::vector<Column>& features);

// Of a column of categories, and of a label of classes, the values are numbers of these (NaN, or
// beyond them: none). With a label, rows without one are left out.
Examples encode(const Encoding& encoding, const std::vector<const std::vector<double>*>& features,
                const std::vector<double>* label);

}  // namespace discreet::learn
