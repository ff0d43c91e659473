#include "compiler/interpret/enclose.h"

#include <algorithm>

#include "compiler/interpret/enclose_operation.h"
#include "compiler/interpret/resolve_operation.h"
#include "compiler/ir/code.h"

namespace sigrel::interpret {
namespace {

using runtime::Enclosure;

/// What the resolution of sharp operations needs of a node.
enum class Need : std::uint8_t { Nothing, Resolution, Result };

struct EnclosureTape {
  plan::Body body;
  runtime::Role role = runtime::Role::Residual;
  std::uint32_t slots = 0, solved = 0;
  std::shared_ptr<const Library> library;
  std::vector<Need> needs;            // by node
  std::vector<std::uint32_t> needed;  // nodes that the resolution needs
  std::vector<std::uint32_t> all;
  bool chooses = false;  // a sharp operation is in a branch of a Select
};

/// Sharp operations of what is not constant are resolved; the results of what they read are needed.
std::vector<Need> needs_of(const std::vector<Node>& nodes, bool& chooses) {
  std::vector<std::uint8_t> varies(nodes.size(), 0), contains(nodes.size(), 0);
  std::vector<Need> needs(nodes.size(), Need::Nothing);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    const std::uint32_t operands[] = {node.a, node.b, node.c};
    varies[k] = node.op == Op::Slot || node.op == Op::Time;
    for (int j = 0; j < arity(node.op); ++j) varies[k] = varies[k] || varies[operands[j]];
    const bool by_divisor = node.op == Op::Div;
    if (is_sharp(node) && varies[k] && (!by_divisor || varies[node.b])) needs[k] = Need::Resolution;
    contains[k] = needs[k] == Need::Resolution;
    for (int j = 0; j < arity(node.op); ++j) contains[k] = contains[k] || contains[operands[j]];
    if (node.op != Op::Select || !(contains[node.b] || contains[node.c])) continue;
    chooses = true;
    if (needs[node.a] == Need::Nothing) needs[node.a] = Need::Result;
  }
  for (std::size_t k = nodes.size(); k-- > 0;) {
    if (needs[k] == Need::Nothing) continue;
    const std::uint32_t operands[] = {nodes[k].a, nodes[k].b, nodes[k].c};
    for (int j = 0; j < arity(nodes[k].op); ++j) needs[operands[j]] = Need::Result;
  }
  return needs;
}

/// Marks the nodes that the outputs depend on with the branches that are chosen, by enclosures of conditions.
void find_chosen(const plan::Body& body, const std::vector<Enclosure>& values,
                 std::vector<std::uint8_t>& chosen) {
  chosen.assign(body.nodes.size(), 0);
  for (const std::uint32_t output : body.outputs) chosen[output] = 1;
  for (std::size_t k = body.nodes.size(); k-- > 0;) {
    if (!chosen[k]) continue;
    const Node& node = body.nodes[k];
    const std::uint32_t operands[] = {node.a, node.b, node.c};
    const runtime::Interval condition = node.op == Op::Select ? values[node.a].value : runtime::Interval{};
    for (int j = 0; j < arity(node.op); ++j) {
      const bool left_out = node.op == Op::Select && ((j == 1 && condition.low == 0 && condition.high == 0) ||
                                                      (j == 2 && (condition.low > 0 || condition.high < 0)));
      if (!left_out) chosen[operands[j]] = 1;
    }
  }
}

void run_enclosure_tape(const void* self, const runtime::EnclosureArguments* arguments) {
  thread_local std::vector<Enclosure> scratch;
  thread_local std::vector<std::uint8_t> chosen;
  const EnclosureTape& tape = *static_cast<const EnclosureTape*>(self);
  const runtime::EnclosureArguments& args = *arguments;
  const std::vector<Node>& nodes = tape.body.nodes;
  if (scratch.size() < nodes.size()) scratch.resize(nodes.size());
  auto index = [&](std::uint32_t column) { return args.table[column * args.stride + args.row]; };
  for (const std::uint32_t k : args.resolution ? tape.needed : tape.all) {
    const Node& node = nodes[k];
    switch (node.op) {
      case Op::Const: scratch[k] = Enclosure::constant(node.value); break;
      case Op::Time: scratch[k] = {args.time, {1, 1}}; break;
      case Op::Slot: scratch[k] = args.values[index(node.a)]; break;
      case Op::Param: scratch[k] = Enclosure::constant(args.parameters[index(tape.slots + node.a)]); break;
      default: {
        const int operands = arity(node.op);
        const Enclosure& a = scratch[node.a];
        const Enclosure& b = operands > 1 ? scratch[node.b] : a;
        if (args.resolution && tape.needs[k] == Need::Resolution && is_resolved_by_operands(node, a, b))
          continue;
        scratch[k] = enclose(tape.library.get(), node, a, b, operands > 2 ? scratch[node.c] : a);
        if (args.resolution && !tape.chooses)
          resolve(tape.library.get(), node, a, b, scratch[k], *args.resolution);
      }
    }
  }
  if (args.resolution && tape.chooses) {
    find_chosen(tape.body, scratch, chosen);
    for (const std::uint32_t k : tape.needed) {
      const Node& node = nodes[k];
      if (!chosen[k] || arity(node.op) == 0) continue;
      const Enclosure& a = scratch[node.a];
      const Enclosure& b = arity(node.op) > 1 ? scratch[node.b] : a;
      if (tape.needs[k] == Need::Resolution && is_resolved_by_operands(node, a, b)) continue;
      resolve(tape.library.get(), node, a, b, scratch[k], *args.resolution);
    }
  }
  if (args.resolution) return;
  const Enclosure& result = scratch[tape.body.outputs.front()];
  if (tape.role == runtime::Role::Solve)
    args.values[index(tape.solved)] = result;
  else
    *args.out = result;
}

class EnclosureTapes final : public EnclosureCode {
 public:
  explicit EnclosureTapes(std::size_t kernels_of_plan) { kernels.resize(kernels_of_plan); }
  void add(const ExprPool& exprs, const plan::Kernel& kernel, std::size_t number) {
    if (kernels[number].function) return;
    tapes_.push_back(std::make_unique<EnclosureTape>(EnclosureTape{plan::body(exprs, kernel),
                                                                   kernel.role,
                                                                   kernel.slots,
                                                                   kernel.solved,
                                                                   exprs.library,
                                                                   {},
                                                                   {},
                                                                   {},
                                                                   false}));
    EnclosureTape& tape = *tapes_.back();
    tape.needs = needs_of(tape.body.nodes, tape.chooses);
    for (std::uint32_t k = 0; k < tape.needs.size(); ++k) {
      tape.all.push_back(k);
      if (tape.needs[k] != Need::Nothing) tape.needed.push_back(k);
    }
    kernels[number] = {run_enclosure_tape, tapes_.back().get()};
  }

 private:
  std::vector<std::unique_ptr<EnclosureTape>> tapes_;
};

}  // namespace

std::unique_ptr<EnclosureCode> enclosures(const plan::Plan& plan) {
  const runtime::Model& model = plan.model;
  auto is_sharp = [&](std::uint32_t kernel) {
    return kernel != runtime::kNone && model.sharpness[kernel].kind != runtime::Sharpness::None;
  };
  const bool any_sharp =
      std::ranges::any_of(model.batches, [&](const runtime::KernelBatch& b) { return is_sharp(b.kernel); });
  if (model.time_functions.empty() && !any_sharp) return nullptr;
  auto code = std::make_unique<EnclosureTapes>(plan.kernels.size());
  auto add = [&](std::uint32_t batch) {
    const std::uint32_t kernel = model.batches[batch].kernel;
    if (kernel != runtime::kNone) code->add(plan.exprs, plan.kernels[kernel], kernel);
  };
  for (const runtime::TimeFunction& f : model.time_functions)
    add(model.zero_crossings[f.zero_crossing].batch);
  for (const runtime::BatchRow& row : model.time_rows) add(row.batch);
  auto add_sharp = [&](const runtime::Step& step) {
    const bool loop = step.kind == runtime::Step::Solve;
    const std::uint32_t first = loop ? model.loops[step.index].first_batch : step.index;
    for (std::uint32_t b = 0; b < (loop ? model.loops[step.index].batches : 1); ++b)
      if (is_sharp(model.batches[first + b].kernel)) add(first + b);
  };
  std::ranges::for_each(model.dynamic, add_sharp);
  std::ranges::for_each(model.compared, add_sharp);
  for (const runtime::ZeroCrossing& crossing : model.zero_crossings)
    if (is_sharp(model.batches[crossing.batch].kernel)) add(crossing.batch);
  return code;
}

std::unique_ptr<EnclosureCode> enclosures(const ExprPool& exprs, const plan::Kernel& kernel) {
  auto code = std::make_unique<EnclosureTapes>(1);
  code->add(exprs, kernel, 0);
  return code;
}

}  // namespace sigrel::interpret
