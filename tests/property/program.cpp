#include "tests/property/program.h"

#include <array>

namespace property {
namespace {

enum class Type { Real, Int, Bool, Reals };

struct Variable {
  std::string name;
  Type type;
};
using Scope = std::vector<Variable>;

class Writer {
 public:
  Writer(Choices& choices, std::vector<std::string>& comments) : choices_(choices), comments_(comments) {}

  std::string module() {
    if (chance(3)) line(0, "import Electrical");
    for (std::uint32_t k = below(4); k > 0; --k) chance(2) ? constant() : function();
    for (std::uint32_t k = 1 + below(3); k > 0; --k) relation();
    model();
    return text_;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return choices_.below(n); }
  bool chance(std::uint32_t one_in) { return below(one_in) == one_in - 1; }

  /// One line of a block; comments and blank lines around it.
  void line(int indent, const std::string& text) {
    const std::string pad(static_cast<std::size_t>(indent), ' ');
    if (chance(12)) text_ += "\n";
    if (chance(10)) text_ += pad + comment() + "\n";
    text_ += pad + text;
    if (chance(10)) text_ += std::string(1 + below(3), ' ') + comment();
    text_ += "\n";
  }
  std::string comment() {
    comments_.push_back("-- remark " + std::to_string(comments_.size()));
    return comments_.back();
  }

  std::string fresh(const char* stem) { return stem + std::to_string(names_++); }

  std::string real_literal() {
    static constexpr std::array kWords = {"1.0", "0.5", "2.0", "1.0e-3", "3.25"};
    return kWords[below(kWords.size())];
  }

  std::string leaf(Type type, const Scope& scope) {
    std::vector<std::string> known;
    for (const Variable& v : scope)
      if (v.type == type) known.push_back(v.name);
    if (!known.empty() && !chance(4)) return known[below(static_cast<std::uint32_t>(known.size()))];
    switch (type) {
      case Type::Real: return real_literal();
      case Type::Int: return std::to_string(below(5));
      case Type::Bool: return below(2) ? "False" : "True";
      case Type::Reals: return "[" + real_literal() + ", " + real_literal() + "]";
    }
    return "";
  }

  /// Something that can be an operand or an argument. `scope` may hold signals; `constants` is what of it is
  /// known before the simulation.
  std::string in(Type type, const Scope& scope, int depth) {
    const std::string text = expression(type, scope, depth);
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  }

  std::string expression(Type type, const Scope& scope, int depth) {
    if (depth <= 0) return leaf(type, scope);
    auto e = [&](Type t) { return in(t, scope, depth - 1); };
    auto binary = [&](Type t, const char* op) {
      const std::string a = e(t);
      return a + (chance(8) ? "  " : " ") + op + " " + e(t);
    };
    const std::uint32_t kind = below(12);
    if (kind < 3) return leaf(type, scope);
    if (kind == 3) {
      const std::string condition = e(Type::Bool), yes = e(type);
      return "if " + condition + " then " + yes + " else " + e(type);
    }
    if (kind == 4) {
      const std::string name = fresh("v"), value = e(Type::Real);
      Scope inner = scope;
      inner.push_back({name, Type::Real});
      return "let " + name + " = " + value + " in " + in(type, inner, depth - 1);
    }
    switch (type) {
      case Type::Real:
        switch (kind) {
          case 5: return binary(type, "+");
          case 6: return binary(type, "-");
          case 7: return binary(type, "*");
          case 8: return "sin " + e(type);
          case 9: return "real " + in(Type::Int, static_scope(scope), depth - 1);
          case 10: return call(scope, depth);
          default: return "sum " + in(Type::Reals, static_scope(scope), depth - 1);
        }
      case Type::Int: {
        const Scope known = static_scope(scope);
        auto i = [&](Type t) { return in(t, known, depth - 1); };
        switch (kind) {
          case 5:
          case 6: {
            const std::string a = i(type);
            return a + " + " + i(type);
          }
          case 7:
          case 8: {
            const std::string a = i(type);
            return a + " * " + i(type);
          }
          case 9: return "length " + i(Type::Reals);
          case 10: {
            const std::string subject = i(type), zero = i(type);
            return "case " + subject + " of { 0 -> " + zero + "; _ -> " + i(type) + " }";
          }
          default: return "abs " + i(type);
        }
      }
      case Type::Bool:
        switch (kind) {
          case 5:
          case 6: return binary(Type::Real, "<");
          case 7: return binary(Type::Bool, "&&");
          case 8: return binary(Type::Bool, "||");
          case 9: return binary(Type::Real, ">=");
          default: {
            const std::string a = in(Type::Int, static_scope(scope), depth - 1);
            return a + " == " + in(Type::Int, static_scope(scope), depth - 1);
          }
        }
      case Type::Reals: {
        const Scope known = static_scope(scope);
        auto r = [&](Type t) { return in(t, known, depth - 1); };
        switch (kind) {
          case 5:
          case 6: {
            const std::string a = expression(Type::Real, known, depth - 1);
            return "[" + a + ", " + expression(Type::Real, known, depth - 1) + "]";
          }
          case 7: {
            const std::string a = r(type);
            return a + " ++ " + r(type);
          }
          case 8: {
            const std::string a = r(Type::Real);
            return a + " : " + r(type);
          }
          case 9: {
            const std::string name = fresh("i");
            Scope inner = known;
            inner.push_back({name, Type::Int});
            const std::string body = expression(Type::Real, inner, depth - 1);
            return "[" + body + " for " + name + " in 1 .. " + r(Type::Int) + "]";
          }
          default: {
            const std::string name = fresh("x");
            Scope inner = known;
            inner.push_back({name, Type::Real});
            const std::string body = expression(Type::Real, inner, depth - 1);
            return "map (\\" + name + " -> " + body + ") " + r(type);
          }
        }
      }
    }
    return leaf(type, scope);
  }

  /// What of a scope is known before the simulation: signals have names of their own.
  static Scope static_scope(const Scope& scope) {
    Scope known;
    for (const Variable& v : scope)
      if (v.name[0] != 's' && v.name[0] != 'd' && v.name[0] != 'v') known.push_back(v);
    return known;
  }

  std::string call(const Scope& scope, int depth) {
    if (functions_.empty()) return leaf(Type::Real, scope);
    const std::string& name = functions_[below(static_cast<std::uint32_t>(functions_.size()))];
    const std::string a = in(Type::Real, scope, depth - 1);
    return name + " " + a + " " + in(Type::Int, static_scope(scope), depth - 1);
  }

  void constant() {
    const std::string name = fresh("k");
    if (!chance(3)) line(0, name + " :: Real");
    line(0, name + " = " + expression(Type::Real, globals_, 2));
    globals_.push_back({name, Type::Real});
  }

  void function() {
    const std::string name = fresh("f");
    line(0, name + " :: Real -> Int -> Real");
    Scope scope = globals_;
    scope.push_back({"x", Type::Real});
    if (chance(2)) line(0, name + " x 0 = " + expression(Type::Real, scope, 2));
    scope.push_back({"n", Type::Int});
    line(0, name + " x n = " + expression(Type::Real, scope, 3));
    functions_.push_back(name);
  }

  void equation(int indent, const Scope& signals) {
    const std::string left = chance(3) ? "der s0" : in(Type::Real, signals, 1);
    line(indent, left + " = " + expression(Type::Real, signals, 3));
  }

  std::string apply_relation(const Scope& scope, const char* arguments) {
    const std::string& name = relations_[below(static_cast<std::uint32_t>(relations_.size()))];
    const Scope known = static_scope(scope);
    const std::string a = in(Type::Real, known, 1);
    const std::string label = chance(2) ? fresh("part") + ": " : "";
    return label + name + " " + a + " " + in(Type::Int, known, 1) + " <> " + arguments;
  }

  void item(int indent, const Scope& scope) {
    const Scope known = static_scope(scope);
    if (indent > 6) return equation(indent, scope);
    switch (below(9)) {
      case 3:
        line(indent, "if " + expression(Type::Bool, known, 2) + " then");
        item(indent + 2, scope);
        line(indent, "else");
        return item(indent + 2, scope);
      case 4: {
        const std::string i = fresh("i");
        Scope inner = scope;
        inner.push_back({i, Type::Int});
        line(indent, "for " + i + " in 1 .. " + in(Type::Int, known, 1) + " do");
        return item(indent + 2, inner);
      }
      case 5:
        if (relations_.empty()) return equation(indent, scope);
        return line(indent, apply_relation(scope, "(s0, s1)"));
      case 6: return line(indent, "assert \"within bounds\" (" + expression(Type::Bool, scope, 2) + ")");
      case 7:
        line(indent, "when " + expression(Type::Bool, scope, 2) + " do");
        return line(indent + 2, "d0 := " + expression(Type::Real, scope, 2));
      default: return equation(indent, scope);
    }
  }

  void relation() {
    const std::string name = fresh("r");
    line(0, name + " :: Real -> Int -> SR (s0 :: Real, s1 :: Real)");
    line(0, name + " a n = sigrel (s0, s1) where");
    Scope scope = globals_;
    for (const char* signal : {"s0", "s1", "s2"}) scope.push_back({signal, Type::Real});
    scope.push_back({"d0", Type::Real});
    scope.push_back({"a", Type::Real});
    scope.push_back({"n", Type::Int});
    line(2, "local s2 :: Real");
    line(2, "discrete d0 :: Real = 0.5");
    for (std::uint32_t k = 1 + below(4); k > 0; --k) item(2, scope);
    if (chance(2)) {
      line(2, "initially");
      line(4, "s0 = " + real_literal());
    }
    relations_.push_back(name);
  }

  void model() {
    line(0, "model :: SR ()");
    line(0, "model = sigrel () where");
    for (std::uint32_t k = 1 + below(2); k > 0; --k) line(2, apply_relation(globals_, "(s0, s1)"));
    line(0, "main = simulate model with { stop = 1.0 }");
  }

  Choices& choices_;
  std::vector<std::string>& comments_;
  std::string text_;
  Scope globals_;
  std::vector<std::string> functions_, relations_;
  std::uint32_t names_ = 0;
};

}  // namespace

std::string program(Choices& choices, std::vector<std::string>& comments) {
  return Writer(choices, comments).module();
}

}  // namespace property
