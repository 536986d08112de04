// A server that says whatever a test wants, byte for byte, over HTTP or TLS: also what no good
// server would say.
//
//   FakeServer server([](const FakeServer::Request& request) {
//     return FakeServer::page(request.path == "/v1/info" ? "{}" : "");
//   });
//   std::string url = server.url();
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace discreet::engine::testing {

class FakeServer {
 public:
  struct Request {
    std::string verb, path, head, body;
    // The value of a header, the first line of it; "" if there is none.
    std::string header(const std::string& name) const;
  };
  // All bytes of an answer. Empty: the connection is closed without one. hold(): it is kept open,
  // silent, until the client leaves or the server ends.
  using Handler = std::function<std::string(const Request&)>;

  explicit FakeServer(Handler handler, bool tls = false);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  std::string url() const;
  int port() const { return port_; }
  // The file of the authority that signed its certificate (for "localhost").
  std::string certificate() const { return folder_ + "/ca.pem"; }
  std::vector<Request> requests() const;

  static std::string page(const std::string& json);
  static std::string answer(int status, const std::string& body,
                            const std::string& type = "application/json",
                            const std::string& more_headers = "");
  static std::string hold() { return "hold"; }

 private:
  struct Tls;
  void serve();
  void talk(int socket);

  const Handler handler_;
  std::unique_ptr<Tls> tls_;
  std::string folder_;
  int listening_ = -1, port_ = 0;
  std::atomic<bool> ending_ = false;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
  std::vector<std::thread> talks_;
  std::thread thread_;
};

}  // namespace discreet::engine::testing
