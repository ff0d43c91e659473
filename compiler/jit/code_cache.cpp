#include "compiler/jit/code_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

namespace sigrel::jit {
namespace {

constexpr std::string_view kMagic = "sigrel object code 1\n";
constexpr std::string_view kSuffix = ".code", kTemporary = ".tmp";
constexpr std::size_t kHexDigits = 2 * sizeof(Hash);
constexpr std::time_t kAbandoned = 3'600;  // seconds after which a temporary file has no writer any more

class File {
 public:
  explicit File(int handle) : handle_(handle) {}
  ~File() {
    if (handle_ >= 0) ::close(handle_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int handle() const { return handle_; }
  explicit operator bool() const { return handle_ >= 0; }
  bool close() { return ::close(std::exchange(handle_, -1)) == 0; }

 private:
  int handle_;
};

std::string file_name(const Hash& name) { return name.hex() + std::string(kSuffix); }

// Files with other names are not ours.
bool is_cache_file(std::string_view name) {
  return name.size() == kHexDigits + kSuffix.size() && name.ends_with(kSuffix) &&
         name.find_first_not_of("0123456789abcdef") == kHexDigits;
}
bool is_temporary_file(std::string_view name) {
  return name.size() > kHexDigits && name.ends_with(kTemporary) &&
         name.find_first_not_of("0123456789abcdef") == kHexDigits;
}

bool is_private(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void append_number(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void append_text(std::string& bytes, const std::string& text) {
  append_number(bytes, text.size());
  bytes += text;
}

// magic, hash of the rest, name, symbols, objects
std::string encode(const Hash& name, const CodeCache::Entry& entry) {
  std::string rest(reinterpret_cast<const char*>(name.bytes.data()), name.bytes.size());
  for (const auto* list : {&entry.symbols, &entry.objects}) {
    append_number(rest, list->size());
    for (const std::string& text : *list) append_text(rest, text);
  }
  const Hash sum = hash(rest);
  return std::string(kMagic) + std::string(reinterpret_cast<const char*>(sum.bytes.data()), sizeof(Hash)) +
         rest;
}

class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}
  std::optional<std::string_view> bytes(std::uint64_t count) {
    if (count > rest_.size()) return std::nullopt;
    const std::string_view result = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return result;
  }
  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    const auto source = bytes(sizeof value);
    if (!source) return std::nullopt;
    std::memcpy(&value, source->data(), sizeof value);
    return value;
  }
  bool texts(std::vector<std::string>& list) {
    const auto count = number();
    for (std::uint64_t i = 0; count && i < *count; ++i) {
      const auto size = number();
      const auto text = size ? bytes(*size) : std::nullopt;
      if (!text) return false;
      list.emplace_back(*text);
    }
    return count.has_value();
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

std::optional<CodeCache::Entry> decode(const Hash& name, const std::string& bytes) {
  Reader reader(bytes);
  const auto same = [](std::optional<std::string_view> a, const Hash& b) {
    return a && std::memcmp(a->data(), b.bytes.data(), sizeof b) == 0;
  };
  if (reader.bytes(kMagic.size()) != kMagic) return std::nullopt;
  const auto sum = reader.bytes(sizeof(Hash));
  if (!same(sum, hash(std::string(reader.rest()))) || !same(reader.bytes(sizeof(Hash)), name))
    return std::nullopt;
  CodeCache::Entry entry;
  if (!reader.texts(entry.symbols) || !reader.texts(entry.objects)) return std::nullopt;
  return entry;
}

bool write_all(int handle, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(handle, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool read_all(int handle, std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::read(handle, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

CodeCache::~CodeCache() {
  if (handle_ >= 0) ::close(handle_);
}

void CodeCache::fail(const std::string& what) {
  if (failure_.empty()) failure_ = "`" + folder_ + "` " + what;
}

bool CodeCache::open() {
  if (std::exchange(opened_, true) || folder_.empty()) return handle_ >= 0;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(folder_).parent_path(), error);
  if (mkdir(folder_.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    fail(std::string("cannot be created: ") + std::strerror(errno));
    return false;
  }
  File folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!folder || fstat(folder.handle(), &status) != 0)
    fail(std::string("cannot be opened: ") + std::strerror(errno));
  else if (!is_private(status))
    fail("belongs to another user, or others can write to it");
  else
    handle_ = fcntl(folder.handle(), F_DUPFD_CLOEXEC, 0);
  return handle_ >= 0;
}

std::optional<CodeCache::Entry> CodeCache::read(const Hash& name) {
  if (!open()) return std::nullopt;
  File file(openat(handle_, file_name(name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status{};
  if (!file || fstat(file.handle(), &status) != 0 || !S_ISREG(status.st_mode) || !is_private(status) ||
      static_cast<std::uint64_t>(status.st_size) > limit_)
    return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  if (!read_all(file.handle(), bytes)) return std::nullopt;
  std::optional<Entry> entry = decode(name, bytes);
  if (entry) futimens(file.handle(), nullptr);  // used now
  return entry;
}

void CodeCache::add(const Hash& name, Entry entry) {
  if (!open()) return;
  if (std::optional<Entry> old = read(name)) {
    for (const std::string& symbol : entry.symbols)
      if (std::ranges::find(old->symbols, symbol) != old->symbols.end()) return;
    std::ranges::move(old->symbols, std::back_inserter(entry.symbols));
    std::ranges::move(old->objects, std::back_inserter(entry.objects));
  }
  const std::string bytes = encode(name, entry);
  if (bytes.size() > limit_ || write(file_name(name), bytes)) return;
  fail(std::string("cannot be written: ") + std::strerror(errno));
}

bool CodeCache::write(const std::string& name, const std::string& bytes) {
  static std::atomic<unsigned> number = 0;
  const std::string temporary = name.substr(0, kHexDigits) + "." + std::to_string(getpid()) + "." +
                                std::to_string(number++) + std::string(kTemporary);
  File file(openat(handle_, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                   S_IRUSR | S_IWUSR));
  if (!file) return false;
  if (write_all(file.handle(), bytes) && file.close() &&
      renameat(handle_, temporary.c_str(), handle_, name.c_str()) == 0)
    return true;
  const int reason = errno;
  unlinkat(handle_, temporary.c_str(), 0);
  errno = reason;
  return false;
}

void CodeCache::remove(const Hash& name) {
  if (open()) unlinkat(handle_, file_name(name).c_str(), 0);
}

void CodeCache::trim() {
  if (!open()) return;
  const int copy = openat(handle_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(fdopendir(copy), closedir);
  if (!folder) return;
  struct Found {
    timespec used;
    std::uint64_t size;
    std::string name;
  };
  std::vector<Found> files;
  std::uint64_t size = 0;
  const std::time_t now = std::time(nullptr);
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    struct stat status{};
    if (!(is_cache_file(name) || is_temporary_file(name)) ||
        fstatat(handle_, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (is_temporary_file(name)) {
      if (now - status.st_mtim.tv_sec > kAbandoned) unlinkat(handle_, entry->d_name, 0);
      continue;
    }
    files.push_back({status.st_mtim, static_cast<std::uint64_t>(status.st_size), std::string(name)});
    size += files.back().size;
  }
  if (size <= limit_) return;
  std::ranges::sort(files, {}, [](const Found& file) {
    return std::tuple(file.used.tv_sec, file.used.tv_nsec, std::string_view(file.name));
  });
  for (const Found& file : files) {
    if (size <= limit_ / 4 * 3) return;  // not again for each new file
    if (unlinkat(handle_, file.name.c_str(), 0) == 0) size -= file.size;
  }
}

}  // namespace sigrel::jit
