#include "compiler/jit/tiered.h"

#include <mutex>
#include <utility>

namespace sigrel::jit {

TieredKernels::TieredKernels(std::shared_ptr<Store> store, std::shared_ptr<const Library> library)
    : store_(std::move(store)), library_(std::move(library)), hot_(store_->options().hot) {}

runtime::Kernel TieredKernels::add(Source source) {
  const interpret::RowTape tape = interpret::make_row_tape(source.kernel, source.body, words_);
  sources_.push_back(std::move(source));
  return {run, &kernels_.emplace_back(this, tape)};
}

void TieredKernels::run(const void* self, const runtime::KernelArguments* arguments) {
  auto& kernel = *static_cast<Kernel*>(const_cast<void*>(self));
  TieredKernels& all = *kernel.owner;
  if (const auto code = kernel.code.load(std::memory_order_acquire))
    return code(all.library_.get(), arguments);
  const std::uint32_t rows = kernel.rows.load(std::memory_order_relaxed);
  if (rows < all.hot_)
    kernel.rows.store(rows + static_cast<std::uint32_t>(arguments->end - arguments->begin),
                      std::memory_order_relaxed);
  else if (!all.given_up_.load(std::memory_order_relaxed))
    all.compile_hot();
  interpret::run_row_tape(kernel.tape, all.words_.data(), all.library_.get(), *arguments);
}

void TieredKernels::compile_hot() {
  std::unique_lock lock(store_->mutex(), std::try_to_lock);
  if (!lock) return;  // another thread compiles
  std::vector<std::uint32_t> hot;
  std::vector<const Source*> missing;
  for (std::uint32_t k = 0; k < sources_.size(); ++k) {
    if (kernels_[k].code.load(std::memory_order_relaxed) ||
        kernels_[k].rows.load(std::memory_order_relaxed) < hot_ / 2)
      continue;
    hot.push_back(k);
    if (!store_->find(sources_[k])) missing.push_back(&sources_[k]);
  }
  if (const auto done = store_->compile(missing, division_, library_.get(), statistics_); !done) {
    statistics_.failure = done.error();
    given_up_ = true;
    return;
  }
  for (std::uint32_t k : hot) {
    const Store::Known& known = *store_->find(sources_[k]);
    if (owners_.empty() || owners_.back() != known.owner) owners_.push_back(known.owner);
    kernels_[k].code.store(known.function, std::memory_order_release);
    sources_[k].body = {};
  }
}

void TieredKernels::count(Statistics& statistics) const {
  std::lock_guard lock(store_->mutex());
  statistics.functions += statistics_.functions;
  statistics.compiled += statistics_.compiled;
  statistics.instructions += statistics_.instructions;
  statistics.lower_seconds += statistics_.lower_seconds;
  statistics.setup_seconds += statistics_.setup_seconds;
  statistics.machine_seconds += statistics_.machine_seconds;
  statistics.link_seconds += statistics_.link_seconds;
  statistics.failure = statistics_.failure;
  if (statistics.cache_failure.empty()) statistics.cache_failure = statistics_.cache_failure;
  for (const Kernel& kernel : kernels_)
    if (!kernel.code.load(std::memory_order_relaxed)) ++statistics.interpreted;
}

}  // namespace sigrel::jit
