#include "tests/fuzz/json_documents.h"

#include <cstdint>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

namespace sigrel::fuzz {
namespace {

using nlohmann::ordered_json;

struct Seed {
  std::vector<std::string> arguments;
  const char* text;
};

const Seed kSeeds[] = {
    {{"structure", "types", "document.json"},
     R"({"hierarchies": [[
       {"name": "resistor", "interface": ["pv", "pi", "nv", "ni"], "locals": ["u"],
        "equations": [["u", "pv", "nv"], ["pi", "ni"], ["u", "pi"]], "applications": []},
       {"name": "pair", "interface": ["pv", "pi", "nv", "ni"], "locals": ["mv", "ai", "bi"],
        "equations": [["ai", "bi"]],
        "applications": [{"relation": "resistor", "arguments": ["pv", "pi", "mv", "ai"]},
                         {"relation": "resistor", "arguments": [["mv", "ai"], "bi", "nv", "ni"]}]}]]})"},
    {{"structure", "graph", "document.json"},
     R"({"G": [[3, 5], [4, 6], [1, 7, 9], [2, 8, 9], [1, 2]], "A": [5, 6, 7, 8, 0, 0, 0, 0, 0]})"},
    {{"structure", "graph", "--fast", "document.json"},
     R"({"G": [[1, 2], [2, 3], [1, 3], [4], [4, 5]], "B": [0, 0, 0, 5, 0], "A": [0, 0, 0, 5, 0],
         "assign": [1, 2, 3, 4, 5], "vActive": [true, true, true, true, false]})"},
    {{"structure", "graph", "document.json"},
     R"({"G": [[1, 2, 4], [2, 3], [1, 3], [3, 4]], "es": [1, 2, 3], "vs": [[1, 2], [3]],
         "eSolvedFixed": [4], "vSolvedFixed": [4], "solvable": [[1, 2], [2, 3], [3], [4]]})"},
};

std::size_t below(std::minstd_rand& random, std::size_t n) { return random() / 7 % n; }

/// Every value of the document; the root is the first.
std::vector<ordered_json*> values_of(ordered_json& root) {
  std::vector<ordered_json*> all{&root};
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k]->is_structured())
      for (ordered_json& child : *all[k]) all.push_back(&child);
  return all;
}

ordered_json other_value(std::minstd_rand& random) {
  switch (below(random, 14)) {
    case 0: return nullptr;
    case 1: return true;
    case 2: return 0;
    case 3: return -1;
    case 4: return static_cast<int>(below(random, 12));
    case 5: return 4'294'967'295u;
    case 6: return std::numeric_limits<std::uint64_t>::max();
    case 7: return std::numeric_limits<std::int64_t>::min();
    case 8: return 1.5;
    case 9: return 1e308;
    case 10: return "";
    case 11: return "resistor";
    case 12: return ordered_json::array();
    default: return ordered_json::object();
  }
}

void change_value(ordered_json& root, std::minstd_rand& random) {
  const std::vector<ordered_json*> all = values_of(root);
  ordered_json& chosen = *all[below(random, all.size())];
  const ordered_json other = *all[below(random, all.size())];
  switch (below(random, 5)) {
    case 0: chosen = other_value(random); return;
    case 1: chosen = other; return;
    case 2:
      if (chosen.is_array()) chosen.push_back(other);
      return;
    case 3:
      if (chosen.is_array() && !chosen.empty())
        chosen.push_back(ordered_json(chosen[below(random, chosen.size())]));
      return;
    default:
      if (chosen.is_structured() && !chosen.empty())
        chosen.erase(std::next(chosen.begin(), static_cast<std::ptrdiff_t>(below(random, chosen.size()))));
      return;
  }
}

}  // namespace

JsonDocument generate_json_document(std::minstd_rand& random) {
  const Seed& seed = kSeeds[below(random, std::size(kSeeds))];
  ordered_json root = ordered_json::parse(seed.text);
  for (std::size_t k = below(random, 5); k-- > 0;) change_value(root, random);
  JsonDocument document{seed.arguments, root.dump()};
  if (below(random, 4) == 0)
    for (std::size_t k = 1 + below(random, 3); k-- > 0 && !document.text.empty();) {
      const std::size_t at = below(random, document.text.size());
      if (below(random, 3) == 0)
        document.text.resize(at);
      else
        document.text[at] =
            below(random, 2) == 0 ? "[]{},:\"-0"[below(random, 9)] : static_cast<char>(below(random, 256));
    }
  return document;
}

}  // namespace sigrel::fuzz
