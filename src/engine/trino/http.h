// Requests to one server, and nothing that the server says can lead them elsewhere: no redirect is
// followed, no proxy is taken from the environment, and of a link in an answer only the path
// counts.
//
//   Address address = *policy::read_address("https://trino.example.org");
//   Http http(address, {});
//   Exchange exchange;
//   exchange.path = "/v1/info";
//   auto answer = http.send(exchange, {});
//   if (answer) bool well = answer->status == 200;
//
// By libcurl, for what a client of a server that may be hostile needs: limits kept while bytes come
// in, a check of certificates that is the system's own, and a request that can be left at any
// moment.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/policy/address.h"

namespace discreet::engine::trino {

using policy::Address;

// Who asks. At most one of the two secrets; they are sent over TLS only.
struct Credentials {
  std::string user = {};
  std::string password = {}, token = {};
  std::string certificate = {};  // a file of the authorities to trust; empty: the system's
};

struct Exchange {
  enum class Verb { kGet, kPost, kDelete };
  Verb verb = Verb::kGet;
  std::string path;  // begins with "/"
  std::string body = {};
  std::vector<std::string> headers = {};
  std::size_t most_bytes = std::size_t{64} << 20;  // of an answer
};

// When to leave: asked to, or at a point in time.
struct Leave {
  const std::atomic<bool>* stop = nullptr;
  std::optional<std::chrono::steady_clock::time_point> at = std::nullopt;
  bool asked() const { return stop && stop->load(); }
  bool late() const { return at && std::chrono::steady_clock::now() >= *at; }
};

struct Answer {
  long status = 0;
  bool json = false;  // its content type says so
  std::string body;
};

// Why there is no answer.
enum class NoAnswer {
  kUnreachable,  // no connection: nothing was sent
  kCut,          // a connection that broke, or an answer that isn't HTTP
  kUntrusted,    // the server's certificate isn't one of a trusted authority, or not for this host
  kTooLarge,
  kLeft,  // asked to, or late
};

// One connection at a time; not for several threads at once.
class Http {
 public:
  Http(Address address, Credentials credentials);
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  const Address& address() const { return address_; }
  tl::expected<Answer, NoAnswer> send(const Exchange& exchange, const Leave& leave);

 private:
  struct Handles;
  const Address address_;
  const Credentials credentials_;
  std::unique_ptr<Handles> handles_;
};

// The path and what is behind it of a link in an answer, if it is one to a statement's next page:
// it is asked of the server that we know, whatever host the link names. (Behind a gateway that ends
// TLS it often names another.)
std::optional<std::string> next_path(const std::string& link);

}  // namespace discreet::engine::trino
