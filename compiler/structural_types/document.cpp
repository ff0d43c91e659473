#include "compiler/structural_types/document.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "compiler/structural_types/definition.h"
#include "compiler/structural_types/family.h"

namespace sigrel::structural_types {
namespace {

using nlohmann::ordered_json;
using Numbers = std::map<std::string, std::uint32_t, std::less<>>;

constexpr int kDepth = 32;               // of nested lists; the format needs 7
constexpr std::size_t kBases = 100'000;  // of one definition

/// What is wrong with one definition.
struct Flaw {
  std::string message, help;
};

const ordered_json* find(const ordered_json& object, const char* key) {
  auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

/// One definition from JSON.
class Reader {
 public:
  Reader(const Numbers& relations, std::span<const Definition> library)
      : relations_(relations), library_(library) {}

  std::optional<Definition> read(const ordered_json& j) {
    std::uint32_t interface = names(j, "interface"), locals = names(j, "locals");
    if (!j.contains("interface")) fail("it has no `interface`");
    Definition definition(interface, locals);
    for (const ordered_json& equation : list(j, "equations"))
      if (std::vector<std::uint32_t> v = variables(equation, "an equation"); !flaw) definition.equation(v);
    for (const ordered_json& application : list(j, "applications"))
      if (!flaw) read_application(application, definition);
    if (flaw) return std::nullopt;
    return definition;
  }

  std::optional<Flaw> flaw;     // the first one
  bool applies_flawed = false;  // the relation has a flaw, which is reported already

 private:
  void fail(std::string message, std::string help = {}) {
    if (!flaw) flaw = {std::move(message), std::move(help)};
  }
  const ordered_json& list(const ordered_json& j, const char* key) {
    static const ordered_json empty = ordered_json::array();
    const ordered_json* found = find(j, key);
    if (found && !found->is_array()) fail(fmt::format("its `{}` is not a list", key));
    return found && found->is_array() ? *found : empty;
  }
  /// Numbers the variables of a list; returns how many.
  std::uint32_t names(const ordered_json& j, const char* key) {
    std::uint32_t count = 0;
    for (const ordered_json& name : list(j, key)) {
      if (!name.is_string())
        fail(fmt::format("`{}` of its `{}` is not the name of a variable", name.dump(), key));
      else if (!numbers_.emplace(name.get<std::string>(), static_cast<std::uint32_t>(numbers_.size())).second)
        fail(fmt::format("it has two variables `{}`", name.get<std::string>()));
      ++count;
    }
    return count;
  }
  std::uint32_t variable(const ordered_json& name) {
    if (!name.is_string()) {
      fail(fmt::format("`{}` is not the name of a variable", name.dump()));
      return 0;
    }
    auto it = numbers_.find(name.get_ref<const std::string&>());
    if (it != numbers_.end()) return it->second;
    std::vector<std::string_view> candidates;
    for (const auto& [candidate, number] : numbers_) candidates.push_back(candidate);
    auto near = did_you_mean(name.get_ref<const std::string&>(), candidates);
    fail(fmt::format("`{}` is neither in its interface nor a local", name.get<std::string>()),
         near ? fmt::format("did you mean `{}`?", *near) : "");
    return 0;
  }
  std::vector<std::uint32_t> variables(const ordered_json& names, const char* what) {
    std::vector<std::uint32_t> result;
    if (!names.is_array())
      fail(fmt::format("{} is not a list of variables", what));
    else
      for (const ordered_json& name : names) result.push_back(variable(name));
    return result;
  }
  void read_application(const ordered_json& j, Definition& definition) {
    const ordered_json* relation = j.is_object() ? find(j, "relation") : nullptr;
    if (!relation || !relation->is_string()) return fail("an application has no `relation`");
    const std::string& name = relation->get_ref<const std::string&>();
    auto it = relations_.find(name);
    if (it == relations_.end())
      return fail(fmt::format("it applies `{}`, which is no earlier definition of its hierarchy", name));
    if (it->second == graph::kNone) {
      applies_flawed = true;
      return fail("");
    }
    const ordered_json& arguments = list(j, "arguments");
    std::uint32_t wanted = library_[it->second].interface();
    if (!flaw && arguments.size() != wanted)
      return fail(fmt::format("it applies `{}` to {} argument{}, its interface has {}", name,
                              arguments.size(), arguments.size() == 1 ? "" : "s", wanted));
    definition.application(it->second);
    for (const ordered_json& argument : arguments)
      if (argument.is_array())
        definition.expression(variables(argument, "an argument"));
      else
        definition.variable(variable(argument));
  }

  const Numbers& relations_;
  std::span<const Definition> library_;
  Numbers numbers_;
};

class Document {
 public:
  Document(FileId file, const SourceMap& sources, Diagnostics& diagnostics)
      : file_(file), source_(sources.file(file)), diagnostics_(diagnostics) {}

  std::optional<std::string> complete() {
    if (!parse()) return std::nullopt;
    ordered_json* hierarchies =
        root_.is_object() && root_.contains("hierarchies") ? &root_["hierarchies"] : nullptr;
    if (!hierarchies || !hierarchies->is_array()) {
      report("there is no list `hierarchies` in `" + source_.path + "`");
      return std::nullopt;
    }
    for (std::size_t h = 0; h < hierarchies->size(); ++h) hierarchy((*hierarchies)[h], h + 1);
    if (failed_) return std::nullopt;
    return root_.dump();
  }

 private:
  Diagnostic& report(std::string message) {
    failed_ = true;
    return diagnostics_.report(Code::StructureDocument, std::move(message));
  }

  bool parse() {
    bool too_deep = false;
    try {
      root_ = ordered_json::parse(source_.text, [&](int depth, ordered_json::parse_event_t, ordered_json&) {
        too_deep |= depth > kDepth;
        return depth <= kDepth;
      });
    } catch (const ordered_json::parse_error& error) {
      auto size = static_cast<std::uint32_t>(source_.text.size());
      auto at = std::min(size, static_cast<std::uint32_t>(error.byte > 0 ? error.byte - 1 : 0));
      failed_ = true;
      diagnostics_
          .report(Code::StructureDocument, {file_, at, std::min(at + 1, size)}, "the file is not JSON")
          .label(at == size ? "it ends here" : "unexpected here");
      return false;
    }
    if (too_deep) report(fmt::format("lists are nested more than {} deep in `{}`", kDepth, source_.path));
    return !too_deep;
  }

  void hierarchy(ordered_json& definitions, std::size_t number) {
    if (!definitions.is_array()) {
      report(fmt::format("hierarchy {} of `{}` is not a list of definitions", number, source_.path));
      return;
    }
    Numbers relations;  // kNone: with a flaw
    std::vector<Definition> library;
    std::vector<ordered_json*> places;
    std::vector<std::string> names;
    for (ordered_json& j : definitions) {
      const ordered_json* name = j.is_object() ? find(j, "name") : nullptr;
      if (!name || !name->is_string()) {
        report(fmt::format("definition {} of hierarchy {} of `{}` has no `name`", places.size() + 1, number,
                           source_.path));
        return;
      }
      std::string text = name->get<std::string>();
      Reader reader(relations, library);
      std::optional<Definition> definition = reader.read(j);
      if (!relations.emplace(text, definition ? static_cast<std::uint32_t>(library.size()) : graph::kNone)
               .second &&
          !reader.flaw)
        reader.flaw = Flaw{"the hierarchy has another definition of that name", {}};
      if (reader.flaw && !reader.applies_flawed) {
        Diagnostic& d = report(fmt::format("definition `{}`: {}", text, reader.flaw->message));
        if (!reader.flaw->help.empty()) d.help(reader.flaw->help);
        d.note(fmt::format("it is in hierarchy {} of `{}`", number, source_.path));
      }
      if (!definition) continue;
      library.push_back(std::move(*definition));
      places.push_back(&j);
      names.push_back(std::move(text));
    }
    if (failed_) return;  // nothing will be shown
    std::vector<Typing> types = types_of(library);
    for (std::size_t i = 0; i < library.size(); ++i) {
      ordered_json& j = *places[i];
      j["verdict"] = types[i].type ? "ok" : "singular";
      if (types[i].type) {
        fill(j, *types[i].type, names[i]);
      } else {
        j.erase("rank");
        j.erase("bases");
      }
    }
  }

  void fill(ordered_json& j, const StructuralType& type, const std::string& name) {
    j["rank"] = type.rank();
    auto family = bases(type, kBases);
    if (!family) {
      failed_ = true;
      diagnostics_
          .report(Code::TooManyBases, fmt::format("definition `{}` has more than {} bases", name, kBases))
          .note("it determines " + std::to_string(type.rank()) + " of its " +
                std::to_string(type.interface()) + " interface variables");
      return;
    }
    std::vector<std::string> names;
    for (const ordered_json& variable : j["interface"]) names.push_back(variable.get<std::string>());
    ordered_json sets = ordered_json::array();
    for (const auto& basis : *family) {
      ordered_json& set = sets.emplace_back(ordered_json::array());
      for (std::uint32_t c : basis) set.push_back(names[c]);
    }
    j["bases"] = std::move(sets);
  }

  FileId file_;
  const SourceFile& source_;
  Diagnostics& diagnostics_;
  ordered_json root_;
  bool failed_ = false;
};

}  // namespace

std::optional<std::string> types_of_document(FileId file, const SourceMap& sources,
                                             Diagnostics& diagnostics) {
  return Document(file, sources, diagnostics).complete();
}

}  // namespace sigrel::structural_types
