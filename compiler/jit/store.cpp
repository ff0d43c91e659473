#include "compiler/jit/store.h"

#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "compiler/jit/linker.h"
#include "compiler/jit/target.h"
#include "compiler/jit/timer.h"

namespace sigrel::jit {
namespace {

// Enough for the costs of a module not to matter, and few enough for several threads to share the work.
constexpr std::size_t kKernelsPerGroup = 64;

// Divides kernels by their contents, so that the groups do not depend on the order of the plan.
std::vector<Group> divide(std::span<const Source* const> sources) {
  const std::size_t count = std::bit_ceil((sources.size() + kKernelsPerGroup - 1) / kKernelsPerGroup);
  std::vector<Group> groups(count);
  for (const Source* source : sources) groups[source->content.prefix() & (count - 1)].push_back(source);
  std::erase_if(groups, [](const Group& group) { return group.empty(); });
  for (Group& group : groups)
    std::ranges::sort(group, {}, [](const Source* source) { return source->content; });
  return groups;
}

}  // namespace

std::uint32_t math_width(const Options& options) {
  return options.vector_math && !vector_math_symbols(vector_width()).empty() ? vector_width() : 0;
}

const Store::Known* Store::find(const Source& source) const {
  auto at = known_.find(source.linked);
  return at != known_.end() && at->second.width >= source.width ? &at->second : nullptr;
}

tl::expected<void, std::string> Store::compile(std::span<const Source* const> sources, const Library* library,
                                               Statistics& statistics) {
  if (sources.empty()) return {};
  if (!generator_) {
    math_width_ = math_width(options_);
    generator_.emplace(Generator::Options{options_.optimise, math_width_ > 0, options_.threads});
  }
  const std::vector<Group> groups = divide(sources);
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects = generator_->objects(groups, library, statistics);
  Timer timer(statistics.link_seconds);
  std::vector<std::string> names;
  names.reserve(sources.size());
  for (const Source* source : sources) names.push_back(source->symbol());
  tl::expected<Linked, std::string> linked = link(std::move(objects), names, library, math_width_);
  if (!linked) return tl::unexpected(linked.error());
  for (std::size_t i = 0; i < sources.size(); ++i)
    known_[sources[i]->linked] = {sources[i]->width, linked->functions[i], linked->owner};
  statistics.compiled += static_cast<std::uint32_t>(sources.size());
  return {};
}

}  // namespace sigrel::jit
