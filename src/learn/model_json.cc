#include "discreet/learn/model_json.h"

namespace discreet::learn {
namespace {

using Json = nlohmann::ordered_json;

Json column_json(const Column& column) {
  return Json{
      {"name", column.name}, {"low", column.low}, {"high", column.high}, {"values", column.values}};
}

Column read_column(JsonReader from, bool& good) {
  Column out;
  out.name = from.text("name");
  out.low = from.number("low");
  out.high = from.number("high");
  out.values = from.texts("values");
  good = good && from.good();
  return out;
}

}  // namespace

Json shape_json(const Shape& shape) {
  return Json{{"channels", shape.channels}, {"height", shape.height}, {"width", shape.width}};
}

Shape read_shape(JsonReader& from, const char* name) {
  constexpr std::size_t kMost = 1 << 16;  // two of them fit into 32 bits
  JsonReader shape = from.object(name);
  Shape out{shape.count("channels", kMost), shape.count("height", kMost), 0};
  out.width = shape.count("width", std::size_t{1} << 24);
  if (!shape.good() || out.channels * out.height > (std::size_t{1} << 24) ||
      out.size() > (std::size_t{1} << 26))
    from.fail();
  return out;
}

Json encoding_json(const Encoding& encoding) {
  Json features = Json::array();
  for (const Column& column : encoding.features) features.push_back(column_json(column));
  return Json{{"images", encoding.images},
              {"shape", shape_json(encoding.shape)},
              {"features", features},
              {"label", column_json(encoding.label)}};
}

Encoding read_encoding(JsonReader& from, const char* name) {
  JsonReader reader = from.object(name);
  Encoding out;
  out.images = reader.flag("images");
  out.shape = read_shape(reader, "shape");
  bool good = true;
  for (JsonReader& column : reader.objects("features"))
    out.features.push_back(read_column(column, good));
  out.label = read_column(reader.object("label"), good);
  if (!reader.good() || !good) from.fail();
  return out;
}

}  // namespace discreet::learn
