// What the parser tests share: parse a text and look at the dump or at the diagnostics.
#pragma once
#include <string>

#include "compiler/ir/ast_print.h"
#include "compiler/parse/parse.h"

namespace sigrel::test {

struct Reading {
  SourceMap sources;
  Diagnostics diagnostics;
  ast::Module module;

  explicit Reading(std::string text) {
    FileId id = sources.add("test.sr", std::move(text));
    module = parse(id, sources, diagnostics);
  }
  std::string rendered() const {
    std::string out;
    for (const Diagnostic& d : diagnostics.all()) out += render_text(d, sources, false);
    return out;
  }
  /// `SR0010 3:5 expected …` for each diagnostic.
  std::string summary() const {
    std::string out;
    for (const Diagnostic& d : diagnostics.all()) {
      Position p = sources.file(d.primary->span.file).position(d.primary->span.begin);
      out += std::string(info(d.code).id) + " " + std::to_string(p.line) + ":" + std::to_string(p.column) +
             " " + d.message + "\n";
    }
    return out;
  }
};

}  // namespace sigrel::test
