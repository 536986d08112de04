// What the client's verbs of `discreet local` share: a line in, a report out, by several threads
// and in the order of the lines.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "discreet/cli/command.h"

namespace discreet::cli {

// One a thread: takes the lines of a block, then says their reports.
class Client {
 public:
  virtual ~Client() = default;
  virtual void clear() = 0;
  virtual bool read(std::string_view line) = 0;  // false where it can't be taken
  // The reports of all lines since `clear`, each with a line's end.
  virtual Status perturb(std::string& text) = 0;
  // Of these lines, how many hold more than a report can say.
  virtual std::uint64_t beyond() const { return 0; }
  // What to say of a line that wasn't taken: "standard input, line 3: found …", with a hint.
  virtual Error refuse(const std::string& place, std::uint64_t line,
                       std::string_view found) const = 0;
};

struct Told {
  std::uint64_t lines = 0, beyond = 0;
};
// What is thought of the lines so far; an error ends the run. Asked before anything is written,
// of the first block, and of all lines before a file takes its name.
using Judge = std::function<Status(const Told& told)>;

struct ClientOptions {
  std::string in = "-", out = "-";
};
void add_client_options(CLI::App& verb, ClientOptions& options, const std::string& what);

// How long lines can be. Of one that comes in only the first bytes are looked at, a few more than
// that.
struct LongestLines {
  std::size_t in = 0, out = 0;
};

// How many bytes of lines are read at a time so that their reports take about `budget` bytes:
// memory must not grow with how much longer a report is than a value.
inline constexpr std::size_t kReportsAtOnce = std::size_t{1} << 23;
std::size_t block_of_lines(std::size_t longest_report, std::size_t budget = kReportsAtOnce);

// Says what lines there were. Where one is refused nothing is written, as far as that can be known:
// a file is written whole or not at all, and a file that is read is looked through before anything
// goes to standard output. 0 threads are as many as there are processors.
Result<Told> run_clients(const ClientOptions& options, const LongestLines& longest,
                         const std::function<std::unique_ptr<Client>()>& make,
                         std::size_t threads = 0, const Judge& judge = {});

}  // namespace discreet::cli
