#include "discreet/engine/testing/fake_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace discreet::engine::testing {

using std::string;

struct FakeServer::Tls {
  SSL_CTX* context = nullptr;
  ~Tls() { SSL_CTX_free(context); }
};

namespace {

// A socket, or TLS on it.
class Line {
 public:
  Line(int socket, SSL_CTX* context) : socket_(socket) {
    if (!context) return;
    ssl_ = SSL_new(context);
    SSL_set_fd(ssl_, socket);
    ok_ = SSL_accept(ssl_) == 1;
  }
  ~Line() {
    if (ssl_) SSL_free(ssl_);
    close(socket_);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  // Whether there is something to read, or the other end is gone.
  bool wait(const std::atomic<bool>& ending) const {
    while (!ending) {
      if (ssl_ && SSL_pending(ssl_) > 0) return true;
      pollfd one{socket_, POLLIN, 0};
      if (poll(&one, 1, 20) > 0) return true;
    }
    return false;
  }
  bool read_some(string& to) {
    char buffer[4096];
    const auto got = !ok_   ? 0
                     : ssl_ ? static_cast<ssize_t>(SSL_read(ssl_, buffer, sizeof buffer))
                            : recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    to.append(buffer, static_cast<std::size_t>(got));
    return true;
  }
  bool write_all(const string& bytes) {
    std::size_t done = 0;
    while (ok_ && done < bytes.size()) {
      const auto put =
          ssl_ ? static_cast<ssize_t>(
                     SSL_write(ssl_, bytes.data() + done, static_cast<int>(bytes.size() - done)))
               : ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (put <= 0) return false;
      done += static_cast<std::size_t>(put);
    }
    return ok_;
  }

 private:
  const int socket_;
  SSL* ssl_ = nullptr;
  bool ok_ = true;
};

}  // namespace

string FakeServer::Request::header(const string& name) const {
  for (std::size_t at = head.find("\r\n"); at != string::npos; at = head.find("\r\n", at + 2)) {
    const std::size_t begin = at + 2;
    if (head.size() > begin + name.size() && head[begin + name.size()] == ':' &&
        strncasecmp(head.c_str() + begin, name.c_str(), name.size()) == 0) {
      const std::size_t value = begin + name.size() + 2;
      return head.substr(value, head.find("\r\n", value) - value);
    }
  }
  return {};
}

FakeServer::FakeServer(Handler handler, bool tls) : handler_(std::move(handler)) {
  if (tls) {
    string path = std::filesystem::temp_directory_path() / "discreet-fake.XXXXXX";
    folder_ = mkdtemp(path.data());
    const string made =
        "cd " + folder_ +
        " && exec 2>/dev/null >/dev/null && openssl req -x509 -newkey rsa:2048 -nodes -keyout "
        "ca.key -out ca.pem -days 2 -subj /CN=discreet -addext subjectAltName=DNS:localhost";
    EXPECT_EQ(std::system(made.c_str()), 0);
    tls_ = std::make_unique<Tls>();
    tls_->context = SSL_CTX_new(TLS_server_method());
    EXPECT_EQ(SSL_CTX_use_certificate_file(tls_->context, (folder_ + "/ca.pem").c_str(),
                                           SSL_FILETYPE_PEM),
              1);
    EXPECT_EQ(
        SSL_CTX_use_PrivateKey_file(tls_->context, (folder_ + "/ca.key").c_str(), SSL_FILETYPE_PEM),
        1);
  }
  listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(bind(listening_, reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
  EXPECT_EQ(listen(listening_, 64), 0);
  socklen_t size = sizeof place;
  EXPECT_EQ(getsockname(listening_, reinterpret_cast<sockaddr*>(&place), &size), 0);
  port_ = ntohs(place.sin_port);
  thread_ = std::thread([this] { serve(); });
}

FakeServer::~FakeServer() {
  ending_ = true;
  thread_.join();
  for (std::thread& one : talks_) one.join();
  close(listening_);
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

string FakeServer::url() const {
  return fmt::format("{}:{}", tls_ ? "https://localhost" : "http://127.0.0.1", port_);
}

std::vector<FakeServer::Request> FakeServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

string FakeServer::answer(int status, const string& body, const string& type,
                          const string& more_headers) {
  return fmt::format("HTTP/1.1 {} x\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n{}", status,
                     type, body.size(), more_headers, body);
}
string FakeServer::page(const string& json) { return answer(200, json); }

void FakeServer::serve() {
  while (!ending_) {
    pollfd one{listening_, POLLIN, 0};
    if (poll(&one, 1, 20) <= 0) continue;
    const int socket = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0) talks_.emplace_back([this, socket] { talk(socket); });
  }
}

void FakeServer::talk(int socket) {
  // OpenSSL writes without MSG_NOSIGNAL.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  Line line(socket, tls_ ? tls_->context : nullptr);
  string bytes;
  while (line.wait(ending_)) {
    const auto end = bytes.find("\r\n\r\n");
    if (end == string::npos) {
      if (!line.read_some(bytes)) return;
      if (bytes.find("\r\n\r\n") == string::npos) continue;
    }
    Request request;
    const auto head_end = bytes.find("\r\n\r\n") + 4;
    request.head = bytes.substr(0, head_end);
    bytes.erase(0, head_end);
    const string length = request.header("Content-Length");
    const std::size_t wanted = length.empty() ? 0 : std::stoul(length);
    while (bytes.size() < wanted)
      if (!line.read_some(bytes)) return;
    request.body = bytes.substr(0, wanted);
    bytes.erase(0, wanted);
    const auto space = request.head.find(' ');
    request.verb = request.head.substr(0, space);
    request.path = request.head.substr(space + 1, request.head.find(' ', space + 1) - space - 1);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const string reply = handler_(request);
    if (reply == hold()) {
      (void)line.wait(ending_);
      return;
    }
    if (reply.empty() || !line.write_all(reply)) return;
    // What says no length is ended by the end of the connection; what is shorter than it says is
    // cut.
    const auto said = reply.find("Content-Length: ");
    if (said == string::npos) return;
    const auto body = reply.find("\r\n\r\n") + 4;
    if (std::stoul(reply.substr(said + 16)) > reply.size() - body) return;
  }
}

}  // namespace discreet::engine::testing
