// A policy in people's words, and as JSON: who is protected and how, what may be asked about.
#pragma once

#include <string>
#include <vector>

#include "discreet/policy/catalog.h"

namespace discreet::render {

std::string words(const policy::Policy& policy, const policy::Catalog& catalog,
                  const std::vector<std::string>& warnings);
std::string json(const policy::Policy& policy, const policy::Catalog& catalog,
                 const std::vector<std::string>& warnings);

// A table of the tables, and one of a table's columns, without those that are hidden.
std::string tables(const policy::Catalog& catalog);
std::string columns(const policy::Table& table);

}  // namespace discreet::render
