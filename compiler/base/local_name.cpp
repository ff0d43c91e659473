#include "compiler/base/local_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <string>
#include <vector>

#include "compiler/base/index_table.h"

namespace sigrel {
namespace {

enum class Part : std::uint32_t {
  Stem,
  Field,
  Index,
  NextIndex,
  Number,
  OddIndex,
  OddNextIndex
};  // odd: negative or huge, as text
constexpr std::uint32_t kPayloadBits = 29;
constexpr std::uint32_t kPayloads = 1u << kPayloadBits;

struct Node {
  std::uint32_t of = 0;    // local name; 0: none
  std::uint32_t part = 0;  // a Part, and a name or number
  bool operator==(const Node&) const = default;
};

constexpr std::size_t kLine = 16;  // buckets in a cache line

struct Table {
  std::mutex mutex;
  std::vector<Node> nodes{{}};
  StridingIndexTable<kLine> index;
};

Table& table() {
  static Table t;
  return t;
}

/// Names that are created consecutively get adjacent buckets, sixteen in a cache line: iterations of a loop,
/// and fields of them, whose numbers differ by a few. The position of a sequence in its line depends on the
/// common part of its names, so that all positions are equally likely.
std::uint64_t hash(const Node& node) {
  const auto part = static_cast<Part>(node.part >> kPayloadBits);
  const bool counts =
      part == Part::Stem || part == Part::Index || part == Part::NextIndex || part == Part::Number;
  const std::uint32_t running = counts ? node.part : node.of / 8, fixed = counts ? node.of : node.part;
  const std::uint64_t row = mixed(0x9E3779B97F4A7C15ull, fixed);
  return mixed(row, running / kLine) * kLine + (running + (row >> 40)) % kLine;
}

/// The caller holds the mutex.
LocalName make(Table& t, const Node& node) {
  const auto next = static_cast<std::uint32_t>(t.nodes.size());
  const std::uint32_t found = t.index.find_or_add(
      hash(node), next, [&](std::uint32_t k) { return t.nodes[k] == node; },
      [&](std::uint32_t k) { return hash(t.nodes[k]); });
  if (found == next) t.nodes.push_back(node);
  return LocalName{found};
}

LocalName make(LocalName of, Part part, std::uint32_t payload) {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  return make(t, {of.value, static_cast<std::uint32_t>(part) << kPayloadBits | payload});
}

LocalName under(Table& t, LocalName of, std::uint32_t relative) {
  if (relative == 0) return of;
  const Node last = t.nodes[relative];
  return make(t, {under(t, of, last.of).value, last.part});
}

LocalName make_index(LocalName of, Part part, Part odd, std::int64_t index) {
  if (index >= 0 && index < kPayloads) return make(of, part, static_cast<std::uint32_t>(index));
  return make(of, odd, intern(std::to_string(index)).value);
}

/// The name with one more part, when a name is looked up by its text.
std::optional<std::uint32_t> step(const Table& t, std::uint32_t of, Part part, std::uint32_t payload) {
  const Node node{of, static_cast<std::uint32_t>(part) << kPayloadBits | payload};
  const std::uint32_t found = t.index.find(hash(node), [&](std::uint32_t k) { return t.nodes[k] == node; });
  return found == IndexTable::kMissing ? std::nullopt : std::optional(found);
}

/// The value of `digits` if it fits into a payload.
std::optional<std::uint32_t> payload_of(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc{} && end == digits.data() + digits.size() && value < kPayloads
             ? std::optional(value)
             : std::nullopt;
}

void append_part(const Node& node, std::string& out) {
  const std::uint32_t payload = node.part & (kPayloads - 1);
  auto append_index = [&](std::string_view index, bool next) {
    if (next && !out.empty() && out.back() == ']')
      out.back() = ',';
    else
      out += '[';
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

LocalName local_name(Name name) {
  return text(name).empty() ? LocalName{} : make({}, Part::Stem, name.value);
}
LocalName local_name(std::string_view text) { return text.empty() ? LocalName{} : local_name(intern(text)); }
LocalName field(LocalName of, Name name) { return make(of, Part::Field, name.value); }
LocalName element(LocalName of, std::int64_t index) {
  return make_index(of, Part::Index, Part::OddIndex, index);
}
LocalName next_index(LocalName of, std::int64_t index) {
  return make_index(of, Part::NextIndex, Part::OddNextIndex, index);
}
LocalName numbered(LocalName of, std::uint32_t number) { return make(of, Part::Number, number); }

void under(LocalName of, std::span<const LocalName> relative, std::vector<LocalName>& out) {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  out.clear();
  for (const LocalName name : relative) {
    const Node last = t.nodes[name.value];
    std::size_t shorter = out.size();
    while (shorter > 0 && relative[shorter - 1].value != last.of) --shorter;
    const LocalName front = shorter > 0 ? out[shorter - 1] : under(t, of, last.of);
    out.push_back(make(t, {front.value, last.part}));
  }
}

std::optional<LocalName> find_local_name(std::string_view text) {
  if (text.empty()) return LocalName{};
  Table& t = table();
  std::lock_guard lock(t.mutex);
  std::size_t end = std::min(text.find_first_of(".[#", 1), text.size());
  auto at = step(t, 0, Part::Stem, intern(text.substr(0, end)).value);
  while (at && end < text.size()) {
    const char mark = text[end];  // starts the next part; a comma inside brackets
    const std::size_t begin = end + 1;
    const bool index = mark == '[' || mark == ',';
    end = std::min(text.find_first_of(index ? ",]" : ".[#", begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    if (index && end == text.size()) return std::nullopt;
    const auto number = payload_of(part);
    if (mark == '.')
      at = step(t, *at, Part::Field, intern(part).value);
    else if (mark == '#')
      at = number ? step(t, *at, Part::Number, *number) : std::nullopt;
    else if (number)
      at = step(t, *at, mark == '[' ? Part::Index : Part::NextIndex, *number);
    else
      at = step(t, *at, mark == '[' ? Part::OddIndex : Part::OddNextIndex, intern(part).value);
    if (index && text[end] == ']') ++end;  // another part may follow
  }
  return at ? std::optional(LocalName{*at}) : std::nullopt;
}

void append_text(LocalName name, std::string& out) {
  std::array<Node, 8> parts;
  std::size_t count = 0;
  std::uint32_t at = name.value;
  {
    Table& t = table();
    std::lock_guard lock(t.mutex);
    for (; at != 0 && count < parts.size(); at = t.nodes[at].of) parts[count++] = t.nodes[at];
  }
  if (at != 0) append_text(LocalName{at}, out);  // the parts before the last eight
  while (count > 0) append_part(parts[--count], out);
}

std::string text(LocalName name) {
  std::string out;
  append_text(name, out);
  return out;
}

}  // namespace sigrel
