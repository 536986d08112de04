#include "discreet/cli/block_source.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/interrupt.h"
#include "discreet/engine/duckdb/block_query.h"
#include "discreet/present/progress.h"

namespace discreet::cli {
namespace {

namespace sample = engine::sample;

// A block that is stopped at its limit takes a little longer than that.
constexpr double kGrace = 0.5;

struct Given {
  sample::Limits limits;
  unsigned jobs = 0;
};

Result<Given> read_limits(const BlockOptions& o) {
  Given out;
  const Rational seconds =
      TRY(read_number("seconds", o.seconds, Rounding::kDown,
                      {Rational(1, 100), 86400, false, "a number from 0.01 to 86400"}));
  out.limits.seconds = to_double(seconds);
  out.limits.memory = static_cast<std::size_t>(TRY(read_integer("memory", o.memory, 16, 1 << 20)))
                      << 20;
  if (!o.jobs.empty()) out.jobs = static_cast<unsigned>(TRY(read_integer("jobs", o.jobs, 1, 1024)));
  return out;
}

Status check_given(const BlockOptions& o) {
  const bool both = !o.program.empty() && !o.query.empty();
  if (both || (o.program.empty() && o.query.empty()))
    return fail(
        Code::kUsage,
        fmt::format("--data: found with {} --program {} --query; accepted is one of the two",
                    both ? "both" : "neither", both ? "and" : "nor"));
  if (o.data.empty())
    return bad_parameter("data", "it is missing; accepted is a CSV file with a header");
  if (o.unit.empty())
    return bad_parameter("unit", "it is missing; accepted is the column that says whose a row is");
  return {};
}

// Said once, before any row is read; it is the system's matter, not the data's.
void tell(const sample::Isolation& isolation) {
  if (isolation.all()) return;
  std::string what;
  for (const auto& [has, name] : {std::pair{isolation.network, "the network"},
                                  {isolation.files, "files"},
                                  {isolation.calls, "sockets and locks of files"},
                                  {isolation.pipes, "named pipes"}})
    if (!has) what += fmt::format("{}{}", what.empty() ? "" : ", ", name);
  fmt::print(stderr,
             "discreet: note: this system doesn't let a program be cut off from {}; run only one "
             "that you trust with the rows\n",
             what);
}

}  // namespace

void add_block_options(CLI::App& verb, BlockOptions& o) {
  verb.add_option("--program", o.program,
                  "the function: a program that reads a block's rows as CSV and prints an answer");
  verb.add_option("--query", o.query,
                  "the function: a SELECT over a block's rows, which are the table data");
  verb.add_option("--data", o.data, "a CSV file with a header");
  verb.add_option("--unit", o.unit, "the column that says whose a row is");
  verb.add_option("--default", o.otherwise,
                  "the answer of a block that fails (default: empty; of numbers, the lowest)")
      ->each([&o](const std::string&) { o.has_otherwise = true; });
  verb.add_option("--seconds", o.seconds, "how long a block may take")->capture_default_str();
  verb.add_option("--memory", o.memory, "how much memory a block may take, in MiB")
      ->capture_default_str();
  verb.add_option("--jobs", o.jobs,
                  "how many blocks are asked at once (default: one for each core)");
  verb.add_flag("--fixed-time", o.fixed_time,
                "every block takes all of its seconds, so that time doesn't tell how it went");
}

Result<BlockSource> BlockSource::open(const BlockOptions& o, bool numbers,
                                      const std::string& otherwise) {
  TRY(check_given(o));
  const Given given = TRY(read_limits(o));
  BlockSource out(TRY(engine::duckdb::UnitTable::open(o.data, o.unit)),
                  {.otherwise = o.has_otherwise ? o.otherwise : otherwise,
                   .numbers = numbers,
                   .jobs = given.jobs,
                   .slot = o.fixed_time ? given.limits.seconds + kGrace : 0,
                   .stop = &Interrupt::flag()});
  if (numbers && !parse_number(out.question_.otherwise, Rounding::kDown))
    return bad_parameter("default", fmt::format("found {}; accepted is a number, such as 0",
                                                quote(out.question_.otherwise)));
  if (!o.query.empty()) {
    auto query = TRY(engine::duckdb::BlockQuery::open({.text = o.query,
                                                       .names = out.table_.names(),
                                                       .seconds = given.limits.seconds,
                                                       .memory = given.limits.memory,
                                                       .stop = &Interrupt::flag()}));
    out.function_ = std::make_shared<engine::duckdb::BlockQuery>(std::move(query));
    return out;
  }
  // A program of the same user could look into this process, which holds everybody's rows.
  prctl(PR_SET_DUMPABLE, 0);
  auto program = TRY(sample::Program::open({.path = o.program,
                                            .header = out.table_.header(),
                                            .limits = given.limits,
                                            .hidden = {o.data},
                                            .stop = &Interrupt::flag()}));
  out.isolation_ = program.isolation();
  tell(*out.isolation_);
  out.function_ = std::make_shared<sample::Program>(std::move(program));
  return out;
}

Result<mechanism::Exact<mechanism::Value>> BlockSource::answers(std::uint64_t blocks) const {
  const auto assignment = TRY(mechanism::gap::Assignment::draw(blocks));
  const std::vector<std::string> rows = TRY(table_.split(assignment));
  present::Progress bar("asking blocks", blocks);
  sample::Question question = question_;
  question.done = [&bar] { bar.advance(1); };
  return sample::block_answers(*function_, rows, question);
}

std::string BlockSource::isolation_json() const {
  if (!isolation_) return "";
  return fmt::format(",\"isolation\":{{\"network\":{},\"files\":{},\"calls\":{},\"pipes\":{}}}",
                     isolation_->network, isolation_->files, isolation_->calls, isolation_->pipes);
}

}  // namespace discreet::cli
