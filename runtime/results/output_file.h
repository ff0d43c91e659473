// A file that is written sequentially with every write checked; bytes that were written can be replaced.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace runtime {

class OutputFile {
 public:
  OutputFile() = default;
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Creates or empties the file.
  bool open(const std::string& path);
  /// Truncates an existing file to `size` bytes and appends to it.
  bool resume(const std::string& path, std::uint64_t size);
  /// On failure the file is truncated to its content before this call, as far as the device allows.
  bool write(std::string_view text);
  /// Replaces bytes that were written before.
  bool patch(std::uint64_t offset, std::string_view text);
  bool close();

  std::uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  const std::string& error() const { return error_; }  // "No space left on device"

 private:
  bool fail();

  std::string path_, error_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Writes a text as a file. The reason of a failure; empty: none.
std::string write_file(const std::string& path, std::string_view text);

}  // namespace runtime
