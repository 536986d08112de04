#include "discreet/learn/latest_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "discreet/base/durable_file.h"
#include "discreet/base/lock_file.h"
#include "discreet/base/try.h"
#include "discreet/learn/model_json.h"

namespace discreet::learn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "discreet latest 1\n";
constexpr std::size_t kStart = 4096;  // of the places; before it, a line that says what this is

struct Head {
  std::uint64_t begun = 0, told = 0, sum = 0;
};

// Not against people, who could write what they like: against a copy that was cut short.
std::uint64_t sum_of(const Head& head, std::string_view bytes) {
  constexpr std::uint64_t kTimes = 0x9E3779B97F4A7C15ULL;
  std::array<std::uint64_t, 4> lanes = {head.begun + 1, head.told + 2, bytes.size() + 3, 4};
  const auto mix = [](std::uint64_t a, std::uint64_t b) {
    a = (a ^ b) * kTimes;
    return a ^ (a >> 32);
  };
  while (!bytes.empty()) {
    std::array<std::uint64_t, 4> words = {};
    const std::size_t size = std::min(bytes.size(), sizeof words);
    std::memcpy(words.data(), bytes.data(), size);
    for (std::size_t i = 0; i < 4; ++i) lanes[i] = mix(lanes[i], words[i]);
    bytes.remove_prefix(size);
  }
  return mix(mix(lanes[0], lanes[1]), mix(lanes[2], lanes[3]));
}

std::size_t place_size(std::size_t state) { return sizeof(Head) + state * sizeof(float); }
std::size_t place_of(std::uint64_t which, std::size_t state) {
  return kStart + static_cast<std::size_t>(which) * place_size(state);
}

std::string_view bytes_of(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
}

// 0, or what went wrong.
int write_at(int file, std::string_view bytes, std::size_t at) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno != EINTR) return errno;
    if (written == 0) return EIO;
    if (written < 0) continue;
    at += static_cast<std::size_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

LatestFile::~LatestFile() {
  if (file_ >= 0) close(file_);
}

Status LatestFile::create(const std::string& id, const std::string& boot, const Now& now) {
  const std::string beside = path_ + ".new";
  unlink(beside.c_str());
  if (file_ >= 0) close(file_);
  file_ = open(beside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file_ < 0) return system_error(beside, "creating", errno);
  state_ = now.state.size();
  told_ = 0;
  next_ = 0;
  const Json header{{"id", id}, {"boot", boot}, {"state", state_}};
  std::string line =
      std::string(kMagic) + header.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (line.size() > kStart) return fail(Code::kFailure, "a checkpoint's name is too long");
  line.resize(kStart, '\n');
  if (const int error = write_at(file_, line, 0); error != 0)
    return system_error(beside, "writing", error);
  TRY(put(now));
  if (std::rename(beside.c_str(), path_.c_str()) != 0) return system_error(path_, "writing", errno);
  return {};
}

Status LatestFile::keep(const Now& now) {
  if (file_ < 0 || now.state.size() != state_ || now.told.size() < told_)
    return fail(Code::kFailure, "a checkpoint was kept before it was begun");
  return put(now);
}

Status LatestFile::put(const Now& now) {
  Head head{now.begun, now.told.size(), 0};
  const std::string_view state = bytes_of(now.state.data(), now.state.size_bytes());
  head.sum = sum_of(head, state);
  const std::span<const Told> fresh = now.told.subspan(told_);
  std::vector<double> pairs;
  for (const auto& [loss, accuracy] : fresh) pairs.insert(pairs.end(), {loss, accuracy});
  const std::size_t at = place_of(next_, state_);
  int error = write_at(file_, bytes_of(pairs.data(), pairs.size() * sizeof(double)),
                       place_of(2, state_) + told_ * 2 * sizeof(double));
  if (error == 0) error = write_at(file_, state, at + sizeof head);
  if (error == 0) error = write_at(file_, bytes_of(&head, sizeof head), at);  // makes it count
  if (error != 0) return system_error(path_, "writing", error);
  told_ = now.told.size();
  next_ = 1 - next_;
  return {};
}

void LatestFile::remove() {
  if (file_ >= 0) close(file_);
  file_ = -1;
  unlink(path_.c_str());
}

Result<std::optional<LatestFile::Found>> LatestFile::find(const std::string& path) {
  const auto read = TRY(read_file(path));
  if (!read) return std::nullopt;
  const std::string_view bytes = *read;
  if (!bytes.starts_with(kMagic) || bytes.size() < kStart) return std::nullopt;
  const std::size_t end = bytes.find('\n', kMagic.size());
  if (end >= kStart) return std::nullopt;
  const Json parsed = Json::parse(bytes.substr(kMagic.size(), end - kMagic.size()), nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  JsonReader header(parsed);
  Found out;
  out.id = header.text("id");
  out.boot = header.text("boot");
  const std::size_t state = header.count("state", bytes.size());
  if (!header.good()) return std::nullopt;
  std::optional<Head> best;
  std::string_view numbers;
  for (const std::uint64_t which : {0, 1}) {
    const std::size_t at = place_of(which, state);
    if (bytes.size() < at + place_size(state)) continue;
    Head head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    const std::string_view here = bytes.substr(at + sizeof head, state * sizeof(float));
    const std::uint64_t room =
        bytes.size() > place_of(2, state) ? bytes.size() - place_of(2, state) : 0;
    if (head.sum != sum_of(head, here) || head.told > room / (2 * sizeof(double)) ||
        (best && head.begun <= best->begun))
      continue;
    best = head;
    numbers = here;
  }
  if (!best) return std::nullopt;
  out.begun = best->begun;
  out.state.resize(state);
  if (state > 0) std::memcpy(out.state.data(), numbers.data(), numbers.size());
  for (std::uint64_t i = 0; i < best->told; ++i) {
    double both[2];
    std::memcpy(both, bytes.data() + place_of(2, state) + i * sizeof both, sizeof both);
    out.told.emplace_back(both[0], both[1]);
  }
  return out;
}

}  // namespace discreet::learn
