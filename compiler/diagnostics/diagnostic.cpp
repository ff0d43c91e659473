#include "compiler/diagnostics/diagnostic.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace sigrel {
namespace {

constexpr std::array kCodes = {
#define SIGREL_CODE(number, name, severity, title) \
  std::tuple{Code::name, std::string_view(#name), Severity::severity, std::string_view(title)},
#include "compiler/diagnostics/codes.def"
#undef SIGREL_CODE
};

std::vector<CodeInfo> make_table() {
  static std::deque<std::string> ids;
  std::vector<CodeInfo> table;
  for (auto& [code, name, severity, title] : kCodes) {
    std::string digits = std::to_string(static_cast<unsigned>(code));
    ids.push_back("SR" + std::string(4 - digits.size(), '0') + digits);
    table.push_back({code, ids.back(), name, severity, title});
  }
  std::ranges::sort(table, {}, &CodeInfo::code);
  return table;
}

const std::vector<CodeInfo>& table() {
  static const std::vector<CodeInfo> t = make_table();
  return t;
}

}  // namespace

const CodeInfo& info(Code code) { return *std::ranges::lower_bound(table(), code, {}, &CodeInfo::code); }

std::vector<CodeInfo> all_codes() { return table(); }

std::optional<Code> code_from_id(std::string_view id) {
  if (id.size() > 2 && (id[0] == 'S' || id[0] == 's') && (id[1] == 'R' || id[1] == 'r')) id.remove_prefix(2);
  unsigned number = 0;
  auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc{} || end != id.data() + id.size()) return std::nullopt;
  for (const CodeInfo& c : table())
    if (static_cast<unsigned>(c.code) == number) return c.code;
  return std::nullopt;
}

Diagnostic& Diagnostics::report(Code code, Span span, std::string message) {
  Diagnostic& d = report(code, std::move(message));
  d.primary = Label{span, {}};
  return d;
}

Diagnostic& Diagnostics::report(Code code, std::string message) {
  Severity severity = info(code).severity;
  if (severity == Severity::Error) ++errors_;
  return items_.emplace_back(Diagnostic{code, severity, std::move(message), {}, {}, {}, {}});
}

std::optional<std::string_view> did_you_mean(std::string_view name,
                                             const std::vector<std::string_view>& candidates) {
  std::optional<std::string_view> best;
  std::size_t best_distance = name.size() / 3 + 1;  // a larger distance is a different word
  for (std::string_view candidate : candidates) {
    if (candidate == name || candidate.size() > name.size() + best_distance ||
        name.size() > candidate.size() + best_distance)
      continue;
    // Optimal string alignment: insertion, deletion, substitution, swap of neighbours.
    std::vector<std::size_t> before(candidate.size() + 1), row(candidate.size() + 1),
        next(candidate.size() + 1);
    for (std::size_t j = 0; j <= candidate.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= name.size(); ++i) {
      next[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        bool same = name[i - 1] == candidate[j - 1];
        next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1)});
        if (i > 1 && j > 1 && name[i - 1] == candidate[j - 2] && name[i - 2] == candidate[j - 1])
          next[j] = std::min(next[j], before[j - 2] + 1);
      }
      before = row;
      row = next;
    }
    if (row.back() < best_distance || (row.back() == best_distance && !best)) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace sigrel
