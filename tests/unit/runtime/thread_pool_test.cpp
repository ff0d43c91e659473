#include <catch2/catch.hpp>

#include <vector>

#include "runtime/thread_pool.h"

using runtime::ThreadPool;

TEST_CASE("a thread pool executes every part of a loop once, in parts that do not depend on the threads") {
  for (unsigned threads : {1u, 2u, 4u}) {
    ThreadPool thread_pool(threads);
    for (std::size_t count : {0, 1, 9, 10, 11, 1000}) {
      CAPTURE(threads, count);
      std::vector<int> done(count, 0);
      std::vector<std::size_t> begins(count / 10 + 1, 1);
      thread_pool.each(count, 10, [&](std::size_t begin, std::size_t end) {
        begins[begin / 10] = begin % 10 + (end - begin == 10 || end == count ? 0 : 1);
        for (std::size_t k = begin; k < end; ++k) ++done[k];
      });
      CHECK(std::vector<int>(count, 1) == done);
      for (std::size_t part = 0; part * 10 < count; ++part) CHECK(begins[part] == 0);
    }
  }
}

TEST_CASE("a thread pool executes many short loops in sequence") {
  ThreadPool thread_pool(3);
  std::vector<long> sums(64, 0);
  for (int job = 0; job < 20'000; ++job)
    thread_pool.each(sums.size(), 8, [&, job](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) sums[k] += job;
    });
  CHECK(sums == std::vector<long>(64, 20'000L * 19'999 / 2));
}
