// Every protocol by name, as data: the commands, the tables and the tests are made from it.
//
//   for (const Entry& entry : registry()) std::string_view name = entry.name;
//
// A new protocol is a file of its own and one line in registry.cc.
#pragma once

#include "discreet/local/protocol.h"

namespace discreet::local {

struct Entry {
  std::string_view name;
  std::string_view title;  // one sentence
  std::string_view paper;
  Task task = Task::kFrequencies;
  std::string_view report;  // what a line of text holds
  Result<ProtocolPointer> (*make)(const Parameters& parameters) = nullptr;
};

std::span<const Entry> registry();
const Entry* find(std::string_view name);
// The same, or an error that names those there are and one that may be meant.
Result<const Entry*> require(std::string_view name);

}  // namespace discreet::local
