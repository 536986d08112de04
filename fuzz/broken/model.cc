// The planted defect: heights and widths change places when they are written.
#include "discreet/learn/model_json.h"

namespace discreet::learn {

nlohmann::ordered_json shape_json(const Shape& shape) {
  return {{"channels", shape.channels}, {"height", shape.width}, {"width", shape.height}};
}

}  // namespace discreet::learn
