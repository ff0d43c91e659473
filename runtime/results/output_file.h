// A file that is written from front to back, every write checked; what is written can be replaced, byte by
// byte.
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
  /// Goes on behind the first `size` bytes of a file that is there; what follows them is cut off.
  bool resume(const std::string& path, std::uint64_t size);
  /// On failure the file keeps what was written before this call, as far as the device allows.
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

/// The whole text as a file; the reason when that fails, else empty.
std::string write_file(const std::string& path, std::string_view text);

}  // namespace runtime
