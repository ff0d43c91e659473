// 400 hierarchies with their verdicts and complete families of bases, computed once by flat matching and
// enumeration.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "compiler/structural_types/definition.h"
#include "compiler/structural_types/family.h"

using namespace sigrel::structural_types;
using nlohmann::json;

namespace {

Definition definition_of(const json& j, const std::map<std::string, std::uint32_t>& relations) {
  std::map<std::string, std::uint32_t> number;
  for (const char* list : {"interface", "locals"})
    for (const std::string name : j[list]) number.emplace(name, static_cast<std::uint32_t>(number.size()));
  auto variables = [&](const json& names) {
    std::vector<std::uint32_t> numbers;
    for (const std::string name : names) numbers.push_back(number.at(name));
    return numbers;
  };
  Definition definition(static_cast<std::uint32_t>(j["interface"].size()),
                        static_cast<std::uint32_t>(j["locals"].size()));
  for (const json& equation : j["equations"]) definition.equation(variables(equation));
  for (const json& application : j["applications"]) {
    definition.application(relations.at(application["relation"]));
    for (const json& argument : application["arguments"])
      if (argument.is_array())
        definition.expression(variables(argument));
      else
        definition.variable(number.at(argument));
  }
  return definition;
}

}  // namespace

TEST_CASE("all hierarchies of the reference file") {
  std::ifstream file(SIGREL_SOURCE_DIR "/tests/data/structural/hierarchies.json");
  const json document = json::parse(file);
  std::size_t definitions = 0, well_formed = 0, with_hidden = 0;
  for (const json& hierarchy : document["hierarchies"]) {
    std::map<std::string, std::uint32_t> relations;
    std::vector<Definition> library;
    for (const json& j : hierarchy) {
      library.push_back(definition_of(j, relations));
      relations[j["name"]] = static_cast<std::uint32_t>(relations.size());
    }
    std::vector<Typing> types = types_of(library);
    for (std::size_t i = 0; i < library.size(); ++i) {
      const json& j = hierarchy[i];
      ++definitions;
      const bool ok = j["verdict"] == "ok";
      if (types[i].type.has_value() != ok) FAIL("verdict of " << j.dump());
      if (!ok) continue;
      ++well_formed;
      const StructuralType& type = *types[i].type;
      with_hidden += type.hidden() > 0;
      std::vector<std::vector<std::string>> family;
      const auto sets = bases(type);
      for (const auto& basis : sets.value()) {
        auto& names = family.emplace_back();
        for (std::uint32_t c : basis) names.push_back(j["interface"][c]);
      }
      if (type.rank() != j["rank"] || json(family) != j["bases"])
        FAIL("bases of " << j.dump() << "\n" << json(family).dump());
    }
  }
  CHECK(definitions == 2618);
  CHECK(well_formed == 1270);
  CHECK(with_hidden == 0);
}
