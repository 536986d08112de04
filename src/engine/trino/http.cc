#include "discreet/engine/trino/http.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <ctime>

namespace discreet::engine::trino {

using std::string;

namespace {

// libcurl wants one call before any other, from one thread.
bool curl_ready() {
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return ready;
}

}  // namespace

std::optional<string> next_path(const string& link) {
  const auto scheme = link.find("://");
  if (scheme == string::npos) return std::nullopt;
  const auto slash = link.find('/', scheme + 3);
  if (slash == string::npos) return std::nullopt;
  string path = link.substr(slash);
  constexpr std::string_view kBelow = "/v1/statement/";
  if (!path.starts_with(kBelow) || path.find("..") != string::npos) return std::nullopt;
  const bool plain = std::all_of(path.begin(), path.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/-._~?=&%").find(c) != std::string_view::npos;
  });
  if (!plain) return std::nullopt;
  return path;
}

struct Http::Handles {
  CURLM* multi = nullptr;
  CURL* easy = nullptr;
  Handles() {
    if (!curl_ready()) return;
    multi = curl_multi_init();
    easy = curl_easy_init();
  }
  ~Handles() {
    if (easy) curl_easy_cleanup(easy);
    if (multi) curl_multi_cleanup(multi);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
};

Http::Http(Address address, Credentials credentials)
    : address_(std::move(address)),
      credentials_(std::move(credentials)),
      handles_(std::make_unique<Handles>()) {}

namespace {

// Writing TLS to a connection that the other end has closed raises SIGPIPE, which ends a process
// that hasn't thought of it. Here it is held back from this thread, and what came meanwhile is
// dropped; whether one was waiting before stays as it was.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigset_t waiting;
    sigpending(&waiting);
    waited_ = sigismember(&waiting, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    constexpr timespec kNow{0, 0};
    if (!waited_)
      while (sigtimedwait(&pipe_, nullptr, &kNow) == SIGPIPE) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool waited_ = false;
};

struct Incoming {
  string body;
  std::size_t most = 0;
  bool too_large = false;
};

std::size_t take(char* bytes, std::size_t size, std::size_t count, void* to) {
  auto& incoming = *static_cast<Incoming*>(to);
  const std::size_t length = size * count;
  if (length > incoming.most - incoming.body.size()) {
    incoming.too_large = true;
    return 0;
  }
  // No exception may pass through a C library.
  try {
    incoming.body.append(bytes, length);
  } catch (...) {
    incoming.too_large = true;
    return 0;
  }
  return length;
}

NoAnswer reason(CURLcode code) {
  switch (static_cast<int>(code)) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return NoAnswer::kUntrusted;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
      return NoAnswer::kUnreachable;
    default:
      return NoAnswer::kCut;
  }
}

class Headers {
 public:
  ~Headers() { curl_slist_free_all(list_); }
  Headers() = default;
  Headers(const Headers&) = delete;
  Headers& operator=(const Headers&) = delete;
  // Nothing that would end the line, and begin another.
  bool add(const string& line) {
    if (std::any_of(line.begin(), line.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 32; }))
      return false;
    curl_slist* longer = curl_slist_append(list_, line.c_str());
    if (longer) list_ = longer;
    return longer != nullptr;
  }
  curl_slist* list() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

}  // namespace

Http::~Http() {
  const NoPipeSignal no_signal;  // TLS says goodbye
  handles_.reset();
}

tl::expected<Answer, NoAnswer> Http::send(const Exchange& exchange, const Leave& leave) {
  CURL* easy = handles_->easy;
  CURLM* multi = handles_->multi;
  const auto none = [](NoAnswer why) { return tl::unexpected<NoAnswer>(why); };
  if (!easy || !multi) return none(NoAnswer::kUnreachable);
  const NoPipeSignal no_signal;
  curl_easy_reset(easy);  // the connection stays
  bool ok = true;
  const auto set = [&](CURLoption option, auto value) {
    ok = ok && curl_easy_setopt(easy, option, value) == CURLE_OK;
  };
  const string url = address_.text() + exchange.path;
  Incoming incoming;
  incoming.most = exchange.most_bytes;
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_CONNECTTIMEOUT_MS, 10'000L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  // An answer that stands still for so long doesn't come any more; a page is sent within a second.
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, 120L);
  set(CURLOPT_WRITEFUNCTION, &take);
  set(CURLOPT_WRITEDATA, &incoming);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!credentials_.certificate.empty()) set(CURLOPT_CAINFO, credentials_.certificate.c_str());
  // A secret goes over TLS or not at all, whoever made these credentials.
  if (address_.tls && !credentials_.token.empty()) {
    set(CURLOPT_HTTPAUTH, static_cast<unsigned long>(CURLAUTH_BEARER));
    set(CURLOPT_XOAUTH2_BEARER, credentials_.token.c_str());
  } else if (address_.tls && !credentials_.password.empty()) {
    set(CURLOPT_HTTPAUTH, static_cast<unsigned long>(CURLAUTH_BASIC));
    set(CURLOPT_USERNAME, credentials_.user.c_str());
    set(CURLOPT_PASSWORD, credentials_.password.c_str());
  }
  Headers headers;
  for (const string& line : exchange.headers) ok = ok && headers.add(line);
  ok = ok && headers.add("X-Trino-User: " + credentials_.user) &&
       headers.add("Accept: application/json") && headers.add("Expect:");
  switch (exchange.verb) {
    case Exchange::Verb::kGet:
      set(CURLOPT_HTTPGET, 1L);
      break;
    case Exchange::Verb::kPost:
      set(CURLOPT_POST, 1L);
      set(CURLOPT_POSTFIELDS, exchange.body.data());
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(exchange.body.size()));
      ok = ok && headers.add("Content-Type: text/plain; charset=utf-8");
      break;
    case Exchange::Verb::kDelete:
      set(CURLOPT_CUSTOMREQUEST, "DELETE");
      break;
  }
  set(CURLOPT_HTTPHEADER, headers.list());
  if (!ok || curl_multi_add_handle(multi, easy) != CURLM_OK) return none(NoAnswer::kUnreachable);
  CURLcode code = CURLE_OK;
  bool left = false, done = false;
  while (!done && !left) {
    int running = 0;
    if (curl_multi_perform(multi, &running) != CURLM_OK) {
      code = CURLE_RECV_ERROR;
      break;
    }
    int queued = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &queued))
      if (message->msg == CURLMSG_DONE) {
        code = message->data.result;
        done = true;
      }
    if (done) break;
    left = leave.asked() || leave.late();
    constexpr int kLook = 50;  // milliseconds
    if (!left) curl_multi_poll(multi, nullptr, 0, kLook, nullptr);
  }
  long status = 0;
  const char* type = nullptr;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
  const bool json = type && std::string_view(type).starts_with("application/json");
  curl_multi_remove_handle(multi, easy);
  if (left) return none(NoAnswer::kLeft);
  if (incoming.too_large) return none(NoAnswer::kTooLarge);
  if (code != CURLE_OK) return none(reason(code));
  return Answer{status, json, std::move(incoming.body)};
}

}  // namespace discreet::engine::trino
