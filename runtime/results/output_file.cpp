#include "runtime/results/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace runtime {

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool OutputFile::fail() {
  error_ = std::generic_category().message(errno);
  return false;
}

bool OutputFile::open(const std::string& path) {
  path_ = path;
  size_ = 0;
  // Opened by its name, what standard output is redirected to would be emptied.
  descriptor_ = path == "/dev/stdout" ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                      : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return descriptor_ >= 0 || fail();
}

bool OutputFile::resume(const std::string& path, std::uint64_t size) {
  path_ = path;
  size_ = size;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0 || ::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return fail();
  return ::lseek(descriptor_, 0, SEEK_END) >= 0 || fail();
}

bool OutputFile::write(std::string_view text) {
  if (descriptor_ < 0) return false;
  const std::uint64_t before = size_;
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail();
      // A part of the text may be there; a pipe or a device refuses to give it back, which changes nothing.
      if (size_ != before && ::ftruncate(descriptor_, static_cast<off_t>(before)) == 0) size_ = before;
      return false;
    }
    size_ += static_cast<std::uint64_t>(written);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool OutputFile::patch(std::uint64_t offset, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail();
    offset += static_cast<std::uint64_t>(written);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool OutputFile::close() {
  if (descriptor_ < 0) return true;
  const int result = ::close(descriptor_);
  descriptor_ = -1;
  return result == 0 || errno == EINTR || fail();
}

std::string write_file(const std::string& path, std::string_view text) {
  OutputFile file;
  if (file.open(path) && file.write(text) && file.close()) return {};
  return file.error();
}

}  // namespace runtime
