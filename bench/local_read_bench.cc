// How fast a hundred million reports are read from a file, beside counting the ends of their lines,
// which is as near as a reader of lines gets to the disk.
#include <benchmark/benchmark.h>
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "discreet/local/reader.h"
#include "discreet/local/registry.h"
#include "discreet/random/generator.h"
#include "discreet/random/uniform.h"

namespace discreet::local {
namespace {

constexpr std::size_t kLines = 100'000'000, kAtATime = 100'000, kDomain = 1'000'000;

struct Closer {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

// Made once, in the folder that `bench/run` gives and takes away again; else in one of its own.
const std::string& reports_file() {
  static const std::string path = [] {
    const char* given = std::getenv("DISCREET_BENCH_FOLDER");
    const std::filesystem::path folder =
        given != nullptr ? given : std::filesystem::temp_directory_path() / "discreet-bench";
    std::filesystem::create_directories(folder);
    const std::filesystem::path file = folder / "reports.txt";
    if (std::filesystem::exists(file)) return file.string();
    const std::filesystem::path unfinished = folder / "reports.unfinished";
    std::ofstream out(unfinished, std::ios::binary);
    std::vector<std::uint64_t> values(kAtATime);
    for (std::size_t done = 0; done < kLines; done += kAtATime) {
      if (!random::fill_uniform_below(random::thread_generator(), kDomain, values))
        throw std::runtime_error("no random numbers");
      std::string text;
      for (const std::uint64_t value : values)
        fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}\n"), value);
      out << text;
    }
    out.close();
    if (!out) throw std::runtime_error("the file of reports can't be written");
    std::filesystem::rename(unfinished, file);
    return file.string();
  }();
  return path;
}

File opened() {
  File file(std::fopen(reports_file().c_str(), "rb"));
  if (file == nullptr) throw std::runtime_error("the file of reports can't be read");
  (void)std::setvbuf(file.get(), nullptr, _IONBF, 0);
  return file;
}

// The most memory that the process has had.
void tell_peak(benchmark::State& state) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) state.counters["peak_kB"] = std::stod(line.substr(6));
}

void local_read_reports(benchmark::State& state) {
  const ProtocolPointer flat = std::move(*find("flat")->make({.epsilon = 1, .domain = kDomain}));
  (void)reports_file();
  for (auto _ : state) {
    const File file = opened();
    Reader reader(*flat);
    const Status read = reader.add([&file](std::span<char> to) -> Result<std::size_t> {
      return std::fread(to.data(), 1, to.size(), file.get());
    });
    if (!read || reader.finish().users != kLines) state.SkipWithError("not all lines were read");
  }
  tell_peak(state);
}

void local_read_lines(benchmark::State& state) {
  (void)reports_file();
  std::vector<char> block(Lines::kBlock);
  for (auto _ : state) {
    const File file = opened();
    std::ptrdiff_t lines = 0;
    while (const std::size_t size = std::fread(block.data(), 1, block.size(), file.get()))
      lines += std::count(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(size), '\n');
    if (lines != static_cast<std::ptrdiff_t>(kLines)) state.SkipWithError("lines are missing");
  }
}

BENCHMARK(local_read_reports)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(local_read_lines)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace discreet::local
