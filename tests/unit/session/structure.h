// A text through the front end, and the structural types that `sigrel check` finds in it.
#pragma once
#include <catch2/catch.hpp>

#include <map>

#include "compiler/session/session.h"

namespace structure {

using namespace sigrel;

struct Structure {
  explicit Structure(std::string text) : session({{{}, SIGREL_SOURCE_DIR "/stdlib"}, true}) {
    session.load_text("test.sr", std::move(text));
    fine = session.check() && session.check_structure();
    for (const Diagnostic& d : session.diagnostics().all())
      messages += render_text(d, session.sources(), false);
    if (fine)
      for (const core::Global* global : session.definitions())
        types[std::string(sigrel::text(global->name))] = session.structural_type(*global);
  }
  std::vector<std::string> codes() {
    std::vector<std::string> result;
    for (const Diagnostic& d : session.diagnostics().all()) result.emplace_back(info(d.code).id);
    return result;
  }
  Session session;
  bool fine = false;
  std::string messages;
  std::map<std::string, std::string> types;
};

inline void has_types(const char* source, const std::map<std::string, std::string>& expected) {
  Structure s(source);
  INFO(source << s.messages);
  CHECK(s.fine);
  for (auto& [name, type] : expected) {
    INFO(name);
    CHECK(s.types[name] == type);
  }
}

inline void refused(const char* source, const char* code, const char* part) {
  Structure s(source);
  INFO(source << s.messages);
  CHECK(s.codes() == std::vector<std::string>{code});
  CHECK(s.messages.find(part) != std::string::npos);
}

}  // namespace structure
