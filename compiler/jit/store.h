// Store: the compiled kernels of a compiler, by their contents, and how more are compiled. Shared by the
// compiler and the code that it made, which compiles hot kernels later.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <tl/expected.hpp>

#include "compiler/jit/generate.h"
#include "compiler/jit/jit.h"
#include "compiler/jit/source.h"
#include "runtime/model.h"

namespace sigrel::jit {

class Store {
 public:
  explicit Store(const Options& options) : options_(options) {}

  /// A compiled kernel. A wider one than requested can be used, too: it processes incomplete vectors row by
  /// row.
  struct Known {
    std::uint32_t width = 0;
    runtime::Kernel::Function function = nullptr;
    std::shared_ptr<const void> owner;
  };

  const Options& options() const { return options_; }
  /// Held while any of the functions below is called.
  std::mutex& mutex() { return mutex_; }

  /// Null if the kernel is not compiled, or for fewer rows at a time.
  const Known* find(const Source& source) const;
  /// Compiles kernels, no two of which have the same contents. The error is the reason why this machine does
  /// not allow generated code.
  tl::expected<void, std::string> compile(std::span<const Source* const> sources, const Library* library,
                                          Statistics& statistics);

 private:
  std::mutex mutex_;
  Options options_;
  std::uint32_t math_width_ = 0;                       // of libmvec; 0: not used
  std::optional<Generator> generator_;                 // made when the first kernel is compiled
  std::unordered_map<Hash, Known, HashOfHash> known_;  // by Source::linked
};

/// The width of the libmvec functions that generated code calls; 0 for none.
std::uint32_t math_width(const Options& options);

}  // namespace sigrel::jit
