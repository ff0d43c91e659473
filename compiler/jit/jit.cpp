#include "compiler/jit/jit.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/interpret/tape.h"
#include "compiler/jit/store.h"
#include "compiler/jit/target.h"
#include "compiler/jit/tiered.h"
#include "compiler/lower/lower.h"

namespace sigrel::jit {
namespace {

class PlanCode final : public Code {
 public:
  PlanCode(const std::shared_ptr<Store>& store, std::shared_ptr<const Library> library)
      : library_(std::move(library)), tiered_(store, library_) {}

  Statistics statistics() const override {
    Statistics all = at_once;
    tiered_.count(all);
    return all;
  }

  runtime::Kernel interpreted(const plan::Kernel& kernel, const plan::Body& body) {
    tapes_.push_back(interpret::make_tape(kernel, body, library_));
    ++at_once.interpreted;
    return {interpret::run_tape, &tapes_.back()};
  }
  runtime::Kernel compiled(const Store::Known& known) {
    if (seen_.insert(known.owner.get()).second) owners_.push_back(known.owner);
    return {known.function, library_.get()};
  }
  runtime::Kernel tiered(Source source) { return tiered_.add(std::move(source)); }
  void wait_with(Division division) { tiered_.set_division(std::move(division)); }

  Statistics at_once;  // without tiered kernels

 private:
  std::shared_ptr<const Library> library_;
  std::deque<interpret::Tape> tapes_;
  std::vector<std::shared_ptr<const void>> owners_;  // of compiled code
  std::unordered_set<const void*> seen_;
  TieredKernels tiered_;
};

// Rows of the largest batch of each kernel. Kernels without batches are assumed to have many rows.
std::vector<std::uint32_t> largest_batches(const plan::Plan& plan) {
  constexpr std::uint32_t kUnnamed = 0xFFFFFFFFu;
  std::vector<std::uint32_t> rows(plan.kernels.size(), kUnnamed);
  auto name = [&](std::uint32_t kernel, std::uint32_t count) {
    if (kernel < rows.size()) rows[kernel] = rows[kernel] == kUnnamed ? count : std::max(rows[kernel], count);
  };
  for (const runtime::KernelBatch& run : plan.model.batches) {
    name(run.kernel, run.count);
    name(run.partials, run.count);
  }
  return rows;
}

bool always_interpreted(const plan::Kernel& kernel, const plan::Body& body, std::uint32_t rows,
                        const Options& options) {
  const bool may_wait = options.hot > 0 && rows < options.vectorise_from;
  return body.nodes.size() > options.interpret_above || (kernel.rare && !may_wait);
}

// The kernels that are compiled, at once or later, each once with its largest width.
struct Sources {
  std::vector<Source> sources;
  std::vector<std::uint32_t> of_kernel;  // by number of the kernel; kNone: it is always interpreted
};

Sources collect(const plan::Plan& plan, const Options& options, PlanCode& code) {
  const std::vector<std::uint32_t> rows = largest_batches(plan);
  Sources result;
  result.of_kernel.resize(plan.kernels.size(), runtime::kNone);
  std::unordered_map<Hash, std::uint32_t, HashOfHash> place;
  for (std::uint32_t k = 0; k < plan.kernels.size(); ++k) {
    const plan::Kernel& kernel = plan.kernels[k];
    plan::Body body = plan::body(plan.exprs, kernel);
    if (always_interpreted(kernel, body, rows[k], options)) {
      code.kernels[k] = code.interpreted(kernel, body);
      continue;
    }
    const std::uint32_t width = rows[k] >= options.vectorise_from ? vector_width() : 1;
    Source source = make_source(kernel, std::move(body), width, plan.exprs.library.get());
    const auto [at, is_new] =
        place.try_emplace(source.linked, static_cast<std::uint32_t>(result.sources.size()));
    result.of_kernel[k] = at->second;
    if (is_new)
      result.sources.push_back(std::move(source));
    else
      result.sources[at->second].width = std::max(result.sources[at->second].width, width);
  }
  return result;
}

}  // namespace

Compiler::Compiler(const Options& options) : store_(std::make_shared<Store>(options)) {}
Compiler::~Compiler() = default;

tl::expected<std::unique_ptr<Code>, std::string> Compiler::compile(const plan::Plan& plan,
                                                                   Statistics* statistics) {
  const Options& options = store_->options();
  const Library* library = plan.exprs.library.get();
  auto code = std::make_unique<PlanCode>(store_, plan.exprs.library);
  code->kernels.resize(plan.kernels.size());
  Sources all = collect(plan, options, *code);

  std::unique_lock lock(store_->mutex());
  const auto wait = [&](const Source& source) {
    return options.hot > 0 && source.width == 1 && source.body.nodes.size() <= interpret::kLargestRowTape;
  };
  std::vector<bool> known(all.sources.size());
  for (std::size_t s = 0; s < known.size(); ++s) known[s] = store_->find(all.sources[s]) != nullptr;
  const Division division = store_->divide(all.sources);
  store_->load(all.sources, division, library, code->at_once);
  std::vector<const Source*> fresh;
  for (const Source& source : all.sources)
    if (!store_->find(source) && !wait(source)) fresh.push_back(&source);
  if (auto done = store_->compile(fresh, division, library, code->at_once); !done)
    return tl::unexpected(done.error());
  code->at_once.cache_failure = store_->cache_failure();

  std::vector<runtime::Kernel> made(all.sources.size());
  for (std::size_t s = 0; s < made.size(); ++s) {
    const Store::Known* found = store_->find(all.sources[s]);
    made[s] = found ? code->compiled(*found) : code->tiered(std::move(all.sources[s]));
  }
  code->wait_with(division);
  lock.unlock();
  for (std::uint32_t k = 0; k < plan.kernels.size(); ++k) {
    const std::uint32_t source = all.of_kernel[k];
    if (source == runtime::kNone) continue;
    code->kernels[k] = made[source];
    if (known[source]) ++code->at_once.reused;
  }
  if (statistics) *statistics = code->statistics();
  return code;
}

std::string print(const plan::Plan& plan, Listing listing, const Options& options) {
  const std::vector<std::uint32_t> rows = largest_batches(plan);
  std::vector<plan::Body> bodies;
  for (const plan::Kernel& kernel : plan.kernels) bodies.push_back(plan::body(plan.exprs, kernel));
  std::vector<lower::Request> requests;
  for (std::uint32_t k = 0; k < plan.kernels.size(); ++k) {
    if (plan.kernels[k].rare || bodies[k].nodes.size() > options.interpret_above) continue;
    const std::uint32_t width = rows[k] >= options.vectorise_from ? vector_width() : 1;
    requests.push_back(
        {plan.kernels[k], bodies[k], plan.exprs.library.get(), width, lower::kernel_name(plan, k)});
  }
  std::unique_ptr<llvm::TargetMachine> machine = host_machine(options.optimise);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      lower::lower(requests, context, {.vector_math = math_width(options) > 0});
  prepare(*module, *machine);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  switch (listing) {
    case Listing::Llvm: stream << *module; break;
    case Listing::Assembly: {
      llvm::legacy::PassManager passes;
      if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
        fail(*module, "this target does not support assembly output");
      passes.run(*module);
      break;
    }
  }
  return std::string(text);
}

}  // namespace sigrel::jit
