// Hierarchies written as Sigrel, through the whole front end: what structural typing says of the text is what
// flat matching, the published families of bases and linear algebra with random coefficients say of the
// numbers.
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "../structural_types/field_oracle.h"
#include "../structural_types/written.h"
#include "compiler/explain/structural_types.h"
#include "compiler/session/session.h"

using namespace sigrel;
using namespace random_definitions;
using nlohmann::json;
using written::Text;

namespace {

struct Typed {
  explicit Typed(std::string text) : session({{{}, SIGREL_SOURCE_DIR "/stdlib"}, false}) {
    session.load_text("hierarchies.sr", std::move(text));
    REQUIRE(session.check());
    types = explain::structural_types(session.program(), diagnostics);
    for (const core::Global* global : session.definitions())
      components[std::string(sigrel::text(global->name))] =
          types.components.at(core::GlobalId(global - session.program().globals.data()));
  }
  const std::optional<structural_types::StructuralType>& type(const std::string& name) const {
    return types.checked.types[components.at(name)];
  }
  /// The definitions that are told to be singular.
  std::set<std::string> blamed() const {
    std::set<std::string> names;
    for (const Diagnostic& d : diagnostics.all()) {
      std::size_t end = d.message.rfind('`'), begin = d.message.rfind('`', end - 1) + 1;
      if (d.message.find("determine only") != std::string::npos)
        begin = d.message.find('`') + 1, end = d.message.find('`', begin);
      names.insert(d.message.substr(begin, end - begin));
    }
    return names;
  }
  Session session;
  Diagnostics diagnostics;
  explain::StructuralTypes types;
  std::map<std::string, std::uint32_t> components;
};

Definition definition_of(const json& j, const std::map<std::string, std::uint32_t>& relations) {
  std::map<std::string, std::uint32_t> number;
  for (const char* list : {"interface", "locals"})
    for (const std::string name : j[list]) number.emplace(name, static_cast<std::uint32_t>(number.size()));
  auto variables = [&](const json& names) {
    Variables numbers;
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

struct Tally {
  std::size_t hierarchies = 0, definitions = 0, well_formed = 0, families = 0, verdicts_differ = 0,
              families_differ = 0, fields_differ = 0, blamed_wrongly = 0, order_matters = 0;
};

/// Random hierarchies, many in one text.
void compare(Dice& dice, std::size_t hierarchies, Tally& tally) {
  std::vector<std::vector<Definition>> all;
  Text text;
  auto name = [](std::size_t h, std::uint32_t d) { return fmt::format("h{}d{}", h, d); };
  for (std::size_t h = 0; h < hierarchies; ++h) {
    Shape shape;
    if (h % 3 == 1) shape = {2, 5, false, 0.4, 0};
    if (h % 3 == 2) shape = {4, 2, true, 0, 0.05};
    all.push_back(library(dice, shape));
    for (std::uint32_t d = 0; d < all[h].size(); ++d)
      text.add(
          name(h, d), all[h][d], [&](std::uint32_t v) { return fmt::format("v{}", v); },
          [&](std::uint32_t r) { return name(h, r); });
  }
  Typed typed(text.text()), shuffled(text.text(&dice));
  std::set<std::string> singular;  // by themselves: what they apply is in order
  for (std::size_t h = 0; h < hierarchies; ++h) {
    ++tally.hierarchies;
    for (std::uint32_t d = 0; d < all[h].size(); ++d) {
      ++tally.definitions;
      const auto& type = typed.type(name(h, d));
      const Incidence flat = structural_types::expand(all[h], d).incidence;
      const bool ok = type.has_value();
      tally.verdicts_differ += structural_types::cover(flat).complete() != ok;
      tally.order_matters += type != shuffled.type(name(h, d));
      bool parts = true;
      for (std::uint32_t a = 0; a < all[h][d].applications(); ++a)
        parts &= typed.type(name(h, all[h][d].relation(a))).has_value();
      if (!ok && parts) singular.insert(name(h, d));
      if (flat.columns() <= 40)
        tally.fields_differ += field_oracle::regular(field_oracle::random_matrix(dice, flat), flat) != ok;
      if (!ok) continue;
      ++tally.well_formed;
      if (type->interface() > 8) continue;
      ++tally.families;
      tally.families_differ += structural_types::bases(*type).value() !=
                               structural_types::bases(structural_types::StructuralType(flat)).value();
    }
  }
  tally.blamed_wrongly += typed.blamed() != singular;
  tally.order_matters += typed.blamed() != shuffled.blamed();
}

void report(const Tally& tally) {
  CHECK(tally.verdicts_differ == 0);
  CHECK(tally.families_differ == 0);
  CHECK(tally.fields_differ == 0);
  CHECK(tally.blamed_wrongly == 0);
  CHECK(tally.order_matters == 0);
  CHECK(tally.well_formed > tally.definitions / 4);
}

}  // namespace

TEST_CASE("the hierarchies of the reference file as Sigrel: verdicts and families of bases") {
  std::ifstream file(SIGREL_SOURCE_DIR "/tests/data/structural/hierarchies.json");
  const json document = json::parse(file);
  Text text;
  auto name = [](std::size_t h, const std::string& definition) {
    return fmt::format("h{}_{}", h, definition);
  };
  for (std::size_t h = 0; h < document["hierarchies"].size(); ++h) {
    std::map<std::string, std::uint32_t> relations;
    std::vector<std::string> names;
    for (const json& j : document["hierarchies"][h]) {
      auto variable = [&](std::uint32_t v) -> std::string {
        return v < j["interface"].size() ? j["interface"][v] : j["locals"][v - j["interface"].size()];
      };
      text.add(name(h, j["name"]), definition_of(j, relations), variable,
               [&](std::uint32_t r) { return name(h, names[r]); });
      names.push_back(j["name"]);
      relations[j["name"]] = static_cast<std::uint32_t>(relations.size());
    }
  }
  Dice dice(5);
  for (Dice* order : {static_cast<Dice*>(nullptr), &dice}) {
    Typed typed(text.text(order));
    std::size_t definitions = 0, well_formed = 0;
    for (std::size_t h = 0; h < document["hierarchies"].size(); ++h)
      for (const json& j : document["hierarchies"][h]) {
        ++definitions;
        const auto& type = typed.type(name(h, j["name"]));
        const bool ok = j["verdict"] == "ok";
        if (type.has_value() != ok) FAIL("verdict of " << j.dump());
        if (!ok) continue;
        ++well_formed;
        std::vector<std::vector<std::string>> family;
        const auto sets = structural_types::bases(*type);
        for (const auto& basis : sets.value()) {
          auto& names = family.emplace_back();
          for (std::uint32_t c : basis) names.push_back(j["interface"][c]);
        }
        if (type->rank() != j["rank"] || json(family) != j["bases"])
          FAIL("bases of " << j.dump() << "\n" << json(family).dump());
      }
    CHECK(definitions == 2618);
    CHECK(well_formed == 1270);
  }
}

TEST_CASE("random hierarchies as Sigrel: the flat system says the same, and the order of the text nothing") {
  Dice dice(41);
  Tally tally;
  compare(dice, 150, tally);
  report(tally);
}

TEST_CASE("20 000 hierarchies as Sigrel", "[.][long]") {
  Dice dice(42);
  Tally tally;
  for (int batch = 0; batch < 100; ++batch) compare(dice, 200, tally);
  report(tally);
  WARN(tally.hierarchies << " hierarchies, " << tally.definitions << " definitions, " << tally.well_formed
                         << " well formed, " << tally.families << " families compared; differences: "
                         << tally.verdicts_differ << " verdicts, " << tally.families_differ << " families, "
                         << tally.fields_differ << " against random numbers, " << tally.blamed_wrongly
                         << " batches with another blame, " << tally.order_matters << " by order");
}
