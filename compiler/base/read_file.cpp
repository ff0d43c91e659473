#include "compiler/base/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

namespace sigrel {
namespace {

// Spans are 32-bit offsets.
constexpr std::size_t kLargestFile = std::numeric_limits<std::uint32_t>::max() / 2;
// Pipes and devices: /dev/zero has no end.
constexpr std::size_t kLargestStream = std::size_t{256} << 20;

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

}  // namespace

tl::expected<std::string, std::string> read_file(const std::string& path) {
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return tl::unexpected(std::string(std::strerror(errno)));
  struct stat status{};
  if (fstat(file.fd, &status) == 0 && S_ISDIR(status.st_mode))
    return tl::unexpected(std::string("it is a folder"));
  std::string text;
  const bool regular = S_ISREG(status.st_mode);
  if (regular && status.st_size > 0) text.reserve(static_cast<std::size_t>(status.st_size) + 1);
  for (;;) {
    char chunk[64 * 1024];
    ssize_t n = read(file.fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return tl::unexpected(std::string(std::strerror(errno)));
    if (n == 0) return text;
    text.append(chunk, static_cast<std::size_t>(n));
    if (text.size() > kLargestFile) return tl::unexpected(std::string("it is larger than 2 GiB"));
    if (!regular && text.size() > kLargestStream)
      return tl::unexpected(std::string("it is no regular file, and does not end within 256 MiB"));
  }
}

}  // namespace sigrel
