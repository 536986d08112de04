#include "discreet/learn/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "discreet/base/digest.h"
#include "discreet/base/durable_file.h"
#include "discreet/base/lock_file.h"
#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/learn/model_json.h"

namespace discreet::learn {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kMagic = "discreet checkpoint 1\n";
constexpr std::size_t kDigest = 2 * sizeof(Digest);

tl::unexpected<Error> damaged(const std::string& name) {
  return fail(Code::kFailure, fmt::format("{} is no checkpoint that can be read", quote(name)),
              "without it the training can't go on; what it spent stays spent");
}

// Written and renamed, not synced.
Status write_lightly(const std::string& path, const std::string& content) {
  const std::string beside = path + ".new";
  unlink(beside.c_str());
  const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return system_error(beside, "creating", errno);
  std::string_view left = content;
  int error = 0;
  while (!left.empty() && error == 0) {
    const ssize_t written = write(file, left.data(), left.size());
    if (written < 0 && errno != EINTR) error = errno;
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
  }
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(beside.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  unlink(beside.c_str());
  return system_error(path, "writing", error);
}

}  // namespace

std::string write_checkpoint(const Checkpoint& checkpoint, const std::string& boot) {
  const std::string model = write_model(checkpoint.model);
  const Json header{{"run", checkpoint.run},
                    {"id", checkpoint.id},
                    {"begun", checkpoint.begun},
                    {"steps", checkpoint.steps},
                    {"boot", boot},
                    {"model", model.size()},
                    {"state", checkpoint.state.size()},
                    {"told", checkpoint.told.size()}};
  std::string out(kMagic);
  out += header.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" + model;
  out.append(reinterpret_cast<const char*>(checkpoint.state.data()),
             checkpoint.state.size() * sizeof(float));
  for (const auto& [loss, accuracy] : checkpoint.told) {
    const double both[2] = {loss, accuracy};
    out.append(reinterpret_cast<const char*>(both), sizeof both);
  }
  return out + hex(sha256(out));
}

Result<ReadCheckpoint> read_checkpoint(const std::string& name, std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + kDigest) return damaged(name);
  const std::string_view body = bytes.substr(0, bytes.size() - kDigest);
  if (hex(sha256(body)) != bytes.substr(body.size())) return damaged(name);
  const std::size_t end = body.find('\n', kMagic.size());
  if (end == std::string_view::npos) return damaged(name);
  const Json parsed = Json::parse(body.substr(kMagic.size(), end - kMagic.size()), nullptr, false);
  if (!parsed.is_object()) return damaged(name);
  JsonReader header(parsed);
  ReadCheckpoint out;
  Checkpoint& checkpoint = out.checkpoint;
  checkpoint.run = header.text("run");
  checkpoint.id = header.text("id");
  checkpoint.begun = header.count("begun", std::size_t{1} << 40);
  checkpoint.steps = header.count("steps", std::size_t{1} << 40);
  out.boot = header.text("boot");
  const std::size_t model = header.count("model", body.size());
  const std::size_t state = header.count("state", body.size());
  const std::size_t told = header.count("told", body.size());
  std::string_view rest = body.substr(end + 1);
  if (!header.good() || checkpoint.begun > checkpoint.steps ||
      rest.size() != model + state * sizeof(float) + told * 2 * sizeof(double))
    return damaged(name);
  checkpoint.model = TRY(read_model(name, rest.substr(0, model)));
  rest.remove_prefix(model);
  checkpoint.state.resize(state);
  if (state > 0) std::memcpy(checkpoint.state.data(), rest.data(), state * sizeof(float));
  rest.remove_prefix(state * sizeof(float));
  for (std::size_t i = 0; i < told; ++i) {
    double both[2];
    std::memcpy(both, rest.data() + i * sizeof both, sizeof both);
    checkpoint.told.emplace_back(both[0], both[1]);
  }
  return out;
}

Checkpoints::Checkpoints(std::string path, std::string boot)
    : path_(std::move(path)), boot_(std::move(boot)) {}

std::string Checkpoints::this_boot() {
  auto id = read_file("/proc/sys/kernel/random/boot_id");
  return id && *id ? (*id)->substr(0, (*id)->find('\n')) : std::string();
}

Result<std::optional<Checkpoint>> Checkpoints::find() const {
  const auto synced = TRY(read_file(path_));
  if (!synced) return std::nullopt;  // FILE comes first: without it nothing was drawn
  ReadCheckpoint out = TRY(read_checkpoint(path_, *synced));
  const auto latest = TRY(read_file(path_ + ".latest"));
  if (!latest || boot_.empty()) return std::move(out.checkpoint);
  auto newer = read_checkpoint(path_ + ".latest", *latest);
  // It must be of the same run and the same start of the machine; else FILE has the last word.
  if (newer && newer->boot == boot_ && out.boot == boot_ &&
      newer->checkpoint.id == out.checkpoint.id && newer->checkpoint.begun <= out.checkpoint.begun)
    return std::move(newer->checkpoint);
  return std::move(out.checkpoint);
}

std::uint64_t Checkpoints::ahead(const Checkpoint& checkpoint) const {
  return std::clamp<std::uint64_t>(checkpoint.steps / 50, 1, 200);
}

Status Checkpoints::begin(Checkpoint checkpoint) {
  checkpoint.begun = std::min(checkpoint.begun + ahead(checkpoint), checkpoint.steps);
  TRY(write_durably(path_, write_checkpoint(checkpoint, boot_)));
  counted_ = checkpoint.begun;
  return {};
}

Status Checkpoints::keep(const Checkpoint& checkpoint) {
  if (checkpoint.begun > counted_) TRY(begin(checkpoint));
  return write_lightly(path_ + ".latest", write_checkpoint(checkpoint, boot_));
}

Status Checkpoints::stop(const Checkpoint& checkpoint) {
  TRY(write_durably(path_, write_checkpoint(checkpoint, boot_)));
  counted_ = checkpoint.begun;
  unlink((path_ + ".latest").c_str());
  return {};
}

void Checkpoints::remove() const {
  unlink((path_ + ".latest").c_str());
  unlink(path_.c_str());
}

}  // namespace discreet::learn
