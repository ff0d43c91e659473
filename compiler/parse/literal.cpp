#include "compiler/parse/literal.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace sigrel::syntax {
namespace {

constexpr int kMaxExponent = 100;
constexpr int kMaxUnitNesting = 50;

class UnitReader {
 public:
  UnitReader(std::string_view text, Span span, Diagnostics& diagnostics)
      : text_(text), span_(span), diagnostics_(diagnostics) {}

  bool read(std::vector<ast::UnitFactor>& factors) {
    if (!product(factors, 1, 0)) return false;
    if (at_ < text_.size()) return fail("expected `*`, `/` or `^` here");
    return true;
  }

 private:
  bool product(std::vector<ast::UnitFactor>& out, int sign, int depth) {
    if (depth > kMaxUnitNesting) return fail("too many parentheses");
    if (!factor(out, sign, depth)) return false;
    for (;;) {
      int next = 0;
      if (take('*') || take('.'))
        next = sign;
      else if (take('/'))
        next = -sign;
      else
        return true;
      if (!factor(out, next, depth)) return false;
    }
  }

  bool factor(std::vector<ast::UnitFactor>& out, int sign, int depth) {
    std::size_t first = out.size();
    space();
    std::size_t begin = at_;
    if (take('(')) {
      if (!product(out, sign, depth + 1)) return false;
      if (!take(')')) return fail("expected `)` here");
    } else if (at_ < text_.size() && text_[at_] == '1') {
      ++at_;
    } else {
      while (at_ < text_.size() &&
             std::string_view(" \t\r\n*/^.()-").find(text_[at_]) == std::string_view::npos)
        ++at_;
      if (at_ == begin || (text_[begin] >= '0' && text_[begin] <= '9')) {
        at_ = begin;
        return fail("expected the name of a unit here");
      }
      Span name = at(begin, at_);
      out.push_back({{intern(text_.substr(begin, at_ - begin)), name}, sign});
    }
    if (!take('^')) return true;
    int power_sign = take('-') ? -1 : 1;
    space();
    int power = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), power);
    if (error != std::errc{} || std::abs(power) > kMaxExponent || text_[at_] == '-')
      return fail("expected a whole exponent here");
    at_ = static_cast<std::size_t>(end - text_.data());
    for (std::size_t i = first; i < out.size(); ++i) {
      out[i].exponent *= power_sign * power;
      if (std::abs(out[i].exponent) > kMaxExponent) return fail("this exponent is too large");
    }
    return true;
  }

  void space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(char c) {
    space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    space();
    return true;
  }
  Span at(std::size_t begin, std::size_t end) const {
    return {span_.file, span_.begin + static_cast<std::uint32_t>(begin),
            span_.begin + static_cast<std::uint32_t>(end)};
  }
  bool fail(std::string label) {
    diagnostics_.report(Code::SyntaxError, at(at_, std::min(at_ + 1, text_.size())), "this unit is invalid")
        .label(std::move(label))
        .help("a unit is a product of powers, such as `kg*m^2/s` or `1/s`");
    return false;
  }

  std::string_view text_;
  Span span_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view keep(std::string_view text, Arena& arena) {
  std::vector<char> bytes(text.begin(), text.end());
  std::span<char> kept = arena.copy(bytes);
  return {kept.data(), kept.size()};
}

std::optional<std::int64_t> read_int(std::string_view text, Span span, Diagnostics& diagnostics) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  diagnostics.report(Code::SyntaxError, span, "this number is too large for an Int")
      .label("the largest Int is 9223372036854775807")
      .help("a Real is written with a point or an exponent, such as `1.0e20`");
  return std::nullopt;
}

std::optional<double> read_real(std::string_view text, Span span, Diagnostics& diagnostics) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    value = std::strtod(std::string(text).c_str(), nullptr);  // 0 or infinity
  if (std::isfinite(value)) return value;
  diagnostics.report(Code::SyntaxError, span, "this number is too large for a Real")
      .label("the largest Real is about 1.8e308");
  return std::nullopt;
}

std::optional<std::string_view> read_string(std::string_view text, Span span, Arena& arena,
                                            Diagnostics& diagnostics) {
  text.remove_prefix(1);
  text.remove_suffix(1);
  if (text.find('\\') == std::string_view::npos) return keep(text, arena);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    switch (text[++i]) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'r': out += '\r'; break;
      case '"': out += '"'; break;
      case '\\': out += '\\'; break;
      default: {
        std::uint32_t at = span.begin + static_cast<std::uint32_t>(i);
        std::uint32_t end = at + 2;
        while (end < span.end && (static_cast<unsigned char>(text[end - span.begin - 1]) & 0xC0) == 0x80)
          ++end;
        diagnostics.report(Code::SyntaxError, {span.file, at, end}, "unknown escape sequence")
            .help(
                "the escape sequences are `\\n`, `\\t`, `\\r`, `\\\"` and `\\\\`; a backslash is written "
                "`\\\\`");
        return std::nullopt;
      }
    }
  }
  return keep(out, arena);
}

const ast::Unit* read_unit(std::string_view text, Span span, Arena& arena, Diagnostics& diagnostics) {
  std::vector<ast::UnitFactor> factors;
  if (!UnitReader(text, span, diagnostics).read(factors)) return nullptr;
  return arena.make<ast::Unit>(arena.copy(factors), span);
}

}  // namespace sigrel::syntax
