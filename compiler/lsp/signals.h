// The signals and parts inside of relations, with their types: for hover, hints and the outline.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "compiler/ir/core.h"

namespace sigrel::lsp {

struct Signal {
  enum Kind : std::uint8_t { Formal, Local, Discrete, Part } kind = Local;
  std::string type;       // "Real<V>", "Pin", "Real^…"; of a part the text of its relation
  bool implicit = false;  // it has no declaration: it is an argument of `<>` or `connect`
};

struct Signals {
  /// By the offset of the declaration, or of the first use of an implicit one, or of the label of a part.
  std::map<std::size_t, Signal> at;
};

/// Those of the definitions in a file.
Signals signals_of(const core::Program& program, const SourceMap& sources, FileId file);

}  // namespace sigrel::lsp
