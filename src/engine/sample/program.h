// A program as the function of a block: it reads the block's rows as CSV, with the header, from
// standard input, and the first line that it prints is the answer.
//
//   auto program = Program::open({.path = "./most-common", .header = "id,colour\n"});
//   if (!program) return forward_error(program);
//   auto answer = program->answer("1,red\n2,blue\n");
//
// A program that ends with another exit code than 0, takes longer or more memory than allowed,
// prints nothing or more than 64 KiB, has failed. It runs confined (isolation.h), once for each
// block, and sees this block's rows alone. Its standard error goes nowhere: it may hold rows.
//
// The room. What runs on rows before the noise barrier belongs to an engine, beside DuckDB; a
// mechanism takes answers and knows of no process.
#pragma once

#include <atomic>
#include <memory>

#include "discreet/engine/sample/function.h"
#include "discreet/engine/sample/isolation.h"

namespace discreet::engine::sample {

struct ProgramOptions {
  std::string path;         // a file, or a name that PATH has
  std::string header = {};  // the first line that it reads
  Limits limits = {};
  std::vector<std::string> hidden = {};  // files that it must not see: the whole table
  const std::atomic<bool>* stop = nullptr;
};

class Program final : public Function {
 public:
  // Starts it once, on no rows and only until it has taken over: a file that isn't there or isn't a
  // program is an error now, and what the system allows (isolation) is known. No row is looked at.
  static Result<Program> open(ProgramOptions options);

  const Isolation& isolation() const { return isolation_; }
  std::optional<std::string> answer(std::string_view rows) const override;

 private:
  // A folder of this user's own, under which each run has one.
  class Folder;
  Program(ProgramOptions options, const Isolation& isolation, std::shared_ptr<const Folder> folder)
      : options_(std::move(options)), isolation_(isolation), folder_(std::move(folder)) {}
  Confinement confinement(const std::string& folder) const;

  ProgramOptions options_;
  Isolation isolation_;
  std::shared_ptr<const Folder> folder_;
};

}  // namespace discreet::engine::sample
