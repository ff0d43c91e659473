// Damaged JSON documents for the commands that read one: `sigrel structure types` and `structure graph`.
#pragma once
#include <random>
#include <string>
#include <vector>

namespace sigrel::fuzz {

struct JsonDocument {
  std::vector<std::string> arguments;  // of the driver, which reads it as `document.json`
  std::string text;
};

/// A valid document after up to four changes of its values (one is replaced, removed, repeated, or takes the
/// place of another), and sometimes of its bytes.
JsonDocument generate_json_document(std::minstd_rand& random);

}  // namespace sigrel::fuzz
