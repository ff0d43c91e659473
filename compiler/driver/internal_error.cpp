#include "compiler/driver/internal_error.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "compiler/base/sanitized.h"
#include "compiler/driver/command.h"
#include "compiler/driver/out_of_memory.h"

namespace sigrel::driver {
namespace {

void put(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) {
    // stderr cannot be written: there is no other place to report to.
  }
}

const char* name_of(int signal) {
  switch (signal) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic trap";
    case SIGILL: return "illegal instruction";
    case SIGABRT: return "assertion failed";
    default: return "fatal signal";
  }
}

[[noreturn]] void end_without_memory() {
  print_exhausted();
  _exit(kUserError);
}

void on_signal(int signal) {
  if (memory_is_exhausted()) end_without_memory();
  print_internal_error(name_of(signal));
  _exit(kInternal);
}

void on_terminate() {
  if (std::exception_ptr current = std::current_exception()) {
    try {
      std::rethrow_exception(current);
    } catch (const std::bad_alloc&) {  // in a thread, or where nothing may be thrown
      end_without_memory();
    } catch (const std::exception& e) {
      if (memory_is_exhausted()) end_without_memory();  // a thread without a stack
      print_internal_error(e.what());
    } catch (...) {
      print_internal_error("an exception of unknown type");
    }
  } else if (memory_is_exhausted()) {
    end_without_memory();
  } else {
    print_internal_error("terminated");
  }
  _exit(kInternal);
}

}  // namespace

void print_internal_error(const char* what) {
  put("\nsigrel: internal error: ");
  put(what);
  put("\nThis is a bug of Sigrel, not an error in your model. Please report it with the model and the "
      "command "
      "line.\n");
}

void install_internal_error_handler() {
  std::set_terminate(on_terminate);
  watch_allocations();
  if constexpr (kSanitized) return;
  // A separate stack: the handler also runs after a stack overflow.
  static char stack[64 * 1024];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

}  // namespace sigrel::driver
