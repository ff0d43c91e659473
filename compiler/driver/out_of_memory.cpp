#include "compiler/driver/out_of_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "compiler/pipeline/stage.h"

namespace sigrel::driver {
namespace {

constexpr std::size_t kSmall = std::size_t{16} << 20;  // bytes

std::atomic<bool> allocation_failed = false;

void remember_failure() {
  allocation_failed = true;
  std::set_new_handler(nullptr);  // the next attempt throws
}

void put(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) {
    // stderr cannot be written: there is no other place to report to.
  }
}

}  // namespace

void watch_allocations() { std::set_new_handler(remember_failure); }

bool memory_is_exhausted() {
  if (allocation_failed) return true;
  void* piece = mmap(nullptr, kSmall, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (piece == MAP_FAILED) return true;
  munmap(piece, kSmall);
  return false;
}

void print_exhausted() {
  put("error[SR0553]: memory is exhausted");
  if (const std::string_view work = pipeline::current_work(); !work.empty()) {
    put(" at `");
    put(work);
    put("`");
  }
  put("\n");
}

Diagnostics out_of_memory() {
  Diagnostics diagnostics;
  const std::string_view work = pipeline::current_work();
  Diagnostic& d = diagnostics.report(
      Code::LimitExceeded, "memory is exhausted" + (work.empty() ? "" : fmt::format(" at `{}`", work)));
  d.note(fmt::format("{:.0f} MB were in use", 1e-6 * pipeline::peak_memory()));
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (limited)
    d.note(fmt::format("the system limits the address space of this process to {} MB (`ulimit -v`)",
                       limit.rlim_cur >> 20));
  d.help(limited ? "raise this limit, or make the model smaller"
                 : "make the model smaller, or use a machine with more memory; `--timings` shows the stages");
  return diagnostics;
}

}  // namespace sigrel::driver
