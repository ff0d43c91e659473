#include "compiler/interpret/tape.h"

#include <algorithm>
#include <utility>

namespace sigrel::interpret {
namespace {

constexpr std::uint32_t kUnassigned = 0xFFFFFFFFu;
// All registers of a block should fit into the second-level cache.
constexpr std::uint32_t kScratchNumbers = 64 * 1024;
constexpr std::uint32_t kSmallestBlock = 8, kLargestBlock = 128;

class Builder {
 public:
  Builder(const plan::Kernel& kernel, const plan::Body& body, std::shared_ptr<const Library> library)
      : kernel_(kernel), body_(body) {
    tape_.library = std::move(library);
  }

  Tape build() {
    count_uses();
    tape_.role = kernel_.role;
    tape_.solved = kernel_.solved;
    registers_.assign(body_.nodes.size(), kUnassigned);
    for (std::uint32_t i = 0; i < body_.nodes.size(); ++i) {
      const Node& node = body_.nodes[i];
      if (arity(node.op) > 0)
        operation(i);
      else if (!outputs_[i].empty())
        load(i);
      store_outputs(i);
    }
    tape_.block = std::clamp(kScratchNumbers / std::max(1u, tape_.registers), kSmallestBlock, kLargestBlock);
    return std::move(tape_);
  }

 private:
  void count_uses() {
    uses_.assign(body_.nodes.size(), 0);
    for (const Node& node : body_.nodes) {
      int operands = arity(node.op);
      if (operands > 0) ++uses_[node.a];
      if (operands > 1) ++uses_[node.b];
      if (operands > 2) ++uses_[node.c];
    }
    outputs_.resize(body_.nodes.size());
    for (std::uint32_t k = 0; k < body_.outputs.size(); ++k) {
      outputs_[body_.outputs[k]].push_back(k);
      ++uses_[body_.outputs[k]];
    }
  }

  std::uint32_t take() {
    if (free_.empty()) return tape_.registers++;
    std::uint32_t result = free_.back();
    free_.pop_back();
    return result;
  }

  void used(std::uint32_t node) {
    if (--uses_[node] == 0) free_.push_back(registers_[node]);
  }

  std::uint32_t load(std::uint32_t index) {
    if (registers_[index] != kUnassigned) return registers_[index];
    const Node& node = body_.nodes[index];
    Instruction instruction{.op = node.op, .target = take(), .a = node.a, .value = node.value};
    if (node.op == Op::Param) instruction.a += kernel_.slots;
    tape_.code.push_back(instruction);
    return registers_[index] = instruction.target;
  }

  // The target is allocated before the operands are released, so that it differs from them: the loops over
  // rows depend on this.
  void operation(std::uint32_t index) {
    const Node& node = body_.nodes[index];
    int operands = arity(node.op);
    Instruction instruction{.op = node.op, .a = load(node.a), .b = node.b, .value = node.value};
    if (operands > 1) instruction.b = load(node.b);
    if (operands > 2) instruction.c = load(node.c);
    registers_[index] = instruction.target = take();
    tape_.code.push_back(instruction);
    used(node.a);
    if (operands > 1) used(node.b);
    if (operands > 2) used(node.c);
  }

  void store_outputs(std::uint32_t index) {
    for (std::uint32_t k : outputs_[index]) {
      tape_.code.push_back({.store = true, .a = registers_[index], .b = k});
      used(index);
    }
  }

  const plan::Kernel& kernel_;
  const plan::Body& body_;
  Tape tape_;
  std::vector<std::uint32_t> uses_;       // remaining uses
  std::vector<std::uint32_t> registers_;  // of each node
  std::vector<std::vector<std::uint32_t>> outputs_;
  std::vector<std::uint32_t> free_;
};

}  // namespace

Tape make_tape(const plan::Kernel& kernel, const plan::Body& body, std::shared_ptr<const Library> library) {
  return Builder(kernel, body, std::move(library)).build();
}

}  // namespace sigrel::interpret
