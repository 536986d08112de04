// The address of an HTTP server in a policy: a scheme, a host, a port, and nothing else.
//
//   auto address = *read_address("https://trino.example.org");
//   std::string text = address.text();  // https://trino.example.org:443
#pragma once

#include <string>

#include "discreet/base/error.h"

namespace discreet::policy {

struct Address {
  bool tls = false;
  std::string host;  // in small letters; with the brackets of an IPv6 address
  int port = 0;
  std::string text() const;
  // One name for one server, as far as the address alone tells: numbers in one form, no dot behind
  // a name, this machine as "localhost".
  std::string server() const;
};

// Whether a host is this machine: a number of it (an IPv6 one with or without brackets), or
// "localhost". 127.example.org is somebody's name.
bool is_here(const std::string& host);

// Also with a "/" behind it. A name or password in it is refused, and not shown: policies are read
// by people.
Result<Address> read_address(const std::string& url);

}  // namespace discreet::policy
