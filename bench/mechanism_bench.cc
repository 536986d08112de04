// How fast mechanisms release.
#include <benchmark/benchmark.h>
