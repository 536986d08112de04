// A training whose checkpoints are copied, put back, run twice and crashed at random, for the test
// that no step of it is drawn twice: the ledger and the files are real ones, only the steps do
// nothing but count.
//
//   steps-probe FOLDER SEED ACTIONS ledger|file
//
// prints DRAWN TWICE REFUSED WENT-ON: steps drawn, those that were drawn more than once, how often
// going on was refused and how often it wasn't. `file` is the broken twin, which believes the
// files.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "discreet/base/durable_file.h"
#include "discreet/learn/checkpoint.h"
#include "discreet/ledger/ledger.h"

namespace {

using discreet::Code;
using discreet::fail;
using discreet::Status;
using discreet::learn::Checkpoint;
using discreet::learn::Checkpoints;
namespace ledger = discreet::ledger;
using Going = ledger::Ledger::Going;

constexpr std::uint64_t kSteps = 60;

ledger::Request request() {
  ledger::Request out;
  out.analyst = "probe";
  out.query = out.plan = "learn";
  out.epsilon = discreet::Rational(1, 1000000);
  return out;
}

// What is trained, small and whole.
discreet::learn::Model model() {
  discreet::learn::Model out;
  out.encoding.features = {{"age", 0, 100, {}}};
  out.encoding.label = {"ill", 0, 1, {"no", "yes"}};
  out.encoding.shape = out.shape = {1, 1, 1};
  out.classes = 2;
  out.network = "layers:linear:2";
  out.promise = {1, discreet::Rational(1, 100000), {"gaussian(sigma=1)"}, "add-remove", 1, kSteps};
  return out;
}

struct Files {
  std::optional<std::string> file, latest;
};

class World {
 public:
  World(std::string folder, unsigned seed, bool believe_files)
      : folder_(std::move(folder)), chance_(seed), believe_files_(believe_files) {}

  // One that trains into a place, until it ends or is killed.
  struct Process {
    std::unique_ptr<Checkpoints> files;
    std::unique_ptr<ledger::Ledger> book;
    ledger::Reservation reservation;
    ledger::Progress progress;
    Checkpoint now;
    std::uint64_t done = 0;
  };

  void act() {
    const std::string place = folder_ + (below(3) == 0 ? "/b" : "/a");
    auto& process = processes_[place];
    switch (below(8)) {
      case 0:
        process.reset();  // kill -9
        break;
      case 1:
        if (process) (void)process->files->stop(process->now);
        process.reset();
        break;
      case 2:
        stash_.push_back({read(place), read(place + ".latest")});
        break;
      case 3:
        if (!stash_.empty()) put_back(stash_[below(stash_.size())], place);
        break;
      case 4:
        process.reset();
        go_on(place, process);
        break;
      default:
        for (std::uint64_t n = below(12); process && n > 0; --n) step(process);
    }
  }

  std::uint64_t drawn = 0, twice = 0, refused = 0, went_on = 0;

 private:
  std::uint64_t below(std::uint64_t n) { return chance_() % n; }

  static std::optional<std::string> read(const std::string& path) {
    return discreet::read_file(path).value_or(std::nullopt);
  }
  static void put_back(const Files& files, const std::string& place) {
    std::filesystem::remove(place + ".latest");
    std::filesystem::remove(place);
    if (files.file) (void)discreet::write_durably(place, *files.file);
    if (files.latest) (void)discreet::write_durably(place + ".latest", *files.latest);
  }

  std::unique_ptr<ledger::Ledger> open() const {
    ledger::Terms terms;
    terms.policy = "probe";
    terms.epsilon = 1;
    terms.location = folder_ + "/ledger";
    terms.sources = {"/sources/probe"};
    auto opened = ledger::Ledger::open(terms);
    if (!opened) {
      fmt::print(stderr, "{}\n", opened.error().text());
      std::exit(1);
    }
    return std::move(*opened);
  }

  // A crash may come before the ledger has the record, or after it and before the file is there.
  void record(Process& process) {
    process.files->record_with([this, &process](const Checkpoint::Mark& mark) -> Status {
      const std::uint64_t crash = below(10);
      if (crash == 0) return fail(Code::kFailure, "crashed before");
      auto at = process.book->advance(process.reservation, process.progress, mark.begun,
                                      mark.digest, mark.stopped ? Going::kStopped : Going::kOn);
      if (!at && !believe_files_) return discreet::forward_error(at);
      if (at) process.progress = *at;
      if (crash == 1) return fail(Code::kFailure, "crashed after");
      return {};
    });
  }

  void go_on(const std::string& place, std::unique_ptr<Process>& into) {
    auto process = std::make_unique<Process>();
    process->files = std::make_unique<Checkpoints>(place, "boot");
    process->book = open();
    auto found = process->files->find();
    if (!found) {
      fmt::print(stderr, "{}\n", found.error().text());
      std::exit(1);
    }
    if (*found) {
      process->now = **found;
      process->reservation.record = std::stoull(process->now.reservation);
      process->reservation.hash =
          process->now.reservation.substr(process->now.reservation.find(':') + 1);
      auto at = process->book->resume(process->reservation, request(), process->now.digest);
      if (!believe_files_) {
        if (!at) {
          ++refused;
          // Somebody begins anew, and pays.
          if (below(4) == 0) std::filesystem::remove(place);
          return;
        }
        process->progress = *at;
        process->now.begun = at->begun;
      }
      ++went_on;
    } else {
      process->files->remove();
      process->reservation = *process->book->reserve(request());
      process->now.reservation =
          fmt::format("{}:{}", process->reservation.record, process->reservation.hash);
      process->now.id = process->now.reservation;
      process->now.steps = kSteps;
      process->now.state = {0};
      process->now.model = model();
    }
    process->done = process->now.begun;
    record(*process);
    if (process->files->begin(process->now)) into = std::move(process);
  }

  void step(std::unique_ptr<Process>& process) {
    Process& p = *process;
    if (p.done >= kSteps) {
      (void)p.book->commit(p.reservation, "{}", p.progress.record);
      p.files->remove();
      process.reset();
      return;
    }
    ++drawn;
    if (++draws_[{p.reservation.record, p.done}] > 1) ++twice;
    ++p.done;
    p.now.begun = std::min(p.done + 1, kSteps);
    p.now.state = {static_cast<float>(drawn)};
    p.now.told.emplace_back(1, 1);
    const Status kept = p.files->keep(p.now);
    p.now.begun = p.done;  // as an orderly stop has it
    if (!kept) process.reset();
  }

  std::string folder_;
  std::mt19937 chance_;
  bool believe_files_;
  std::map<std::string, std::unique_ptr<Process>> processes_;
  std::vector<Files> stash_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> draws_;  // by reservation and step
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  World world(argv[1], static_cast<unsigned>(std::atoi(argv[2])), std::string(argv[4]) == "file");
  for (long n = std::atol(argv[3]); n > 0; --n) world.act();
  fmt::print("{} {} {} {}\n", world.drawn, world.twice, world.refused, world.went_on);
  return 0;
}
