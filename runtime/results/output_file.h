// Files that are written: one that grows with every write checked, and whole files that replace their target
// at once.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/archive.h"

namespace runtime {

/// A file that grows in place. As long as it is open, no other OutputFile can write it, in this process or
/// another one (flock(2), as far as the file system has locks). Devices and pipes are shared.
class OutputFile {
 public:
  /// How far a file was written, and what it ends with there, by which it is recognised.
  struct Mark {
    std::uint64_t size = 0;
    std::string tail{};
    void visit(Archive& archive) { archive(size, tail); }
  };

  OutputFile() = default;
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Creates or empties the file. What another writer has open stays as it is.
  bool open(const std::string& path);
  /// Creates the file, which must not exist, unless it is a device or a pipe.
  bool create(const std::string& path);
  /// Opens a file that exists, and appends to it.
  bool append(const std::string& path);
  /// On failure the file keeps what fits of the text, up to the end of a unit: `unit` bytes, or a line.
  bool write(std::string_view text, std::size_t unit = kLine);
  /// Replaces bytes that were written before.
  bool patch(std::uint64_t offset, std::string_view text);
  /// Cuts the file off behind `size` bytes. Nothing happens to a pipe, a device or standard output.
  bool truncate(std::uint64_t size);
  /// Stores on disk what was written (fsync(2)), and marks the end. False also for pipes, devices and
  /// standard output, which cannot go back to a mark.
  /// Bytes before the offset `from` are still patched.
  bool mark(Mark& mark, std::uint64_t from = 0);
  /// Opens a file that was marked, cuts off what was written later, and appends to it.
  bool append(const std::string& path, const Mark& mark);
  bool close();

  static constexpr std::size_t kLine = 0;

  std::uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  const std::string& error() const { return error_; }  // "No space left on device"

 private:
  bool open(const std::string& path, int flags);
  bool lock();
  bool fail();
  bool read_tail(std::uint64_t size, std::string& tail);

  std::string path_, error_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  bool ours_ = false;  // a regular file that was opened by its name: it can be locked and cut off
};

/// Writes a text as a file. It goes to a temporary file beside the target, which then takes its place: after
/// a failure the target is what it was. What a new file would not keep is written in place: devices, pipes,
/// files with several names or of another owner, and those in a folder that takes no new files. What an
/// OutputFile has open is not replaced. The reason of a failure; empty: none. `durable`: the text is on disk
/// before the target is replaced (fsync(2)).
std::string write_file(const std::string& path, std::string_view text, bool durable = false);

}  // namespace runtime
