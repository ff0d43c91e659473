#include "compiler/jit/source.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/BLAKE3.h>

#include <utility>

#include "compiler/ir/library.h"

namespace sigrel::jit {

std::string Hash::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Hash hash(const std::string& bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return {llvm::BLAKE3::hash<16>(llvm::ArrayRef(data, bytes.size()))};
}

Source make_source(const plan::Kernel& kernel, plan::Body body, std::uint32_t width, const Library* library) {
  std::string text, addresses;
  auto add = [](std::string& to, const auto& value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  add(text, kernel.role);
  add(text, kernel.slots);
  add(text, kernel.params);
  add(text, kernel.solved);
  add(text, static_cast<std::uint32_t>(body.outputs.size()));
  for (std::uint32_t output : body.outputs) add(text, output);
  for (const Node& node : body.nodes) {
    add(text, node.op);
    add(text, node.a);
    add(text, node.b);
    add(text, node.c);
    if (kind(node.op) != OpKind::Call) {
      add(text, node.value);
      continue;
    }
    const CallDetail detail = call_detail(node.value);
    const ForeignFunction& function = library->functions[detail.function];
    add(text, detail.argument);
    add(text, static_cast<std::uint32_t>(function.symbol.size()));
    text += function.symbol;
    add(addresses, function.address);
  }
  Source source{.kernel = {kernel.role, kernel.slots, kernel.params, kernel.solved, {}, kernel.rare},
                .body = std::move(body),
                .width = width,
                .content = hash(text),
                .linked = {}};
  source.linked = addresses.empty() ? source.content : hash(text + addresses);
  return source;
}

}  // namespace sigrel::jit
