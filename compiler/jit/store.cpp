#include "compiler/jit/store.h"

#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

#include "compiler/jit/linker.h"
#include "compiler/jit/target.h"
#include "compiler/jit/timer.h"

namespace sigrel::jit {
namespace {

// Enough for the costs of a module and a file not to matter, and few enough for several threads to share the
// work.
constexpr std::size_t kKernelsPerGroup = 64;

bool is_vector(const Source& source) { return source.width > 1; }

}  // namespace

std::uint32_t math_width(const Options& options) {
  return options.vector_math && !vector_math_symbols(vector_width()).empty() ? vector_width() : 0;
}

std::uint32_t Store::math_width() {
  if (!math_width_) math_width_ = jit::math_width(options_);
  return *math_width_;
}

const std::string* Store::identity() {
  if (!identity_) identity_ = code_identity();
  return *identity_ ? &**identity_ : nullptr;
}

Division Store::divide(std::span<const Source> sources) {
  Division division;
  if (sources.empty()) return division;
  division.count = std::bit_ceil((sources.size() + kKernelsPerGroup - 1) / kKernelsPerGroup);
  if (!cache_.open()) return division;
  if (!identity()) {
    cache_.fail("is not used, because this program has no build id");
    return division;
  }
  std::vector<std::vector<std::string>> symbols(division.count);
  for (const Source& source : sources) symbols[division.group(source)].push_back(source.symbol());
  std::string common = *identity() + (options_.optimise ? " optimised" : "");
  if (std::ranges::any_of(sources, is_vector)) common += " libmvec " + std::to_string(math_width());
  for (std::vector<std::string>& group : symbols) {
    std::ranges::sort(group);
    std::string text = common;
    for (const std::string& symbol : group) text += "\n" + symbol;
    division.files.push_back(hash(text));
  }
  return division;
}

const Store::Known* Store::find(const Source& source) const {
  auto at = known_.find(source.linked);
  return at != known_.end() && at->second.width >= source.width ? &at->second : nullptr;
}

void Store::load(std::span<const Source> sources, const Division& division, const Library* library,
                 Statistics& statistics) {
  if (division.files.empty()) return;
  Timer timer(statistics.link_seconds);
  std::vector<bool> wanted(division.count);
  for (const Source& source : sources)
    if (!find(source)) wanted[division.group(source)] = true;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  std::unordered_set<std::string> there;
  for (std::size_t g = 0; g < division.count; ++g) {
    std::optional<CodeCache::Entry> entry = wanted[g] ? cache_.read(division.files[g]) : std::nullopt;
    if (!entry) continue;
    for (const std::string& object : entry->objects)
      objects.push_back(llvm::MemoryBuffer::getMemBufferCopy(object));
    for (std::string& symbol : entry->symbols) there.insert(std::move(symbol));
  }
  std::vector<const Source*> found;
  std::vector<std::string> names;
  for (const Source& source : sources)
    if (std::string symbol = source.symbol(); !find(source) && there.contains(symbol)) {
      found.push_back(&source);
      names.push_back(std::move(symbol));
    }
  if (found.empty()) return;
  const std::uint32_t math = std::ranges::any_of(sources, is_vector) ? math_width() : 0;
  const tl::expected<Linked, std::string> linked = link(std::move(objects), names, library, math);
  if (!linked) {  // not what we wrote
    for (const Hash& file : division.files) cache_.remove(file);
    return;
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    known_[found[i]->linked] = {found[i]->width, linked->functions[i], linked->owner};
  statistics.cached += static_cast<std::uint32_t>(found.size());
}

tl::expected<void, std::string> Store::compile(std::span<const Source* const> sources,
                                               const Division& division, const Library* library,
                                               Statistics& statistics) {
  if (sources.empty()) return {};
  if (!generator_)
    generator_.emplace(Generator::Options{options_.optimise, math_width() > 0, options_.threads});
  std::vector<Group> groups(division.count);
  for (const Source* source : sources) groups[division.group(*source)].push_back(source);
  std::vector<std::size_t> numbers;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (!groups[g].empty()) numbers.push_back(g);
  std::erase_if(groups, [](const Group& group) { return group.empty(); });
  for (Group& group : groups)
    std::ranges::sort(group, {}, [](const Source* source) { return source->content; });
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects = generator_->objects(groups, library, statistics);

  if (!division.files.empty()) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      CodeCache::Entry entry{{}, {objects[g]->getBuffer().str()}};
      for (const Source* source : groups[g]) entry.symbols.push_back(source->symbol());
      cache_.add(division.files[numbers[g]], std::move(entry));
    }
    cache_.trim();
  }
  statistics.cache_failure = cache_.failure();

  Timer timer(statistics.link_seconds);
  std::vector<std::string> names;
  names.reserve(sources.size());
  for (const Source* source : sources) names.push_back(source->symbol());
  tl::expected<Linked, std::string> linked = link(std::move(objects), names, library, math_width());
  if (!linked) return tl::unexpected(linked.error());
  for (std::size_t i = 0; i < sources.size(); ++i)
    known_[sources[i]->linked] = {sources[i]->width, linked->functions[i], linked->owner};
  statistics.compiled += static_cast<std::uint32_t>(sources.size());
  return {};
}

}  // namespace sigrel::jit
