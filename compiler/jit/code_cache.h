// CodeCache: object code in files, so that the next process need not generate it.
//
// A file has the code of some kernels of one group (store.h). Its name is a hash of the contents of all
// kernels of the group and of everything else that the code depends on: the build of Sigrel, LLVM, the
// processor. So a file is never out of date, and no index is needed. A file is written under a temporary name
// and renamed; of two processes that write the same one, the later wins. It begins with a checksum: a damaged
// file is ignored.
//
// Because code from the folder is executed, the folder must belong to the user and be writable by nobody
// else; it is created so. The least recently used files are removed above a limit.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/jit/source.h"

namespace sigrel::jit {

class CodeCache {
 public:
  /// The folder is created at the first use, with its parents. An empty one: no cache.
  CodeCache(std::string folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}
  ~CodeCache();
  CodeCache(const CodeCache&) = delete;
  CodeCache& operator=(const CodeCache&) = delete;

  struct Entry {
    std::vector<std::string> symbols;  // of the functions in all objects
    std::vector<std::string> objects;  // object files
  };

  /// Whether the folder can be used. Opens it.
  bool open();
  /// Why the folder cannot be used, or what could not be written; empty if nothing failed.
  const std::string& failure() const { return failure_; }
  /// Records the first reason.
  void fail(const std::string& what);

  /// Nullopt if there is no such file, or if it is damaged.
  std::optional<Entry> read(const Hash& name);
  /// Adds the objects to the file. Nothing is added if some of the symbols are there already.
  void add(const Hash& name, Entry entry);
  void remove(const Hash& name);
  /// Removes the files that were not used for the longest time, until the limit is met.
  void trim();

 private:
  bool write(const std::string& name, const std::string& bytes);

  std::string folder_;
  std::uint64_t limit_;
  int handle_ = -1;  // of the folder
  bool opened_ = false;
  std::string failure_;
};

/// What generated code depends on besides its kernels: the build of this program, LLVM and the processor.
/// Nullopt if the program has no build id.
std::optional<std::string> code_identity();

}  // namespace sigrel::jit
