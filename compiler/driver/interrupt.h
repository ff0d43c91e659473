// Ctrl-C during a computation: the results so far are kept.
#pragma once
#include <signal.h>

#include <atomic>

namespace sigrel::driver {

/// During its lifetime Ctrl-C stops the run at its next step; a second Ctrl-C ends the process immediately.
class InterruptGuard {
 public:
  static inline std::atomic<bool> interrupted{false};
  static_assert(std::atomic<bool>::is_always_lock_free);

  InterruptGuard() {
    struct sigaction action{};
    action.sa_handler = [](int) { interrupted.store(true); };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction before_{};
};

}  // namespace sigrel::driver
