#include "runtime/results/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace runtime {

namespace {
constexpr const char* kBeingWritten = "another process is writing it";
}  // namespace

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool OutputFile::fail() {
  error_ = std::generic_category().message(errno);
  return false;
}

bool OutputFile::open(const std::string& path, int flags) {
  path_ = path;
  size_ = 0;
  ours_ = false;
  // Opened by its name, what standard output is redirected to would be emptied.
  if (path == "/dev/stdout") {
    descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    return descriptor_ >= 0 || fail();
  }
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  return descriptor_ >= 0 ? lock() : fail();
}

bool OutputFile::lock() {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) return fail();
  ours_ = S_ISREG(status.st_mode);
  if (!ours_ || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
  error_ = kBeingWritten;
  return false;
}

bool OutputFile::open(const std::string& path) { return open(path, O_CREAT) && truncate(0); }

bool OutputFile::create(const std::string& path) {
  struct stat status{};
  const bool special = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  return open(path, special ? 0 : O_CREAT | O_EXCL);
}

bool OutputFile::append(const std::string& path) {
  if (!open(path, 0)) return false;
  const off_t end = ::lseek(descriptor_, 0, SEEK_END);
  if (end < 0) return fail();
  size_ = static_cast<std::uint64_t>(end);
  return true;
}

bool OutputFile::truncate(std::uint64_t size) {
  if (!ours_) return true;
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return fail();
  if (::lseek(descriptor_, static_cast<off_t>(size), SEEK_SET) < 0) return fail();
  size_ = size;
  return true;
}

/// Fills `tail` with the last bytes before `size`. False: the file is shorter.
bool OutputFile::read_tail(std::uint64_t size, std::string& tail) {
  std::ifstream in(path_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(size - tail.size()));
  in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  return static_cast<bool>(in);
}

bool OutputFile::mark(Mark& mark, std::uint64_t from) {
  constexpr std::uint64_t kTail = 256;
  if (!ours_) {
    error_ = "a checkpoint needs a regular file, to which the run can return";
    return false;
  }
  if (::fsync(descriptor_) != 0) return fail();
  mark.size = size_;
  mark.tail.resize(std::min(size_ - from, kTail));
  if (read_tail(size_, mark.tail)) return true;
  error_ = "it cannot be read";
  return false;
}

bool OutputFile::append(const std::string& path, const Mark& mark) {
  if (!append(path)) return false;
  std::string tail(mark.tail.size(), '\0');
  if (ours_ && size_ >= mark.size && mark.size >= tail.size() && read_tail(mark.size, tail) &&
      tail == mark.tail)
    return truncate(mark.size);
  error_ = "it is not the file that belongs to the checkpoint";
  return false;
}

namespace {

/// How much of `part`, which is the beginning of a text, is whole.
std::size_t whole(std::string_view part, std::size_t unit) {
  if (unit != OutputFile::kLine) return part.size() - part.size() % unit;
  const std::size_t end = part.rfind('\n');
  return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace

bool OutputFile::write(std::string_view text, std::size_t unit) {
  if (descriptor_ < 0) return false;
  const std::uint64_t before = size_;
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
    if (written < 0) {
      if (errno == EINTR) continue;
      fail();
      size_ = before + done;
      if (const std::size_t kept = whole(text.substr(0, done), unit); kept != done) truncate(before + kept);
      return false;
    }
    done += static_cast<std::size_t>(written);
  }
  size_ = before + done;
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

namespace {

std::string reason() { return std::generic_category().message(errno); }

std::string write_in_place(const std::string& path, std::string_view text) {
  OutputFile file;
  if (file.open(path) && file.write(text) && file.close()) return {};
  return file.error();
}

/// The file that a name leads to; the name itself if there is none.
std::string target_of(const std::string& path) {
  char* found = ::realpath(path.c_str(), nullptr);
  std::string target = found ? found : path;
  std::free(found);
  return target;
}

/// A new file beside `target` and its name; -1 if there cannot be one.
int open_beside(const std::string& target, std::string& name) {
  constexpr int kTries = 100;  // names left behind by processes that were killed
  for (int k = 0; k < kTries; ++k) {
    name = target + ".tmp-" + std::to_string(::getpid()) + (k ? "-" + std::to_string(k) : "");
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

/// Whether a file that can be written may have no other beside it: in a folder of others, or for its long
/// name. Any other reason, such as a full disk, would also meet a write in place, which has emptied the file
/// by then.
bool is_written_in_place(int error) {
  return error == EACCES || error == EPERM || error == ENAMETOOLONG || error == EEXIST;
}

/// The file if it exists, which no OutputFile writes or opens until it is closed: its rows would be in a file
/// without a name. Writers that replace a file at once do not exclude each other; the last one remains.
class Replaced {
 public:
  explicit Replaced(const std::string& path)
      : descriptor_(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~Replaced() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;

  bool is_being_written() const {
    return descriptor_ >= 0 && ::flock(descriptor_, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  }

 private:
  int descriptor_;
};

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string write_file(const std::string& path, std::string_view text, bool durable) {
  const std::string target = target_of(path);
  struct stat old{};
  const bool there = ::lstat(target.c_str(), &old) == 0;
  if (there && (!S_ISREG(old.st_mode) || old.st_nlink > 1 || old.st_uid != ::geteuid()))
    return write_in_place(path, text);
  if (there && ::access(target.c_str(), W_OK) != 0) return reason();  // a rename does not check this
  const Replaced replaced(target);
  if (replaced.is_being_written()) return kBeingWritten;
  std::string temporary;
  const int descriptor = open_beside(target, temporary);
  if (descriptor < 0) return is_written_in_place(errno) ? write_in_place(path, text) : reason();
  bool fine = write_all(descriptor, text) && (!there || ::fchmod(descriptor, old.st_mode & 07777) == 0) &&
              (!durable || ::fsync(descriptor) == 0);
  std::string error = fine ? std::string() : reason();
  if (::close(descriptor) != 0 && fine) {
    fine = false;
    error = reason();
  }
  if (fine && ::rename(temporary.c_str(), target.c_str()) == 0) return {};
  if (fine) error = reason();
  ::unlink(temporary.c_str());
  return error;
}

}  // namespace runtime
