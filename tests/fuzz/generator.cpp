#include "tests/fuzz/generator.h"

#include <array>

namespace sigrel::fuzz {
namespace {

enum class T { Int, Real, Bool, String, Ints, Reals, Pair, Function, Signal, kCount };

class Generator {
 public:
  explicit Generator(Random& random) : random_(random) {}

  std::size_t below(std::size_t n) { return random_() / 7 % n; }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <std::size_t n>
  std::string one(const std::array<const char*, n>& words) {
    return words[below(n)];
  }
  T any_type() { return static_cast<T>(below(static_cast<std::size_t>(T::kCount))); }

  std::string name() {
    return one<18>(
        {"x", "y", "z", "a", "b", "n", "f", "g", "k", "xs", "p", "q", "u", "m", "part", "r1", "c1", "ω'"});
  }
  std::string upper() {
    return one<10>({"Pin", "Tree", "Leaf", "Node", "Data", "Maybe", "Just", "Nothing", "Pair", "Voltage"});
  }
  std::string unit() {
    return one<10>({"V", "A", "m/s", "kg*m^2/s", "1", "Ohm", "u", "km/h", "u^2/v", "s^-1"});
  }
  std::string literal() {
    return one<16>({"0", "1", "2", "3.5", "1e-3", "0.0", "9.81<m/s^2>", "20.0<degC>", "100<km/h>", "1.0<V>",
                    "\"s\"", "9223372036854775807", "1e308", "True", "()", "[]"});
  }

  std::string expression(T type, int depth) {
    if (chance(6)) type = any_type();  // a mistake now and then
    if (depth <= 0 || chance(15)) return leaf(type);
    --depth;
    auto e = [&](T t) { return expression(t, depth); };
    auto in = [&](T t) { return "(" + e(t) + ")"; };
    switch (below(11)) {
      case 0: return "if " + e(T::Bool) + " then " + e(type) + " else " + e(type);
      case 1: return "let " + name() + " = " + e(any_type()) + " in " + e(type);
      case 2: {
        T other = any_type();
        return "(case " + e(other) + " of { " + pattern(2) + " -> " + e(type) + "; " + pattern(1) + " -> " +
               e(type) + "; _ -> " + e(type) + " })";
      }
      case 3: return "(\\" + pattern(0) + " -> " + e(type) + ") " + in(any_type());
      case 4: return "(" + e(type) + ")";
      default: break;
    }
    switch (type) {
      case T::Int:
        return one<8>({"length ", "size ", "div 7 ", "mod 9 ", "abs ", "- ", "round ", "sum "}) +
               in(chance(60) ? T::Int : any_type());
      case T::Real:
      case T::Signal:
        switch (below(9)) {
          case 0:
            return in(type) + one<5>({" + ", " * ", " - ", " / ", "^"}) + in(chance(80) ? type : T::Int);
          case 1:
            return one<14>({"sin ", "sqrt ", "exp ", "real ", "abs ", "sum ", "der ", "pre ", "noEvent ",
                            "smooth 1 ", "delay x ", "fst ", "norm ", "- "}) +
                   in(type);
          case 2: return name() + "." + name();
          case 3: return name() + "[" + e(T::Int) + "]";
          case 4: return name() + "[" + e(T::Int) + " .. " + e(T::Int) + "]";
          case 5: return in(type) + " as <" + unit() + ">";
          case 6:
            return name() + " " + in(any_type()) + " <> " + "(" + e(T::Signal) + ", " + e(T::Signal) + ")";
          case 7: return "[" + e(T::Real) + ", " + e(T::Real) + "] * " + in(T::Real);
          default: return "time * " + in(type);
        }
      case T::Bool: {
        T t = any_type();
        return chance(30) ? in(T::Bool) + one<2>({" && ", " || "}) + in(T::Bool)
                          : in(t) + one<6>({" == ", " /= ", " < ", " <= ", " > ", " >= "}) + in(t);
      }
      case T::String: return chance(50) ? "show " + in(any_type()) : in(T::String) + " ++ " + in(T::String);
      case T::Ints:
      case T::Reals: {
        T element = type == T::Ints ? T::Int : T::Real;
        switch (below(6)) {
          case 0: return "[" + e(element) + ", " + e(element) + "]";
          case 1:
            return "[" + e(element) + " for " + pattern(0) + " in " + e(type) + ", " + name() + " in 1 .. " +
                   e(T::Int) + "]";
          case 2: return in(element) + " : " + in(type);
          case 3: return in(type) + " ++ " + in(type);
          case 4: return "map " + in(T::Function) + " " + in(type);
          default: return "[" + e(T::Int) + " .. " + e(T::Int) + "]";
        }
      }
      case T::Pair:
        return chance(70) ? "(" + e(T::Int) + ", " + e(T::Real) + ")"
                          : "zip " + in(T::Ints) + " " + in(T::Reals);
      default:
        switch (below(6)) {
          case 0: return "\\" + pattern(0) + " " + pattern(0) + " -> " + e(T::Int);
          case 1: return one<5>({"(+ ", "(2 * ", "(`div` ", "(++ ", "(: "}) + e(T::Int) + ")";
          case 2: return "(" + e(T::Int) + one<4>({" +", " `f`", " ==", " :"}) + ")";
          case 3: return "compose " + in(T::Function) + " " + in(T::Function);
          case 4: return upper() + " { " + name() + " = " + e(any_type()) + " }";
          default: return "(" + e(T::Function) + ") with { " + name() + " = " + e(any_type()) + " }";
        }
    }
  }

  std::string leaf(T type) {
    if (chance(45)) return name();
    switch (type) {
      case T::Int: return one<6>({"0", "1", "2", "3", "n", "length xs"});
      case T::Real: return one<7>({"0.0", "1.0", "2.5", "pi", "x", "1.0<V>", "9.81<m/s^2>"});
      case T::Signal: return one<7>({"x", "y", "der x", "time", "p.v", "r1.u", "0.0"});
      case T::Bool: return one<4>({"True", "False", "x < y", "n == 1"});
      case T::String: return "\"s\"";
      case T::Ints: return one<3>({"[]", "[1, 2]", "[1 .. 3]"});
      case T::Reals: return one<3>({"[]", "[1.0, 2.0]", "xs"});
      case T::Pair: return "(1, 2.0)";
      default: return one<8>({"f", "id", "map", "(+)", "sin", "Just", "Node", "resistor"});
    }
  }

  std::string pattern(int depth) {
    switch (depth <= 0 ? below(3) : below(9)) {
      case 0: return name();
      case 1: return "_";
      case 2: return depth <= 0 ? "(" + name() + ", " + name() + ")" : "-1";
      case 3: return "(" + pattern(depth - 1) + ", " + pattern(depth - 1) + ")";
      case 4: return "(" + pattern(depth - 1) + " : " + pattern(depth - 1) + ")";
      case 5: return "[" + pattern(depth - 1) + "]";
      case 6: return "(" + upper() + " " + pattern(depth - 1) + ")";
      case 7: return "(" + name() + " :: " + type(1) + ")";
      default: return literal();
    }
  }

  std::string type(int depth) {
    switch (depth <= 0 ? below(6) : below(14)) {
      case 0: return "Int";
      case 1: return "Real";
      case 2: return "Real<" + unit() + ">";
      case 3: return "a";
      case 4: return one<5>({"Pin", "Voltage", "Bool", "String", "()"});
      case 5: return upper();
      case 6: return "[" + type(depth - 1) + "]";
      case 7: return "(" + type(depth - 1) + ", " + type(depth - 1) + ")";
      case 8: return "(" + type(depth - 1) + " -> " + type(depth - 1) + ")";
      case 9: return "(n :: Int) -> " + type(depth - 1);
      case 10:
        return one<3>({"Pin", "Real", "Voltage"}) + "^" +
               one<5>({"n", "3", "(n + 1)", "(m, n)", "(2 * n - 1)"});
      case 11:
        return "SR " +
               one<6>({"a", "()", "(Pin, Pin)", "(p :: Pin, n :: Pin)", "(in u :: Real, out y :: Real)",
                       "(Real^n)"}) +
               (chance(20) ? one<4>({" {1 0; 1 1}", " {p.v n.v; p.i}", " {#2}", " like resistor"}) : "");
      case 12: return upper() + " " + type(0);
      default: return type(depth - 1) + " -> " + type(depth - 1);
    }
  }

  std::string item(int indent) {
    const std::string pad(static_cast<std::size_t>(indent), ' ');
    auto e = [&](T t) { return expression(t, 2); };
    auto block = [&] {
      std::string text;
      for (std::size_t k = 1 + below(3); k-- > 0;) text += "\n" + item(indent + 2);
      return text;
    };
    auto wires = [&] { return "(" + name() + ", " + (chance(80) ? name() : e(T::Signal)) + ")"; };
    if (indent > 8) return pad + name() + " = " + e(T::Signal);
    switch (below(22)) {
      case 0:
      case 1:
      case 2: return pad + e(T::Signal) + " = " + e(T::Signal);
      case 3: return pad + "resistor " + "(" + e(T::Real) + ") <> " + wires();
      case 4: return pad + name() + ": " + e(T::Function) + " <> " + wires();
      case 5:
        return pad + one<3>({"r1", "c1", "part"}) + ": capacitor " + leaf(T::Real) +
               (chance(70) ? " <> " + wires() : "");
      case 6: return pad + "connect " + name() + ".p " + name() + " " + name();
      case 7:
      case 8:
        return pad + "local " + name() + ", " + name() + " :: " + type(1) +
               (chance(30) ? " with { guess = " + e(T::Real) + ", state = Prefer }" : "");
      case 9: return pad + "discrete " + name() + " :: " + type(0) + " = " + e(T::Int);
      case 10: return pad + "let " + name() + " = " + e(any_type());
      case 11: return pad + "for " + name() + " in " + e(T::Int) + " .. " + e(T::Int) + " do" + block();
      case 12: return pad + "if " + e(T::Bool) + " then" + block() + "\n" + pad + "else" + block();
      case 13: return pad + "initially" + block();
      case 14: return pad + "guess " + name() + " = " + e(T::Real);
      case 15: return pad + "when " + e(T::Bool) + " do\n" + pad + "  " + name() + " := " + e(T::Signal);
      case 16:
        return pad + "every " + e(T::Real) + " do\n" + pad + "  " + name() + " := pre " + name() + " + 1";
      case 17:
        return pad + "switch A" + (chance(50) ? " " + leaf(T::Real) : "") + " where\n" + pad + "  mode A " +
               name() + " where\n" + item(indent + 4) + "\n" + pad + "    until " + e(T::Bool) + " -> B\n" +
               pad + "  mode B where\n" + item(indent + 4);
      case 18: return pad + "assert \"a\" (" + e(T::Bool) + ")";
      case 19: return pad + "terminate when " + e(T::Bool);
      case 20: return pad + "y = " + name() + " <> (" + e(T::Signal) + ")";
      default: return pad + name() + " <> " + wires();
    }
  }

  std::string relation() {
    std::string text =
        "sigrel (" + one<6>({"", "p, n", "x, y", "p :: Pin, n", "in u, out y", "t"}) + ") where";
    for (std::size_t k = 1 + below(5); k-- > 0;) text += "\n" + item(2);
    return text;
  }

  std::string declaration() {
    switch (below(12)) {
      case 0: return "type " + upper() + (chance(30) ? " a" : "") + " = " + type(2);
      case 1:
        return "record " + upper() + " = { " + (chance(30) ? "flow " : "") + name() + " :: " + type(1) +
               ", " + name() + " :: " + type(1) + (chance(30) ? " = " + literal() : "") + " }";
      case 2:
        return "data " + upper() + " a = " + upper() + " | " + upper() + " " + type(0) + " (" + type(1) + ")";
      case 3: return "foreign import \"gamma\" " + name() + " :: " + type(2);
      case 4:
        return one<5>({"import Electrical", "import Electrical (Pin, resistor)", "import Electrical as E",
                       "import Electrical hiding (ground)", "import Prelude (map)"});
      case 5: {
        std::string f = name();
        return f + " :: " + type(2) + "\n" + f + " " + pattern(0) + " = " + expression(any_type(), 3);
      }
      case 6: {
        std::string f = name();
        return f + " 0 = " + expression(T::Int, 2) + "\n" + f + " " + name() + " = " + f + " (" + name() +
               " - 1)";
      }
      case 7:
      case 8: return name() + " " + pattern(0) + " " + pattern(1) + " = " + expression(any_type(), 4);
      default: return name() + (chance(60) ? " " + name() : "") + " = " + relation();
    }
  }

 private:
  Random& random_;
};

/// The pieces of a text: a line with the lines below it that are indented deeper.
struct Piece {
  std::size_t begin, end, indent;
};
std::vector<Piece> pieces(const std::string& text) {
  struct Line {
    std::size_t begin, end, indent;
  };
  std::vector<Line> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::size_t first = std::min(text.find_first_not_of(' ', at), end);
    lines.push_back({at, end, first - at});
    at = end;
  }
  std::vector<Piece> found;
  for (std::size_t k = 0; k < lines.size() && k < 400; ++k) {
    std::size_t last = k + 1;
    while (last < lines.size() && lines[last].indent > lines[k].indent) ++last;
    found.push_back({lines[k].begin, lines[last - 1].end, lines[k].indent});
  }
  return found;
}

/// Begin and end of the tokens, roughly.
std::vector<std::pair<std::size_t, std::size_t>> rough_tokens(const std::string& text) {
  auto word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '\'' || c >= 0x80; };
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == ' ' || text[at] == '\n') {
      at = end;
      continue;
    }
    if (word(static_cast<unsigned char>(text[at])))
      while (end < text.size() && word(static_cast<unsigned char>(text[end]))) ++end;
    found.emplace_back(at, end);
    at = end;
  }
  return found;
}

std::string reindented(std::string_view piece, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t at = 0; at < piece.size();) {
    std::size_t end = std::min(piece.find('\n', at), piece.size() - 1) + 1;
    std::string_view line = piece.substr(at, end - at);
    line.remove_prefix(std::min(from, std::min(line.find_first_not_of(' '), line.size())));
    text += std::string(to, ' ') + std::string(line);
    at = end;
  }
  if (text.empty() || text.back() != '\n') text += '\n';
  return text;
}

std::string changed(const std::string& text, const std::string& other, Random& random) {
  Generator g(random);
  std::vector<Piece> own = pieces(text), others = pieces(other);
  std::vector<std::pair<std::size_t, std::size_t>> tokens = rough_tokens(text);
  if (own.empty() || tokens.empty()) return generate_module(random);
  const Piece here = own[g.below(own.size())];
  const auto token = tokens[g.below(tokens.size())];
  auto token_text = [&](std::pair<std::size_t, std::size_t> t) {
    return text.substr(t.first, t.second - t.first);
  };
  std::string result = text;
  switch (g.below(14)) {
    case 0: return result.erase(here.begin, here.end - here.begin);
    case 1: return result.insert(here.begin, text.substr(here.begin, here.end - here.begin));
    case 2:
    case 3: {  // a piece of the other text
      if (others.empty()) break;
      const Piece there = others[g.below(others.size())];
      std::string piece = reindented(std::string_view(other).substr(there.begin, there.end - there.begin),
                                     there.indent, here.indent);
      return g.chance(50) ? result.insert(here.begin, piece)
                          : result.replace(here.begin, here.end - here.begin, piece);
    }
    case 4:
      return result.insert(
          here.begin, (here.indent == 0 ? g.declaration() : g.item(static_cast<int>(here.indent))) + "\n");
    case 5: {  // exchange two pieces
      const Piece there = own[g.below(own.size())];
      if (there.begin < here.end && here.begin < there.end) break;
      const Piece &first = here.begin < there.begin ? here : there,
                  &second = here.begin < there.begin ? there : here;
      return text.substr(0, first.begin) + text.substr(second.begin, second.end - second.begin) +
             text.substr(first.end, second.begin - first.end) +
             text.substr(first.begin, first.end - first.begin) + text.substr(second.end);
    }
    case 6: return result.erase(token.first, token.second - token.first);
    case 7:
      return result.insert(token.first, g.chance(50) ? generate_token(random) + " "
                                                     : token_text(tokens[g.below(tokens.size())]) + " ");
    case 8:
      return result.replace(token.first, token.second - token.first,
                            token_text(tokens[g.below(tokens.size())]));
    case 9: return result.replace(token.first, token.second - token.first, generate_token(random));
    case 10:
      return result.replace(token.first, token.second - token.first,
                            "(" + g.expression(g.any_type(), 2) + ")");
    case 11: return result.replace(token.first, token.second - token.first, g.type(2));
    case 12: return result.insert(here.begin + here.indent, std::string(g.below(4), ' '));
    default: return g.declaration() + "\n" + text;
  }
  return g.declaration() + "\n" + text;
}

}  // namespace

std::string generate_module(Random& random) {
  Generator g(random);
  std::string text = g.chance(60) ? "import Electrical\n" : "";
  for (std::size_t k = 1 + g.below(7); k-- > 0;) text += g.declaration() + "\n";
  return text;
}
std::string generate_declaration(Random& random) { return Generator(random).declaration(); }
std::string generate_item(Random& random, int indent) { return Generator(random).item(indent); }
std::string generate_expression(Random& random) {
  Generator g(random);
  return g.expression(g.any_type(), 3);
}
std::string generate_token(Random& random) {
  Generator g(random);
  switch (g.below(4)) {
    case 0: return g.name();
    case 1: return g.upper();
    case 2: return g.literal();
    default:
      return g.one<48>(
          {"module",  "import",    "type",  "record", "data", "flow", "SR",     "sigrel", "where", "let",
           "in",      "out",       "if",    "then",   "else", "case", "of",     "as",     "with",  "local",
           "connect", "initially", "guess", "for",    "do",   "when", "switch", "mode",   "until", "<>",
           "->",      "::",        ":=",    ":",      "=",    "==",   "+",      "-",      "^",     "..",
           ".",       ",",         ";",     "(",      ")",    "[",    "]",      "{"});
  }
}

std::string change_values(const std::string& text, Random& random) {
  Generator g(random);
  std::string result = text;
  for (std::size_t k = 1 + g.below(3); k-- > 0;) {
    const auto tokens = rough_tokens(result);
    std::vector<std::pair<std::size_t, std::size_t>> alike;
    if (tokens.empty()) return result;
    auto kind = [&](std::pair<std::size_t, std::size_t> token) {
      const auto c = static_cast<unsigned char>(result[token.first]);
      return std::isdigit(c)                                                       ? 0
             : std::isalpha(c)                                                     ? 1
             : std::string_view("+-*/<>=").find(char(c)) != std::string_view::npos ? 2
                                                                                   : 3;
    };
    const auto token = tokens[g.below(tokens.size())];
    if (kind(token) == 3) continue;
    for (const auto& t : tokens)
      if (kind(t) == kind(token)) alike.push_back(t);
    const auto other = alike[g.below(alike.size())];
    const std::string other_text = result.substr(other.first, other.second - other.first);
    result.replace(token.first, token.second - token.first,
                   kind(token) == 0 && g.chance(70)
                       ? g.one<16>({"0", "1", "2", "3", "5", "7", "10", "40", "100", "1000", "1e-9", "1e9",
                                    "1e-300", "1e300", "9007199254740993", "9223372036854775807"})
                       : other_text);
  }
  return result;
}

std::string mutate(const std::string& text, const std::string& other, Random& random) {
  std::string result = text;
  for (std::size_t k = 1 + random() / 7 % 4; k-- > 0;) result = changed(result, other, random);
  return result;
}

}  // namespace sigrel::fuzz
