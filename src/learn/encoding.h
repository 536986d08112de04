// How a row of a file becomes an example: public, and part of every model, so that new rows are
// read as the training's were.
//
// A number is clamped to its bounds (declared, or measured privately and accounted) and scaled to
// -1 … 1; a column of categories becomes one number each, 1 for the one that it is; what isn't a
// number, or isn't one of the categories, is 0 everywhere. Images are pixels / 255. No row can make
// it fail.
#pragma once

#include <string>
#include <vector>

#include "discreet/learn/examples.h"

namespace discreet::learn {

struct Column {
  std::string name;
  double low = 0, high = 1;              // of a number
  std::vector<std::string> values = {};  // not empty: categories (of the label: the classes)
  std::size_t width() const { return values.empty() ? 1 : values.size(); }
};

struct Encoding {
  bool images = false;                // an IDX file: `shape` says all
  Shape shape = {};                   // of an example; of tables {1, 1, numbers}
  std::vector<Column> features = {};  // of tables, in order
  Column label = {};                  // images: values "0" … "9"
};

}  // namespace discreet::learn
