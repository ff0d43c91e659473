#include "compiler/driver/surroundings.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>

#include "compiler/driver/internal_error.h"

namespace sigrel::driver {
namespace {

constexpr std::size_t kStack = std::size_t{8} << 20;

struct Work {
  const std::function<int()>& function;
  int result = 0;
  std::exception_ptr error = nullptr;
};

void* run(void* argument) {
  Work& work = *static_cast<Work*>(argument);
  install_internal_error_handler();  // its stack belongs to the thread
  try {
    work.result = work.function();
  } catch (...) {
    work.error = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void open_standard_files() {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file)
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
      // The lowest free number is this one. Standard output is not open for writing, so that writes fail.
      if (open("/dev/null", file == STDERR_FILENO ? O_RDWR : O_RDONLY) < 0) return;
}

void let_large_writes_fail() { std::signal(SIGXFSZ, SIG_IGN); }

int with_large_stack(const std::function<int()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  std::size_t threads = 0;
  pthread_attr_getstacksize(&attributes, &threads);
  pthread_attr_setstacksize(&attributes, std::max(threads, kStack));
  pthread_setattr_default_np(&attributes);

  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < kStack) {
    // The stack of the first thread grows up to the soft limit; beyond the hard one a thread is needed.
    limit.rlim_cur = std::min<rlim_t>(kStack, limit.rlim_max);
    setrlimit(RLIMIT_STACK, &limit);
  }
  Work whole{work};
  pthread_t thread{};
  const bool separate = limit.rlim_cur < kStack && pthread_create(&thread, &attributes, run, &whole) == 0;
  pthread_attr_destroy(&attributes);
  if (!separate) return work();
  pthread_join(thread, nullptr);
  if (whole.error) std::rethrow_exception(whole.error);
  return whole.result;
}

}  // namespace sigrel::driver
