#include "compiler/base/local_name.h"

#include <mutex>
#include <string>
#include <vector>

#include "compiler/base/index_table.h"

namespace sigrel {
namespace {

enum class Part : std::uint32_t { Stem, Field, Index, NextIndex, Number, OddIndex, OddNextIndex };  // odd: negative or huge, as text
constexpr std::uint32_t kPayloadBits = 29;
constexpr std::uint32_t kPayloads = 1u << kPayloadBits;

struct Node {
  std::uint32_t of = 0;    // local name; 0: none
  std::uint32_t part = 0;  // a Part, and a name or number
  bool operator==(const Node&) const = default;
};

struct Table {
  std::mutex mutex;
  std::vector<Node> nodes{{}};
  IndexTable index;
};

Table& table() {
  static Table t;
  return t;
}

/// What is made one after the other stands side by side, sixteen in a line of the cache: turns of a loop, and fields of them, whose
/// numbers are some apart.
std::uint64_t hash(const Node& node) {
  constexpr std::uint64_t kLine = 16;
  const auto part = static_cast<Part>(node.part >> kPayloadBits);
  const bool counts = part == Part::Index || part == Part::NextIndex || part == Part::Number;
  const std::uint32_t running = counts ? node.part : node.of / 8, fixed = counts ? node.of : node.part;
  return mixed(mixed(0x9E3779B97F4A7C15ull, fixed), running / kLine) * kLine + running % kLine;
}

LocalName make(LocalName of, Part part, std::uint32_t payload) {
  Table& t = table();
  const Node node{of.value, static_cast<std::uint32_t>(part) << kPayloadBits | payload};
  std::lock_guard lock(t.mutex);
  const auto next = static_cast<std::uint32_t>(t.nodes.size());
  const std::uint32_t found = t.index.find_or_add(
      hash(node), next, [&](std::uint32_t k) { return t.nodes[k] == node; }, [&](std::uint32_t k) { return hash(t.nodes[k]); });
  if (found == next) t.nodes.push_back(node);
  return LocalName{found};
}

LocalName make_index(LocalName of, Part part, Part odd, std::int64_t index) {
  if (index >= 0 && index < kPayloads) return make(of, part, static_cast<std::uint32_t>(index));
  return make(of, odd, intern(std::to_string(index)).value);
}

void append_part(const Node& node, std::string& out) {
  const std::uint32_t payload = node.part & (kPayloads - 1);
  auto append_index = [&](std::string_view index, bool next) {
    if (next && !out.empty() && out.back() == ']') out.back() = ',';
    else out += '[';
    out += index;
    out += ']';
  };
  switch (static_cast<Part>(node.part >> kPayloadBits)) {
    case Part::Stem: out += text(Name{payload}); break;
    case Part::Field: (out += '.') += text(Name{payload}); break;
    case Part::Index: append_index(std::to_string(payload), false); break;
    case Part::NextIndex: append_index(std::to_string(payload), true); break;
    case Part::OddIndex: append_index(text(Name{payload}), false); break;
    case Part::OddNextIndex: append_index(text(Name{payload}), true); break;
    case Part::Number: (out += '#') += std::to_string(payload); break;
  }
}

}  // namespace

LocalName local_name(Name name) { return text(name).empty() ? LocalName{} : make({}, Part::Stem, name.value); }
LocalName local_name(std::string_view text) { return text.empty() ? LocalName{} : local_name(intern(text)); }
LocalName field(LocalName of, Name name) { return make(of, Part::Field, name.value); }
LocalName element(LocalName of, std::int64_t index) { return make_index(of, Part::Index, Part::OddIndex, index); }
LocalName next_index(LocalName of, std::int64_t index) { return make_index(of, Part::NextIndex, Part::OddNextIndex, index); }
LocalName numbered(LocalName of, std::uint32_t number) { return make(of, Part::Number, number); }

void append_text(LocalName name, std::string& out) {
  std::vector<Node> parts;
  {
    Table& t = table();
    std::lock_guard lock(t.mutex);
    for (std::uint32_t at = name.value; at != 0; at = t.nodes[at].of) parts.push_back(t.nodes[at]);
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) append_part(*part, out);
}

std::string text(LocalName name) {
  std::string out;
  append_text(name, out);
  return out;
}

}  // namespace sigrel
