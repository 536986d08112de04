#include "discreet/local/memory.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>

#include "discreet/base/digest.h"
#include "discreet/base/durable_file.h"
#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/local/checks.h"
#include "discreet/local/state.h"

namespace discreet::local {
namespace {

constexpr std::string_view kMagic = "discreet local memory 1\n";
constexpr std::string_view kWarning = "private: tells more than the reports do\n";

std::string checksum(std::string_view text) {
  return fmt::format("sha256 {}\n", hex(sha256(text)));
}

// The text up to the next `end`, which is taken too; false where there is none.
bool take_until(std::string_view& text, char end, std::string_view& out) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return false;
  out = text.substr(0, at);
  text.remove_prefix(at + 1);
  return true;
}

// The one name under which a memory is locked and replaced, whichever way it is spelled: a link or
// two spellings would let two clients in, and a value would be drawn twice. Nothing is followed to
// a file that isn't there yet, whose real name nobody knows.
Result<std::string> real_name(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status itself = fs::symlink_status(path, error);
  if (fs::is_symlink(itself) && !fs::exists(fs::status(path, error)))
    return fail(Code::kUsage,
                fmt::format("{}: found a link that leads nowhere; accepted is a file that a client "
                            "of this protocol wrote, or a name that nothing has yet",
                            quote(path)));
  const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) return system_error(path, "finding", error.value());
  return real.string();
}

// Replacing one of several names leaves the others with the old content.
Status check_names(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0 || about.st_nlink <= 1) return {};
  return fail(Code::kUsage,
              fmt::format("{}: found a file of {} names (hard links); accepted is one of a single "
                          "name",
                          quote(path), about.st_nlink),
              "the other names would keep an older memory");
}

// "flat epsilon=1 domain=16 … permanent=2", and " values=…" where they have names
std::string heading(const Longitudinal& protocol, const std::string& names) {
  return fmt::format("{} permanent={}{}", identity(protocol.protocol()),
                     to_decimal(protocol.forever()), names.empty() ? "" : " values=" + names);
}

}  // namespace

std::string sealed_memory(const Longitudinal& protocol, const std::string& names,
                          std::string_view lines) {
  const std::string out =
      fmt::format("{}{}{}\n{}", kMagic, kWarning, heading(protocol, names), lines);
  return out + checksum(out);
}

Result<Memory> Memory::open(const std::string& name, Longitudinal protocol,
                            const std::string& names) {
  const std::string path = TRY(real_name(name));
  auto turn = std::make_unique<LockFile>(path + ".lock");
  if (!TRY(turn->try_take()))
    return fail(Code::kFailure,
                fmt::format("{}: found in use by another process; accepted is one client at a time",
                            quote(path)));
  Memory out(path, std::move(turn), std::move(protocol));
  TRY(check_names(path));
  out.names_ = names;
  const auto content = TRY(read_file(path));
  if (content) TRY(out.read(*content));
  return out;
}

std::string Memory::text(const Kept& kept) const {
  std::string lines;
  for (const auto& [value, report] : kept) {
    lines += fmt::format("{} ", value);
    protocol_.protocol().write(report, lines);
    lines += '\n';
  }
  return sealed_memory(protocol_, names_, lines);
}

// What is accepted is the text that would be written, to the letter.
Status Memory::read(std::string_view all) {
  const auto broken = [this](const std::string& what) {
    return fail(Code::kUsage,
                fmt::format("{}: {}; accepted is a file that a client of this protocol wrote, or a "
                            "name that nothing has yet",
                            quote(path_), what));
  };
  std::string_view rest = all, line;
  if (!rest.starts_with(kMagic)) return broken("this is no memory of a client");
  rest.remove_prefix(kMagic.size());
  const std::size_t tail = checksum({}).size();
  if (all.size() < kMagic.size() + tail ||
      checksum(all.substr(0, all.size() - tail)) != all.substr(all.size() - tail))
    return broken("the file was cut or changed");
  rest.remove_suffix(tail);
  if (!rest.starts_with(kWarning)) return broken("the file was cut or changed");
  rest.remove_prefix(kWarning.size());
  if (!take_until(rest, '\n', line)) return broken("the file was cut or changed");
  if (const std::string asked = heading(protocol_, names_); line != asked)
    return fail(Code::kUsage,
                fmt::format("{}: found the memory of {}; accepted is one of {}", quote(path_),
                            quote(line), quote(asked)),
                "a client keeps a file for each protocol, its parameters and its list of values");
  const Constants& c = protocol_.protocol().constants();
  Kept kept;
  while (!rest.empty()) {
    std::string_view value_text;
    Word value = 0;
    std::vector<Word> report(c.words);
    if (!take_until(rest, '\n', line) || !take_until(line, ' ', value_text) ||
        read_index(value_text, c.domain, value) != Fault::kNone ||
        protocol_.protocol().read(line, report) != Fault::kNone ||
        (!kept.empty() && !protocol_.fit(kept.begin()->second, report)))
      return broken("its parts don't fit together");
    kept.emplace_hint(kept.end(), value, std::move(report));
  }
  if (text(kept) != all) return broken("its parts don't fit together");
  kept_ = std::move(kept);
  return {};
}

Status Memory::report(std::span<const Value> values, random::Source& source,
                      std::span<Word> reports) {
  const Constants& c = protocol_.protocol().constants();
  if (unsure_)
    return fail(Code::kFailure, fmt::format("{}: writing failed before; accepted is to open the "
                                            "memory again",
                                            quote(path_)));
  TRY(check_values(values, c.domain));
  Kept fresh;
  for (const Value value : values) {
    if (kept_.contains(value) || fresh.contains(value)) continue;
    std::vector<Word> report(c.words);
    std::span<const Word> earlier;
    for (const Kept* some : {&kept_, &fresh})
      if (!some->empty()) earlier = some->begin()->second;
    TRY(protocol_.permanent(value, earlier, source, report));
    fresh.emplace(value, std::move(report));
  }
  if (!fresh.empty()) {
    fresh.insert(kept_.begin(), kept_.end());
    unsure_ = true;
    TRY(check_names(path_));
    TRY(write_durably(path_, text(fresh)));
    unsure_ = false;
    kept_ = std::move(fresh);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    TRY(protocol_.instant(kept_.at(values[i]), source, reports.subspan(i * c.words, c.words)));
  return {};
}

}  // namespace discreet::local
