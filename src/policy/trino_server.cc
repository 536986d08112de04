#include "discreet/policy/trino_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "discreet/base/try.h"
#include "discreet/policy/address.h"
#include "discreet/policy/names.h"

namespace discreet::policy {
namespace {

using std::string;

string path_of(const string& written, const string& directory) {
  const std::filesystem::path path(written);
  return path.is_absolute() ? written : (std::filesystem::path(directory) / path).string();
}

bool is_header(const string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 32 && c != 127; });
}

// What env: and file: lead to, one line. Whatever else is written there may be the secret itself.
Result<string> secret_at(const string& key, const string& written, const string& directory) {
  constexpr std::string_view kEnvironment = "env:", kFile = "file:";
  string out;
  if (written.starts_with(kEnvironment)) {
    const string name = written.substr(kEnvironment.size());
    const char* value = std::getenv(name.c_str());
    if (!value || !*value)
      return bad_parameter(key, fmt::format("the environment has no {}", name),
                           fmt::format("export {}=… before the command", name));
    out = value;
  } else if (written.starts_with(kFile)) {
    const string path = path_of(written.substr(kFile.size()), directory);
    std::ifstream file(path, std::ios::binary);
    out.assign(std::istreambuf_iterator<char>(file), {});
    while (!out.empty() && (out.back() == '\n' || out.back() == '\r')) out.pop_back();
    if (!file || out.empty())
      return bad_parameter(key, fmt::format("the file '{}' can't be read", path),
                           "its one line is the secret");
  } else {
    return bad_parameter(key, "a secret doesn't belong into a policy, which others read",
                         "accepted is \"env:NAME\" or \"file:PATH\", where it is found");
  }
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
    out.certificate = path_of(keys.certificate, directory);
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
