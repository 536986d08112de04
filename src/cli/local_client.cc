#include "discreet/cli/local_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "discreet/base/try.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/local_input.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/watchdog.h"

namespace discreet::cli {
namespace {

// What all threads know of a pass over the lines.
struct Pass {
  const std::string& place;
  std::size_t longest = 0, block = 0;
  const std::function<std::unique_ptr<Client>()>& make;
  std::size_t threads = 0;
  const Judge& judge;
  int out = -1;          // -1: the lines are only looked at
  bool streams = false;  // what is written stays written
  std::atomic<bool> stop = false;
  Told told = {};  // of what was taken
};

Status judge(const Pass& pass) { return pass.judge ? pass.judge(pass.told) : Status(); }

class ClientWorker final : public local::Worker {
 public:
  explicit ClientWorker(Pass& pass) : pass_(pass), client_(pass.make()) {}

  Status work(std::string_view lines) override {
    client_->clear();
    text_.clear();
    refused_.reset();
    lines_ = 0;
    local::for_each_line(lines, [this](std::string_view line) {
      if (refused_) return;
      if (client_->read(line))
        ++lines_;
      else
        refused_ = line;
    });
    if (refused_ || pass_.out < 0) return {};
    return client_->perturb(text_);
  }

  Status take() override {
    if (refused_) {
      pass_.stop = true;
      Error error = client_->refuse(pass_.place, pass_.told.lines + lines_ + 1, *refused_);
      if (pass_.streams)
        error.message += fmt::format("; what was written ends after line {}", pass_.told.lines);
      return tl::unexpected<Error>(std::move(error));
    }
    const bool first = pass_.told.lines == 0;
    pass_.told.lines += lines_;
    pass_.told.beyond += client_->beyond();
    if (pass_.out < 0) return {};
    // of a pipe to a pipe this is all that can be known in time
    if (first && pass_.streams) {
      Status judged = judge(pass_);
      if (!judged) {
        pass_.stop = true;
        return judged;
      }
    }
    if (write_all(pass_.out, text_)) return {};
    pass_.stop = true;
    if (Interrupt::asked()) return fail(Code::kInterrupted, "interrupted");
    return fail(Code::kFailure, "the reports could not be written", "is the disk full?");
  }

 private:
  Pass& pass_;
  std::unique_ptr<Client> client_;
  std::string text_;
  std::uint64_t lines_ = 0;
  std::optional<std::string> refused_;
};

Status run(Pass& pass, LineSource& source, present::Progress& progress) {
  local::Lines lines(source.fill(progress, &pass.stop), pass.longest,
                     pass.out < 0 ? local::Lines::kBlock : pass.block);
  return local::in_order(lines, pass.threads,
                         [&pass] { return std::make_unique<ClientWorker>(pass); });
}

// Into a file that takes its name only when it is whole.
Status run_into(const std::string& path, Pass& pass, LineSource& source,
                present::Progress& progress) {
  Status done;
  Status written = write_whole("output", path, [&](const std::string& place) {
    pass.out = open(place.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (pass.out < 0) return false;
    done = run(pass, source, progress);
    if (done) done = judge(pass);
    return (close(pass.out) == 0) && done.has_value();
  });
  return done ? written : done;
}

}  // namespace

void add_client_options(CLI::App& verb, ClientOptions& options, const std::string& what) {
  verb.add_option("-i,--input", options.in, what + "; standard input where none is given");
  verb.add_option("-o,--output", options.out,
                  "the reports, written whole or not at all; standard output where none is given");
}

std::size_t block_of_lines(std::size_t longest_report, std::size_t budget) {
  return std::clamp<std::size_t>(budget / std::max<std::size_t>(longest_report, 1), 2,
                                 local::Lines::kBlock);
}

Result<Told> run_clients(const ClientOptions& options, const LongestLines& longest,
                         const std::function<std::unique_ptr<Client>()>& make, std::size_t threads,
                         const Judge& judging) {
  if (options.out != "-") TRY(can_write("output", options.out));
  LineSource source = TRY(LineSource::open(options.in));
  const Interrupt interrupt;
  const Watchdog watchdog;
  Pass pass{.place = source.name(),
            .longest = longest.in,
            .block = block_of_lines(longest.out),
            .make = make,
            .threads = threads,
            .judge = judging};
  const bool twice = options.out == "-" && source.can_be_read_again();
  present::Progress progress("perturbing", source.size() * (twice ? 2 : 1), options.out == "-");
  if (twice) {
    TRY(run(pass, source, progress));
    TRY(judge(pass));
    TRY(source.again());
    pass.told = {};
  }
  if (options.out == "-") {
    pass.out = STDOUT_FILENO;
    pass.streams = true;
    TRY(run(pass, source, progress));
  } else {
    TRY(run_into(options.out, pass, source, progress));
  }
  return pass.told;
}

}  // namespace discreet::cli
