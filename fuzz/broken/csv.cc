// The planted defect: a reader that knows no quotes.
#include <fstream>
#include <sstream>

#include "discreet/engine/dialect.h"

namespace discreet::engine {

Result<std::vector<std::string>> csv_header(const sql::TableRule& rule) {
  std::ifstream file(rule.files.front());
  std::string line, name;
  std::getline(file, line);
  std::istringstream names(line);
  std::vector<std::string> out;
  while (std::getline(names, name, ',')) out.push_back(name);
  return out;
}

}  // namespace discreet::engine
