#include "compiler/pipeline/structures.h"

#include <algorithm>

#include "compiler/pipeline/later_modes.h"
#include "compiler/pipeline/model_memory.h"
#include "compiler/reduce/reduce.h"

namespace sigrel::pipeline {
namespace {

/// All numbers of the modes, one after the other.
std::vector<double> numbers_of(const std::vector<elaborate::ChosenMode>& modes) {
  std::vector<double> result;
  for (const elaborate::ChosenMode& m : modes)
    result.insert(result.end(), m.numbers.begin(), m.numbers.end());
  return result;
}

std::unique_ptr<dae::System> with_own_variables(const Compiled& model) {
  std::vector<bool> differentiated(model.system.unknowns, false);
  for (const EquationTable& table : model.system.equations.tables) {
    std::vector<bool> slots(table.slots, false);
    for (const ExprId id : topological(model.system.exprs, {&table.residual, 1}))
      if (model.system.exprs[id].op == Op::Der) slots[model.system.exprs[id].a] = true;
    for (std::size_t row = 0; row < table.rows(); ++row)
      for (std::uint32_t k = 0; k < table.slots; ++k)
        if (slots[k]) differentiated[table.unknowns_of(row)[k]] = true;
  }
  std::vector<std::uint32_t> kept;
  for (std::uint32_t u = 0; u < differentiated.size(); ++u)
    if (differentiated[u]) kept.push_back(u);
  Diagnostics found;
  auto reduced = std::make_unique<dae::System>(reduce::reduce(model.system, found, kept));
  return found.has_errors() ? nullptr : std::move(reduced);
}

}  // namespace

std::optional<Name> mode_name(const Compiled& model, std::uint32_t identity, std::uint32_t mode) {
  const elaborate::Structure& structure = model.structure;
  for (std::size_t k = 0; k < structure.switches.size(); ++k)
    if (structure.switches[k].identity == identity && structure.switches[k].mode == mode)
      return model.system.switches[k].mode;
  for (std::size_t t = 0; t < structure.targets.size(); ++t)
    if (const system::Transition& transition = model.system.transitions[t];
        structure.targets[t] == mode && structure.switches[transition.of].identity == identity)
      return transition.target;
  return std::nullopt;
}

std::unique_ptr<Compiled> Structures::compile_in(const Modes& modes, bool at_start, Diagnostics& diagnostics,
                                                 SingularModes& singular) {
  std::vector<Timing> timings;
  Context context{.sources = sources_,
                  .diagnostics = diagnostics,
                  .timings = timings,
                  .compiler = compiler_,
                  .verify = verify_,
                  .keep_equations = true,
                  .limits = limits_};
  if (!at_start) context.start = plan::StartPolicy::Continue;
  std::optional<elaborate::Result> elaborated = elaborate(modes, diagnostics, at_start);
  if (!elaborated) return nullptr;
  auto model = std::make_unique<Compiled>();
  if (!compile(std::move(*elaborated), backend_, context, nullptr, *model)) {
    singular = singular_modes(model->system, model->structure, model->dae, modes);
    return nullptr;
  }
  model->number = ++compiled_;
  return model;
}

std::shared_ptr<const Compiled> Structures::start_in(const Modes& modes, Diagnostics& diagnostics,
                                                     SingularModes& singular) {
  const std::lock_guard lock(mutex_);
  return compile_in(modes, true, diagnostics, singular);
}

std::shared_ptr<const Compiled> Structures::in_modes(const Modes& modes, Diagnostics& diagnostics,
                                                     SingularModes& singular) {
  const std::lock_guard lock(mutex_);
  ++calls_;
  Vector& vector = vectors_[key_of(modes)];
  const std::vector<double> numbers = numbers_of(modes);
  auto entered = [&] {
    std::vector<std::uint32_t> result;
    for (const elaborate::ChosenMode& m : modes)
      if (m.entered && std::ranges::find(vector.with_initial, m.identity) != vector.with_initial.end())
        result.push_back(m.identity);
    return result;
  };
  for (Vector::Variant& variant : vector.variants)
    if (variant.entered == entered() && std::ranges::all_of(variant.structural, [&](const auto& s) {
          return numbers[s.first] == s.second;
        })) {
      variant.used = calls_;
      return variant.model;
    }
  std::unique_ptr<Compiled> model = compile_in(modes, false, diagnostics, singular);
  if (!model) return nullptr;
  const elaborate::Structure& structure = model->structure;
  for (const elaborate::Structure::Switch& s : structure.switches)
    if (s.has_initial && std::ranges::find(vector.with_initial, s.identity) == vector.with_initial.end())
      vector.with_initial.push_back(s.identity);
  // The given numbers are those of the given switches, in the order of `modes`.
  std::unordered_map<std::uint32_t, std::size_t> first;
  std::size_t next = 0;
  for (const elaborate::ChosenMode& m : modes) {
    first.emplace(m.identity, next);
    next += m.numbers.size();
  }
  const std::size_t bytes = bytes_of(*model) + modes.size() * sizeof(ModeKey::value_type);
  bytes_ += bytes;
  Vector::Variant variant{
      .entered = entered(), .structural = {}, .model = std::move(model), .used = calls_, .bytes = bytes};
  for (const std::uint32_t n : structure.structural)
    for (std::size_t k = 0; k < structure.switches.size(); ++k) {
      const system::Switch& s = variant.model->system.switches[k];
      if (n < s.first_number || n >= s.first_number + s.numbers) continue;
      const std::size_t at = first.at(structure.switches[k].identity) + (n - s.first_number);
      variant.structural.emplace_back(at, numbers[at]);
    }
  std::shared_ptr<const Compiled> result = variant.model;
  vector.variants.push_back(std::move(variant));
  limit_memory();
  return result;
}

const dae::System* Structures::jump_equations(const Compiled& model) {
  const dae::System* made = model.jump_equations.of(model);
  const std::lock_guard lock(mutex_);
  if (!made || !with_jumps_.insert(model.number).second) return made;
  for (auto& [key, vector] : vectors_)
    for (Vector::Variant& variant : vector.variants) {
      if (variant.model.get() != &model) continue;
      const std::size_t bytes = bytes_of(*made);
      variant.bytes += bytes;
      bytes_ += bytes;
    }
  return made;
}

/// Gives up models that were used longest ago and that nobody holds: down to three quarters of the limit, so
/// that they are rarely searched.
void Structures::limit_memory() {
  if (bytes_ <= limits_.structures) return;
  std::map<std::uint64_t, Vector*> unused;  // by when they were used last
  for (auto& [key, vector] : vectors_)
    for (const Vector::Variant& variant : vector.variants)
      if (variant.model.use_count() == 1) unused.emplace(variant.used, &vector);
  for (const auto& [used, vector] : unused) {
    if (bytes_ <= limits_.structures / 4 * 3) break;
    const auto oldest = std::ranges::find(vector->variants, used, &Vector::Variant::used);
    bytes_ -= oldest->bytes;
    vector->variants.erase(oldest);
    ++given_up_;
  }
  std::erase_if(vectors_, [](const auto& vector) { return vector.second.variants.empty(); });
}

std::optional<elaborate::Result> Structures::elaborate(const Modes& modes, Diagnostics& diagnostics,
                                                       bool at_start) {
  const std::size_t numbered = elaborator_->numbered();
  std::optional<elaborate::Result> result =
      at_start ? elaborator_->start_in(modes, diagnostics) : elaborator_->in_modes(modes, diagnostics);
  if (elaborator_->numbered() > numbered) history_.push_back(modes);
  return result;
}

void Structures::each_later(const Compiled& start, const std::function<bool(const system::System&)>& visit) {
  const std::lock_guard lock(mutex_);
  LaterModes later;
  later.add(start.system, start.structure);
  while (const std::optional<Modes> modes = later.next()) {
    Diagnostics refused;
    if (const auto result = elaborate(*modes, refused)) {
      later.add(result->system, result->structure);
      if (!visit(result->system)) return;
    } else {
      later.refuse();
    }
  }
}

std::optional<Name> Structures::mode_name(std::uint32_t identity, std::uint32_t mode) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, vector] : vectors_)
    for (const Vector::Variant& variant : vector.variants)
      if (const auto name = pipeline::mode_name(*variant.model, identity, mode)) return name;
  return std::nullopt;
}

void Structures::describe_later(const std::string& name, std::string description) {
  // `visit` of `each_later` calls this: the lock is held.
  later_descriptions_.insert_or_assign(name, std::move(description));
}

std::string Structures::later_description(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = later_descriptions_.find(name);
  return found == later_descriptions_.end() ? std::string() : found->second;
}

bool Structures::replay(const std::vector<Modes>& history) {
  const std::lock_guard lock(mutex_);
  const std::size_t common = std::min(history.size(), history_.size());
  if (!std::equal(history.begin(), history.begin() + static_cast<std::ptrdiff_t>(common), history_.begin()))
    return false;
  for (std::size_t k = common; k < history.size(); ++k) {
    Diagnostics told;  // by the run that got there first
    if (!is_numbered(history[k])) return false;
    elaborate(history[k], told);
    if (history_.size() != k + 1) return false;
  }
  return true;
}

const dae::System* JumpEquations::of(const Compiled& model) const {
  std::call_once(made_->once, [&] { made_->system = with_own_variables(model); });
  return made_->system.get();
}

}  // namespace sigrel::pipeline
