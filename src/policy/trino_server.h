// A Trino server in a policy: where it is, and who asks.
//
//   TrinoKeys keys;
//   keys.url = "https://trino.example.org";
//   keys.catalog = "hive";
//   keys.user = "discreet";
//   auto server = *trino_server(keys, "/policies");
//   std::string name = server.identity;  // trino://trino.example.org:443/hive
//
// A policy is read by analysts, so a secret isn't written there but where it is found: "env:NAME"
// or "file:PATH".
#pragma once

#include <string>

#include "discreet/policy/server.h"

namespace discreet::policy {

// As written; empty where nothing is.
struct TrinoKeys {
  std::string url = {}, catalog = {}, schema = {}, user = {}, password = {}, token = {},
              certificate = {};
};

// `directory` is what relative files start from. An error's parameter is the key it is about; none
// shows a secret.
Result<Server> trino_server(const TrinoKeys& keys, const std::string& directory);

}  // namespace discreet::policy
