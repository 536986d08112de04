// JSON files that are one array of objects. A reader of JSON lines is another function called on
// the same file here.
#include <nlohmann/json.hpp>

#include "discreet/engine/json_array.h"
#include "in_file.h"
#include "target.h"

namespace discreet::fuzz {
namespace {

using Json = nlohmann::json;

std::vector<std::string> elements_of(std::string_view bytes) {
  const InFile file(bytes, "t.json");
  engine::JsonArray array(file.path());
  require(array.readable(), "a file that is there can be read");
  std::vector<std::string> out;
  for (std::string element; array.next(element);) out.push_back(element);
  return out;
}

// Of a file that really is an array of objects.
void all_its_objects(const Json& array, const std::vector<std::string>& elements) {
  std::size_t at = 0;
  for (const Json& object : array) {
    if (!object.is_object()) return;  // what is in other elements is up to the reader
    require(at < elements.size() && Json::parse(elements[at], nullptr, false) == object,
            "every object of an array is a row");
    ++at;
  }
  require(at == elements.size(), "there are no other rows");
}

}  // namespace

void target(std::string_view bytes) {
  const std::vector<std::string> elements = elements_of(bytes);
  const std::vector<std::string> names = {"who", "x", "", "a\nb"};
  for (const std::string& element : elements) {
    require(element.starts_with('{') && element.ends_with('}'), "an element is in its brackets");
    const auto fields = engine::fields_of(element, names);
    const Json object = Json::parse(element, nullptr, false);
    require(fields.has_value() == object.is_object(), "what is no object has no fields");
    if (!fields) continue;
    require(fields->size() == names.size(), "there is a field for each name");
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool there = object.contains(names[i]) && !object[names[i]].is_null();
      require((*fields)[i].has_value() == there, "a field is there where it isn't null");
      if (there && object[names[i]].is_string())
        require(*(*fields)[i] == object[names[i]].get<std::string>(), "a text is read as it is");
    }
  }
  // A row doesn't depend on what stands behind it, so a file can be read piece by piece.
  std::string joined = "[";
  for (const std::string& element : elements) joined += element + ",\n";
  require(elements_of(joined) == elements, "rows that were read are read again");
  const Json array = Json::parse(bytes, nullptr, false);
  if (array.is_array()) all_its_objects(array, elements);
}

}  // namespace discreet::fuzz
