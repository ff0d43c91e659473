#include "runtime/results/checkpoint_file.h"

#include <cstdint>
#include <fstream>
#include <iterator>

#include "runtime/archive.h"
#include "runtime/results/output_file.h"

namespace runtime {

namespace {

constexpr std::string_view kMagic = "SigrelCP";
constexpr std::uint32_t kFormat = 1;

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

}  // namespace

std::string write_checkpoint(const std::string& path, std::string_view fingerprint, std::string_view bytes) {
  Archive archive;
  std::string text(fingerprint), body(bytes);
  std::uint32_t format = kFormat;
  archive(format, text, body);
  std::string file = std::string(kMagic) + archive.take();
  Archive end;
  std::uint64_t sum = checksum(file);
  end(sum);
  return write_file(path, file + end.take(), true);
}

StoredCheckpoint read_checkpoint(const std::string& path) {
  StoredCheckpoint stored;
  auto refuse = [&](std::string why) {
    stored = {{}, {}, std::move(why)};
    return stored;
  };
  std::ifstream in(path, std::ios::binary);
  std::string start(kMagic.size(), '\0');
  if (!in.is_open()) return refuse("cannot be read");
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (!in || start != kMagic)
    return refuse("is no checkpoint");  // others, such as /dev/zero, may have no end
  std::string file = start + std::string(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return refuse("cannot be read");
  std::uint64_t sum = 0;
  if (file.size() < kMagic.size() + sizeof sum) return refuse("is damaged: it was cut off");
  const std::string_view whole = std::string_view(file).substr(0, file.size() - sizeof sum);
  Archive end(std::string_view(file).substr(whole.size()));
  end(sum);
  if (sum != checksum(whole)) return refuse("is damaged: its checksum is another one");
  std::uint32_t format = 0;
  Archive archive(whole.substr(kMagic.size()));
  archive(format);
  if (format != kFormat) return refuse("was written by another version of Sigrel");
  archive(stored.fingerprint, stored.bytes);
  return archive.fine() ? stored : refuse("is damaged");
}

}  // namespace runtime
