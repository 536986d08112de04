#include "discreet/engine/sample/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/engine/sample/process.h"
#include "discreet/engine/sample/write_rules.h"

namespace discreet::engine::sample {
namespace {

namespace fs = std::filesystem;

bool runs(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

// A name without a slash is looked for in PATH, as a shell does.
fs::path found(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    fs::path candidate = fs::path(rest.substr(0, end)) / name;
    if (end > 0 && runs(candidate)) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return name;
}

tl::unexpected<Error> bad_program(const std::string& given, std::string_view what, Phrase hint) {
  return bad_parameter(
      "program",
      fmt::format("found {}, {}; accepted is a program that can be run", quote(given), what),
      std::move(hint));
}

// Of a program that isn't there.
Phrase instead_of(const std::string& given) {
  if (runs("./" + given)) return fmt::format("did you mean './{}'?", given);
  if (given.find_first_of(" \t") != std::string::npos)
    return "it is the path of one program, without arguments; a script can start another with some";
  return {};
}

Result<std::string> checked_path(const std::string& given) {
  std::error_code error;
  const fs::path path = fs::absolute(found(given), error);
  if (error || !fs::exists(path, error))
    return bad_program(given, "which doesn't exist", instead_of(given));
  if (!fs::is_regular_file(path, error)) return bad_program(given, "which isn't a file", {});
  if (!runs(path))
    return bad_program(given, "which may not be run", fmt::format("chmod +x {}", given));
  return path.string();
}

}  // namespace

class Program::Folder {
 public:
  static Result<std::shared_ptr<const Folder>> make() {
    std::error_code error;
    std::string path = (fs::temp_directory_path(error) / "discreet-XXXXXX").string();
    if (error || mkdtemp(path.data()) == nullptr)
      return fail(Code::kFailure, "a temporary folder could not be made", "is the disk full?");
    return std::shared_ptr<const Folder>(new Folder(path));
  }
  ~Folder() { remove(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // An empty one for one run.
  std::optional<std::string> run() const {
    std::string path = path_ + "/XXXXXX";
    if (mkdtemp(path.data()) == nullptr) return {};
    return path;
  }
  static void remove(const std::string& path) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }

 private:
  explicit Folder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

Confinement Program::confinement(const std::string& folder) const {
  return {options_.path, folder, options_.hidden, options_.limits, isolation_};
}

Result<Program> Program::open(ProgramOptions options) {
  const std::string given = options.path;
  options.path = TRY(checked_path(given));
  for (std::string& file : options.hidden) {
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    if (error) return fail(Code::kFailure, fmt::format("the file {} can't be read", quote(file)));
    file = real.string();
  }
  const std::shared_ptr<const Folder> folder = TRY(Folder::make());
  const bool calls = calls_can_be_denied(), pipes = landlock_version() > 0;
  for (const Isolation& isolation :
       {Isolation{true, true, calls, pipes}, Isolation{true, false, calls, pipes},
        Isolation{false, false, calls, pipes}, Isolation{}}) {
    Program out(options, isolation, folder);
    const auto empty = folder->run();
    auto process =
        empty ? Process::start(out.confinement(*empty), options.header, "") : std::nullopt;
    if (!process) continue;
    const Confinement::Failure failure = process->started();
    process.reset();
    Folder::remove(*empty);
    if (failure.step == Confinement::Step::kProgram)
      return bad_program(
          given, fmt::format("which could not be started ({})", std::strerror(failure.error)),
          "a script begins with a line such as #!/usr/bin/env python3");
    if (failure.step == Confinement::Step::kNone) return out;
  }
  return fail(Code::kFailure, "no process could be started");
}

std::optional<std::string> Program::answer(std::string_view rows) const {
  const auto deadline =
      Process::Clock::now() + std::chrono::duration_cast<Process::Clock::duration>(
                                  std::chrono::duration<double>(options_.limits.seconds));
  const auto folder = folder_->run();
  if (!folder) return {};
  std::optional<std::string> printed;
  if (auto process = Process::start(confinement(*folder), options_.header, rows))
    printed = process->output(deadline, options_.stop);
  Folder::remove(*folder);
  if (!printed) return {};
  return answer_in(*printed);
}

}  // namespace discreet::engine::sample
