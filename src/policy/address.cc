#include "discreet/policy/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "discreet/policy/names.h"

namespace discreet::policy {

using std::string;

namespace {

bool is_host(std::string_view text) {
  const bool bracketed = text.starts_with('[') && text.ends_with(']') && text.size() > 2;
  const std::string_view inner = bracketed ? text.substr(1, text.size() - 2) : text;
  return !inner.empty() && std::all_of(inner.begin(), inner.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || (bracketed && c == ':');
  });
}

// What a number of an address is in its one form; nothing for a name.
string number_of(const string& host) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  in_addr four{};
  in6_addr six{};
  if (inet_aton(host.c_str(), &four) != 0)  // also 127.1 and 0x7f000001, as resolvers read them
    return inet_ntop(AF_INET, &four, text.data(), text.size()) ? text.data() : "";
  if (!host.starts_with('[')) return "";
  if (inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &six) != 1) return "";
  if (IN6_IS_ADDR_V4MAPPED(&six) != 0) {
    std::copy_n(six.s6_addr + 12, 4, reinterpret_cast<unsigned char*>(&four));
    return inet_ntop(AF_INET, &four, text.data(), text.size()) ? text.data() : "";
  }
  return inet_ntop(AF_INET6, &six, text.data(), text.size()) ? fmt::format("[{}]", text.data())
                                                             : "";
}

string host_of(const string& host) {
  string out = host;
  if (out.ends_with('.')) out.pop_back();
  const string number = number_of(out);
  if (number.empty()) return out;
  return number == "[::1]" || number.starts_with("127.") ? "localhost" : number;
}

}  // namespace

string Address::server() const { return fmt::format("{}:{}", host_of(host), port); }
bool is_here(const string& host) {
  return host_of(host.find(':') != string::npos && host.front() != '[' ? "[" + host + "]" : host) ==
         "localhost";
}

string Address::text() const {
  return fmt::format("{}://{}:{}", tls ? "https" : "http", host, port);
}

Result<Address> read_address(const string& url) {
  const auto bad = [](const char* why) {
    return fail(Code::kUsage, why, "accepted is https://HOST or https://HOST:PORT");
  };
  Address out;
  std::string_view rest = url;
  constexpr std::string_view kPlain = "http://", kTls = "https://";
  out.tls = rest.starts_with(kTls);
  if (!out.tls && !rest.starts_with(kPlain))
    return bad("the address is neither https:// nor http://");
  rest.remove_prefix(out.tls ? kTls.size() : kPlain.size());
  // Looked for first, so that no later message shows it.
  if (rest.find('@') != std::string_view::npos)
    return fail(
        Code::kUsage, "a name or password doesn't belong into the address",
        "the user has a key of its own, and a secret is written as \"env:NAME\" or \"file:PATH\"");
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#") != std::string_view::npos)
    return bad("the address goes on behind the host and port");
  const auto colon = rest.rfind(':');
  const auto bracket = rest.rfind(']');
  std::string_view port;
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    port = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
    if (error != std::errc() || end != port.data() + port.size() || out.port < 1 ||
        out.port > 65535)
      return bad("the address has no port from 1 to 65535");
  } else {
    out.port = out.tls ? 443 : 80;
  }
  if (!is_host(rest)) return bad("the address has no host that can be read");
  out.host = lower(string(rest));
  return out;
}

}  // namespace discreet::policy
