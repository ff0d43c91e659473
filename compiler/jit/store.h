// Store: the compiled kernels of a compiler, by their contents, and how more are compiled or read from the
// cache on disk. Shared by the compiler and the code that it made, which compiles hot kernels later.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <tl/expected.hpp>

#include "compiler/jit/code_cache.h"
#include "compiler/jit/generate.h"
#include "compiler/jit/jit.h"
#include "compiler/jit/source.h"
#include "runtime/model.h"

namespace sigrel::jit {

/// How the kernels of a plan are divided into groups, which are compiled and kept on disk together. A kernel
/// belongs to a group by its contents, so that a change of the model changes few groups.
struct Division {
  std::size_t count = 1;    // of groups, a power of two
  std::vector<Hash> files;  // for each group; empty without cache

  std::size_t group(const Source& source) const { return source.content.prefix() & (count - 1); }
};

class Store {
 public:
  explicit Store(const Options& options)
      : options_(options), cache_(options_.cache_folder, options.cache_limit) {}

  /// A compiled kernel. A wider one than requested can be used, too: it processes incomplete vectors row by
  /// row.
  struct Known {
    std::uint32_t width = 0;
    runtime::Kernel::Function function = nullptr;
    std::shared_ptr<const void> owner;
  };

  const Options& options() const { return options_; }
  const std::string& cache_failure() const { return cache_.failure(); }
  /// Held while any of the functions below is called.
  std::mutex& mutex() { return mutex_; }

  Division divide(std::span<const Source> sources);
  /// Null if the kernel is not compiled, or for fewer rows at a time.
  const Known* find(const Source& source) const;
  /// Reads what is on disk of a plan's kernels.
  void load(std::span<const Source> sources, const Division& division, const Library* library,
            Statistics& statistics);
  /// Compiles kernels, no two of which have the same contents, and writes their code to disk. The error is
  /// the reason why this machine does not allow generated code.
  tl::expected<void, std::string> compile(std::span<const Source* const> sources, const Division& division,
                                          const Library* library, Statistics& statistics);

 private:
  std::uint32_t math_width();
  const std::string* identity();

  std::mutex mutex_;
  Options options_;
  CodeCache cache_;
  std::optional<std::optional<std::string>> identity_;  // code_identity, once asked for
  std::optional<std::uint32_t> math_width_;             // once asked for
  std::optional<Generator> generator_;                  // made when the first kernel is compiled
  std::unordered_map<Hash, Known, HashOfHash> known_;   // by Source::linked
};

/// The width of the libmvec functions that generated code calls; 0 for none.
std::uint32_t math_width(const Options& options);

}  // namespace sigrel::jit
