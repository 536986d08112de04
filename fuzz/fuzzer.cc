// libFuzzer's way in. It saves the bytes of whatever ends the process.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    discreet::fuzz::target({reinterpret_cast<const char*>(data), size});
  } catch (const discreet::fuzz::Finding& finding) {
    std::fprintf(stderr, "broken promise: %s\n", finding.what());
    std::abort();
  }
  return 0;
}
