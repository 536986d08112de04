#include <algorithm>

#include "target.h"

namespace discreet::fuzz {
namespace {

std::vector<const Waypoint*>& all() {
  static std::vector<const Waypoint*> here;
  return here;
}

}  // namespace

Waypoint::Waypoint(std::string name) : name_(std::move(name)) { all().push_back(this); }

Waypoint::~Waypoint() { std::erase(all(), this); }

std::vector<std::string> Waypoint::missed() {
  std::vector<std::string> out;
  for (const Waypoint* each : all())
    if (!each->passed_) out.push_back(each->name_);
  return out;
}

}  // namespace discreet::fuzz
