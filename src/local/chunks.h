// Long lists of numbers, piece by piece on all cores. What comes out doesn't depend on how many
// there are: the pieces are always the same, and whoever adds up adds up piece by piece.
//
//   std::vector<double> numbers(1'000'000, 1), sums(chunks_of(numbers.size()));
//   each_chunk(numbers.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
//     for (std::size_t i = begin; i < end; ++i) sums[chunk] += numbers[i];
//   });
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace discreet::local {

inline constexpr std::size_t kChunk = 8192;
inline std::size_t chunks_of(std::size_t size) { return (size + kChunk - 1) / kChunk; }

// work(chunk, begin, end) for every chunk of 0 … size−1. Short lists stay on this thread.
void each_chunk(std::size_t size,
                const std::function<void(std::size_t, std::size_t, std::size_t)>& work);

// work(task) for each task 0 … count−1, `at_once` of them at most at a time (0: as many as there
// are cores). Where no thread is to be had, this one does it all. What a task throws is
// thrown here, once all threads have stopped.
void each_task(std::size_t count, std::size_t at_once,
               const std::function<void(std::size_t)>& work);

// What work(begin, end) says of each chunk, joined by += in their order.
template <class T, class Work>
T join_chunks(std::size_t size, const Work& work) {
  std::vector<T> parts(chunks_of(size));
  each_chunk(size, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    parts[chunk] = work(begin, end);
  });
  T out{};
  for (const T& part : parts) out += part;
  return out;
}

// term(begin), …, term(end − 1) put together by `join`, in lanes: compilers don't reorder
// additions, and vectorise this.
template <class Term, class Join>
double in_lanes(std::size_t begin, std::size_t end, double first, const Term& term,
                const Join& join) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> lanes;
  lanes.fill(first);
  for (; begin + kLanes <= end; begin += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = join(lanes[lane], term(begin + lane));
  for (; begin < end; ++begin) lanes[0] = join(lanes[0], term(begin));
  for (const double lane : lanes) first = join(first, lane);
  return first;
}
template <class Term>
double sum_in(std::size_t begin, std::size_t end, const Term& term) {
  return in_lanes(begin, end, 0, term, [](double a, double b) { return a + b; });
}

}  // namespace discreet::local
