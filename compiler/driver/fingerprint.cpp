#include "compiler/driver/fingerprint.h"

#include <fmt/format.h>

#include "compiler/pipeline/files.h"
#include "compiler/session/start_file.h"

namespace sigrel::driver {
namespace {

/// FNV-1a, 64 bits (Fowler, Noll, Vo; RFC 9923). Each text is followed by a byte that no UTF-8 text has.
class Hash {
 public:
  void add(std::string_view text) {
    for (char c : text) byte(static_cast<unsigned char>(c));
    byte(0xFF);
  }
  std::string digits() const {
    return fmt::format("{:08x}", static_cast<std::uint32_t>(value_ ^ value_ >> 32));
  }

 private:
  void byte(unsigned char c) { value_ = (value_ ^ c) * 0x100000001B3ull; }
  std::uint64_t value_ = 0xCBF29CE484222325ull;
};

template <class T>
std::string text_of(const std::optional<T>& setting) {
  return setting ? fmt::format("{}", *setting) : std::string();
}

}  // namespace

Fingerprint fingerprint_of(const Globals& globals, const Session& session, const RunOptions& run,
                           const std::string& expression, bool strict_initial,
                           std::span<const std::string> more) {
  Hash model, settings;
  model.add(SIGREL_VERSION);
  const SourceMap& sources = session.sources();
  for (std::uint32_t k = 0; k < sources.size(); ++k) model.add(sources.file(FileId(k)).text);
  for (const std::string& library : globals.libraries)
    model.add(pipeline::read_file(library).value_or(std::string()));
  for (const data::UsedFile& file : session.data_files()) model.add(fmt::format("{:016x}", file.digest));
  model.add(expression);
  for (const auto& [name, value] : run.set) settings.add(fmt::format("{}={}", name, value));
  for (const std::string& setting :
       {text_of(run.start), text_of(run.stop), text_of(run.tolerance), text_of(run.max_step),
        text_of(run.steps), text_of(run.solver), fmt::format("{}", strict_initial)})
    settings.add(setting);
  for (const std::string& setting : more) settings.add(setting);
  if (!run.init_from.empty()) {
    const auto [file, at] = session::split_start_request(run.init_from);
    settings.add(pipeline::read_file(file).value_or(std::string()));
    settings.add(text_of(at));
  }
  return {model.digits(), settings.digits()};
}

}  // namespace sigrel::driver
