// Ctrl-C while something is computed: what there is until then is kept.
#pragma once
#include <signal.h>

#include <atomic>

namespace sigrel::driver {

/// While it lives, Ctrl-C asks what runs to stop at its next step; a second Ctrl-C ends the process at once.
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
