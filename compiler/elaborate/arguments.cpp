// The arguments of an instance, for `sigrel explain --parameters`: the values that its relation captured.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/elaborate/instantiate.h"

namespace sigrel::elaborate {
namespace {

/// The types of the parameters in a signature: what stands before each `->` that is not inside brackets.
std::vector<std::string_view> parameter_types(std::string_view signature) {
  std::vector<std::string_view> found;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 1 < signature.size(); ++i) {
    char c = signature[i];
    if (signature.substr(i, 2) == "->") {
      if (depth == 0) {
        found.push_back(signature.substr(begin, i - begin));
        begin = i + 2;
      }
      ++i;
    } else if (c == '(' || c == '[' || c == '<' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '>' || c == '}') {
      --depth;
    }
  }
  for (std::string_view& type : found) {
    type.remove_prefix(std::min(type.find_first_not_of(' '), type.size()));
    type = type.substr(0, type.find_last_not_of(' ') + 1);
    if (std::size_t named = type.find(" :: ");
        type.starts_with('(') && named <= type.find_first_of(" ,")) {  // (n :: Int), (k :: Real = 1.0)
      type = type.substr(named + 4, type.size() - named - 5);
      type = type.substr(0, type.find(" = "));
    }
  }
  return found;
}

std::string type_of(const core::Global& global, core::LocalId local) {
  if (!global.body || global.body->kind != core::ExprKind::Lambda) return {};
  std::span<core::LocalId> parameters = static_cast<const core::LambdaExpr*>(global.body)->parameters;
  auto at = std::ranges::find(parameters, local);
  std::vector<std::string_view> types = parameter_types(global.type);
  auto index = static_cast<std::size_t>(at - parameters.begin());
  return at != parameters.end() && index < types.size() ? std::string(types[index]) : std::string();
}

/// A value other than a number; empty for one that no argument can have.
std::string text_of(const Value& v) {
  if (v.tag == Tag::Int) return std::to_string(v.integer);
  if (v.tag == Tag::Bool) return v.integer ? "True" : "False";
  if (v.tag == Tag::String) return fmt::format("\"{}\"", text(Name{v.index}));
  if (v.tag != Tag::Object) return {};
  switch (v.object->kind) {
    case ObjectKind::Relation:
      return fmt::format("{}", text(static_cast<const RelationObject*>(v.object)->relation().relation->name));
    case ObjectKind::Tuple:
    case ObjectKind::Construct:
    case ObjectKind::Record:
    case ObjectKind::Vector:
    case ObjectKind::Closure:
    case ObjectKind::Partial: return kind_of(v);
    case ObjectKind::Layout:
    case ObjectKind::Node:
    case ObjectKind::Member:
    case ObjectKind::Label:
    case ObjectKind::Unbound: return {};
  }
  return {};
}

}  // namespace

void Instantiator::list_arguments(std::uint32_t instance, const RelationObject& relation,
                                  CapturedSet captured, std::span<const double> reals) {
  const RelationCode& code = relation.relation();
  std::string prefix = system::instance_name(system_, instance);
  if (!prefix.empty()) prefix += '.';
  auto add = [&](std::string name, std::string value, std::string type, std::uint32_t parameter) {
    arguments_.push_back(
        {prefix + std::move(name), std::move(value), std::move(type), code.relation->span, true});
    argument_parameters_.push_back(parameter);
  };
  std::vector<std::string> names = relations_.real_names(relation);
  auto is_part = [](const std::string& whole, const std::string& part) {
    return part.starts_with(whole) &&
           (part.size() == whole.size() || part[whole.size()] == '.' || part[whole.size()] == '[');
  };
  std::size_t real = 0;
  for (std::uint32_t i = 0; i < code.captured.size(); ++i) {
    const std::string name(text(code.global->local_names[code.captured[i].value]));
    const std::string type = type_of(*code.global, code.captured[i]);
    // The Reals inside come in the order of the captures.
    const std::size_t before = real;
    for (; real < names.size() && is_part(name, names[real]); ++real)
      add(names[real], fmt::format("{:.10g}", reals[real]), names[real] == name ? type : "",
          captured_real(captured, real));
    if (std::string value = text_of(relation.items[i]); real == before && !value.empty())
      add(name, value, type, kNone);
  }
}

}  // namespace sigrel::elaborate
