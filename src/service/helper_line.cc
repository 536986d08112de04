#include "discreet/service/helper_line.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace discreet::service {
namespace {

using std::string;
constexpr int kLook = 20;  // milliseconds
// An answer has at most as many groups as there is room for; longer is no answer.
constexpr std::uint64_t kLongest = std::uint64_t{1} << 31;
constexpr std::size_t kHead = 1 + sizeof(std::uint64_t);

string number_bytes(std::uint64_t number) {
  string out(sizeof(number), '\0');
  std::memcpy(out.data(), &number, sizeof(number));
  return out;
}
std::uint64_t number_at(std::string_view text) {
  std::uint64_t out = 0;
  std::memcpy(&out, text.data(), sizeof(out));
  return out;
}

}  // namespace

Line::~Line() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool Line::send(Word word, std::string_view text, const std::function<bool()>& go_on) {
  const string whole =
      string(1, static_cast<char>(word)) + number_bytes(text.size()) + string(text);
  std::string_view left = whole;
  while (!left.empty()) {
    const ssize_t sent = ::send(descriptor_, left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      left.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    pollfd waiting{descriptor_, POLLOUT, 0};
    (void)poll(&waiting, 1, kLook);
    if (!go_on()) return false;
  }
  return true;
}

Line::Heard Line::hear(Message& message, int milliseconds) {
  while (true) {
    if (heard_.size() >= kHead) {
      const std::uint64_t length = number_at(std::string_view(heard_).substr(1));
      if (length > kLongest) return Heard::kGone;
      if (heard_.size() - kHead >= length) {
        message.word = static_cast<Word>(heard_[0]);
        message.text = heard_.substr(kHead, length);
        heard_.erase(0, kHead + length);
        return Heard::kMessage;
      }
    }
    pollfd waiting{descriptor_, POLLIN, 0};
    const int ready = poll(&waiting, 1, milliseconds);
    if (ready < 0 && errno != EINTR) return Heard::kGone;
    if (ready <= 0) return Heard::kNothing;
    std::array<char, 1 << 16> buffer;
    const ssize_t got = recv(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return Heard::kGone;
    heard_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

string joined(const std::vector<string>& texts) {
  string out;
  for (const string& text : texts) out += number_bytes(text.size()) + text;
  return out;
}

std::optional<std::vector<string>> parted(std::string_view joined, std::size_t count) {
  std::vector<string> out;
  while (!joined.empty()) {
    if (joined.size() < sizeof(std::uint64_t)) return {};
    const std::uint64_t length = number_at(joined);
    joined.remove_prefix(sizeof(std::uint64_t));
    if (length > joined.size()) return {};
    out.emplace_back(joined.substr(0, length));
    joined.remove_prefix(length);
  }
  if (out.size() != count) return {};
  return out;
}

}  // namespace discreet::service
