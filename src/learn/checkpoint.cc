#include "discreet/learn/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

}  // namespace

std::string write_checkpoint(const Checkpoint& checkpoint, const std::string& boot) {
  const std::string model = write_model(checkpoint.model);
  const Json header{{"run", checkpoint.run},
                    {"id", checkpoint.id},
                    {"begun", checkpoint.begun},
                    {"steps", checkpoint.steps},
                    {"boot", boot},
                    {"reservation", checkpoint.reservation},
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
  checkpoint.reservation = header.text("reservation");
  checkpoint.digest = bytes.substr(body.size());
  const std::size_t model = header.count("model", body.size());
  const std::size_t state = header.count("state", body.size());
  const std::size_t told = header.count("told", body.size());
  std::string_view rest = body.substr(end + 1);
  if (!header.good() || checkpoint.begun > checkpoint.steps ||
      rest.size() != model + state * sizeof(float) + told * 2 * sizeof(double))
    return damaged(name);
  checkpoint.model = TRY(read_outline(name, rest.substr(0, model)));
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
    : path_(std::move(path)), boot_(std::move(boot)), latest_(path_ + ".latest") {}

Checkpoints::~Checkpoints() {
  if (lock_ < 0) return;
  unlink((path_ + ".lock").c_str());
  close(lock_);
}

// The file is taken away again, so whoever has locked it looks whether it is still the one of that
// name: else someone finished in between, and it is tried again.
Status Checkpoints::lock() {
  const std::string path = path_ + ".lock";
  while (lock_ < 0) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return system_error(path, "opening the lock file", errno);
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      close(file);
      if (error != EWOULDBLOCK) return system_error(path, "locking", error);
      return fail(Code::kFailure, fmt::format("another training is running into {}", quote(path_)),
                  "wait for its end, or choose another place for this one");
    }
    struct stat held = {}, named = {};
    if (fstat(file, &held) == 0 && stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
        held.st_dev == named.st_dev)
      lock_ = file;
    else
      close(file);
  }
  return {};
}

std::string Checkpoints::this_boot() {
  auto id = read_file("/proc/sys/kernel/random/boot_id");
  return id && *id ? (*id)->substr(0, (*id)->find('\n')) : std::string();
}

Result<std::optional<Checkpoint>> Checkpoints::find() const {
  const auto synced = TRY(read_file(path_));
  if (!synced) return std::nullopt;  // without FILE nothing was drawn
  ReadCheckpoint read = TRY(read_checkpoint(path_, *synced));
  Checkpoint& out = read.checkpoint;
  auto latest = TRY(LatestFile::find(path_ + ".latest"));
  // It must be of the same run and the same start of the machine; else FILE has the last word.
  if (latest && !boot_.empty() && latest->boot == boot_ && read.boot == boot_ &&
      latest->id == out.id && latest->begun <= out.begun &&
      latest->state.size() == out.state.size()) {
    out.begun = latest->begun;
    out.state = std::move(latest->state);
    out.told = std::move(latest->told);
  }
  return std::move(out);
}

Status Checkpoints::begin(Checkpoint checkpoint) {
  checkpoint.begun = std::min(checkpoint.begun + 1, checkpoint.steps);
  TRY(latest_.create(checkpoint.id, boot_, {checkpoint.begun, checkpoint.state, checkpoint.told}));
  ahead_ = std::clamp<std::uint64_t>(checkpoint.steps / 50, 1, 200);
  return sync(std::move(checkpoint));
}

Status Checkpoints::sync(Checkpoint checkpoint) {
  // Where steps are quick, more of them are counted at once, so that the disk isn't what training
  // waits for.
  constexpr std::chrono::seconds kQuick(5);
  const auto now = std::chrono::steady_clock::now();
  if (counted_ > 0 && now - synced_ < kQuick) ahead_ *= 2;
  checkpoint.begun = std::min(checkpoint.begun + ahead_, checkpoint.steps);
  TRY(put(checkpoint, false));
  synced_ = now;
  return {};
}

Status Checkpoints::put(const Checkpoint& checkpoint, bool stopped) {
  const std::string bytes = write_checkpoint(checkpoint, boot_);
  if (record_) TRY(record_({bytes.substr(bytes.size() - kDigest), checkpoint.begun, stopped}));
  TRY(write_durably(path_, bytes));
  counted_ = checkpoint.begun;
  return {};
}

Status Checkpoints::keep(const Checkpoint& checkpoint) {
  if (checkpoint.begun > counted_) TRY(sync(checkpoint));
  return latest_.keep({checkpoint.begun, checkpoint.state, checkpoint.told});
}

Status Checkpoints::stop(const Checkpoint& checkpoint) {
  TRY(put(checkpoint, true));
  latest_.remove();
  return {};
}

void Checkpoints::remove() {
  latest_.remove();
  unlink(path_.c_str());
}

}  // namespace discreet::learn
