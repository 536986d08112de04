#include "discreet/policy/trino_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "discreet/base/try.h"
#include "discreet/policy/address.h"
#include "discreet/policy/elsewhere.h"
#include "discreet/policy/names.h"

namespace discreet::policy {
namespace {

using std::string;

bool is_header(const string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 32 && c != 127; });
}

// What is written there and is neither env: nor file: may be the secret itself.
Result<string> secret_at(const string& key, const string& written, const string& directory) {
  auto found = found_elsewhere(written, directory, "the secret", "…");
  if (!found) {
    found.error().parameter = key;
    return forward_error(found);
  }
  if (!*found)
    return bad_parameter(key, "a secret doesn't belong into a policy, which others read",
                         "accepted is \"env:NAME\" or \"file:PATH\", where it is found");
  const string& out = **found;
  if (!is_header(out))
    return bad_parameter(key, "what is found there is more than one line of text",
                         "accepted is the secret alone");
  return out;
}

}  // namespace

Result<Server> trino_server(const TrinoKeys& keys, const string& directory) {
  Server out;
  out.kind = Server::Kind::kTrino;
  const auto missing = [](const char* key, const char* example) {
    return bad_parameter("", fmt::format("the engine trino has no {}", key),
                         fmt::format("write {} = \"{}\"", key, example));
  };
  if (keys.url.empty()) return missing("url", "https://trino.example.org");
  if (keys.catalog.empty()) return missing("catalog", "hive");
  if (keys.user.empty()) return missing("user", "discreet");
  auto address = read_address(keys.url);
  if (!address) {
    address.error().parameter = "url";
    return forward_error(address);
  }
  out.url = address->text();
  for (const auto& [key, text] :
       {std::pair{"catalog", &keys.catalog}, {"schema", &keys.schema}, {"user", &keys.user}})
    if (!is_header(*text))
      return bad_parameter(key, "accepted is a name of one line, without control characters");
  out.catalog = lower(keys.catalog);
  out.schema = keys.schema.empty() ? "default" : lower(keys.schema);
  out.user = keys.user;
  if (!keys.certificate.empty()) {
    out.certificate = path_from(directory, keys.certificate);
    std::error_code error;
    if (!std::filesystem::is_regular_file(out.certificate, error))
      return bad_parameter("certificate", fmt::format("there is no file '{}'", out.certificate),
                           "accepted is a file of certificates in PEM form");
  }
  if (!keys.password.empty() && !keys.token.empty())
    return bad_parameter("token", "there is a password beside it", "accepted is one of the two");
  if (!keys.password.empty()) out.password = TRY(secret_at("password", keys.password, directory));
  if (!keys.token.empty()) out.token = TRY(secret_at("token", keys.token, directory));
  if (!address->tls && (!out.password.empty() || !out.token.empty()))
    return bad_parameter("url", "a secret is sent over TLS only", "accepted is https://… here");
  // What comes back is exact.
  if (!address->tls && !is_here(address->host))
    return bad_parameter("url", "what the server answers would cross the network in the clear",
                         "accepted is https://…; http:// is for this machine itself");
  out.identity = fmt::format("trino://{}/{}", address->server(), out.catalog);
  return out;
}

}  // namespace discreet::policy
