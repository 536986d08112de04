// Loaded before the C library (LD_PRELOAD) by the ledger's tests: counts, records or spoils what a
// program does to the files under FAULTS_ROOT. Never part of the product.
//
//   FAULTS_KILL=n    the program kills itself (SIGKILL) just before its n-th step
//   FAULTS_FULL=n    from the n-th step on the disk is full
//   FAULTS_LOG=file  every step is written there, for the power-loss simulation (one JSON line
//   each) FAULTS_CLOCK=s   the clock is s seconds off
// A step is one call that changes files or makes a change durable; writes to standard output are
// recorded as well.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <string>

namespace {

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

long number_of(const char* variable) {
  const char* text = getenv(variable);
  return text == nullptr ? 0 : atol(text);
}

bool ours(const std::string& path) {
  static const char* root = getenv("FAULTS_ROOT");
  return root != nullptr && path.starts_with(root) && !path.ends_with("-shm") &&
         !path.ends_with("lock");
}

std::string path_of(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : std::string();
}

void record(const std::string& line) {
  static const int log =
      getenv("FAULTS_LOG") == nullptr
          ? -1
          : static_cast<int>(syscall(SYS_open, getenv("FAULTS_LOG"),
                                     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (log >= 0) syscall(SYS_write, log, line.data(), line.size());
}

std::string hex(const void* data, size_t size) {
  std::string out;
  for (size_t i = 0; i < size; ++i) {
    char pair[3];
    snprintf(pair, sizeof pair, "%02x", static_cast<const unsigned char*>(data)[i]);
    out += pair;
  }
  return out;
}

long steps = 0;

// Before each step. False: the disk is full.
bool step(bool takes_space) {
  ++steps;
  static const long kill_at = number_of("FAULTS_KILL"), full_from = number_of("FAULTS_FULL");
  if (kill_at > 0 && steps == kill_at) kill(getpid(), SIGKILL);
  if (full_from > 0 && steps >= full_from && takes_space) {
    errno = ENOSPC;
    return false;
  }
  return true;
}

std::string entry(const char* kind, const std::string& path, const std::string& rest = "") {
  return std::string("{\"op\":\"") + kind + "\",\"path\":\"" + path + "\"" + rest + "}\n";
}

ssize_t write_at(int file, const void* data, size_t size, off_t at) {
  const std::string path = path_of(file);
  if (!ours(path)) {
    if (file == 1) record(entry("say", "", ",\"data\":\"" + hex(data, size) + "\""));
    return -2;
  }
  if (!step(true)) return -1;
  record(entry("write", path,
               ",\"at\":" + std::to_string(at) + ",\"data\":\"" + hex(data, size) + "\""));
  return -2;
}

int synced(int file, const char* function) {
  const std::string path = path_of(file);
  if (ours(path)) {
    step(false);
    // Before the call: a crash in the middle may or may not have made it durable; the replay treats
    // both.
    const int result = real<int (*)(int)>(function)(file);
    record(entry("sync", path));
    return result;
  }
  return real<int (*)(int)>(function)(file);
}

int truncated(int file, off_t size, const char* function) {
  const std::string path = path_of(file);
  if (ours(path)) {
    if (!step(size > 0)) return -1;
    record(entry("truncate", path, ",\"at\":" + std::to_string(size)));
  }
  return real<int (*)(int, off_t)>(function)(file, size);
}

int opened(const char* path, int flags, mode_t mode, const char* function) {
  const bool creates = ours(path) && (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
  const bool empties = ours(path) && (flags & O_TRUNC) != 0 && !creates;
  if (creates || empties) {
    if (!step(true)) return -1;
    record(entry(creates ? "create" : "truncate", path, ",\"at\":0"));
  }
  return real<int (*)(const char*, int, mode_t)>(function)(path, flags, mode);
}

mode_t mode_in(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* data, size_t size) {
  const ssize_t done = write_at(file, data, size, lseek(file, 0, SEEK_CUR));
  return done == -2 ? real<ssize_t (*)(int, const void*, size_t)>("write")(file, data, size) : done;
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  const ssize_t done = write_at(file, data, size, at);
  return done == -2 ? real<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64")(file, data,
                                                                                       size, at)
                    : done;
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  return pwrite64(file, data, size, at);
}

int fsync(int file) { return synced(file, "fsync"); }
int fdatasync(int file) { return synced(file, "fdatasync"); }
int ftruncate(int file, off_t size) noexcept { return truncated(file, size, "ftruncate"); }
int ftruncate64(int file, off64_t size) noexcept { return truncated(file, size, "ftruncate64"); }

int rename(const char* from, const char* to) noexcept {
  if (ours(to)) {
    step(false);
    record(entry("rename", from, std::string(",\"to\":\"") + to + "\""));
  }
  return real<int (*)(const char*, const char*)>("rename")(from, to);
}

int unlink(const char* path) noexcept {
  if (ours(path)) {
    step(false);
    record(entry("unlink", path));
  }
  return real<int (*)(const char*)>("unlink")(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (ours(path) && !step(true)) return -1;
  const int result = real<int (*)(const char*, mode_t)>("mkdir")(path, mode);
  if (ours(path) && result == 0) record(entry("mkdir", path));
  return result;
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return opened(path, flags, mode, "open");
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  return opened(path, flags, mode, "open64");
}

time_t time(time_t* out) noexcept {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  static const long off = number_of("FAULTS_CLOCK");
  const time_t seconds = now.tv_sec + off;
  if (out != nullptr) *out = seconds;
  return seconds;
}

}  // extern "C"
