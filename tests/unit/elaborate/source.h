// Source text through the front end and elaboration.
#pragma once
#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "compiler/elaborate/elaborate.h"
#include "compiler/session/session.h"

namespace elaborated {

inline const char* const kParts = R"(
import Electrical (Pin, Resistance, resistor, capacitor, ground, constantVoltage)
)";

struct Source {
  explicit Source(const std::string& text, std::vector<sigrel::elaborate::Setting> set = {})
      : session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}, .verify = true}) {
    session.load_text("test.sr", kParts + text);
    if (session.check())
      result = sigrel::elaborate::elaborate(session.program(), {std::move(set)}, session.diagnostics());
    if (result) verify(result->system);
  }

  const sigrel::system::System& system() const {
    std::string errors;
    auto& self = const_cast<Source&>(*this);
    for (const sigrel::Diagnostic& d : self.session.diagnostics().all())
      errors += render_text(d, session.sources(), false);
    INFO(errors);
    REQUIRE(result);
    return result->system;
  }

  /// The codes of the errors, in order.
  std::vector<sigrel::Code> codes() {
    std::vector<sigrel::Code> list;
    for (const sigrel::Diagnostic& d : session.diagnostics().all())
      if (d.severity == sigrel::Severity::Error) list.push_back(d.code);
    return list;
  }

  std::uint32_t unknown(std::string_view name) const {
    auto u = sigrel::system::find_unknown(system(), name);
    INFO(name);
    REQUIRE(u);
    return *u;
  }

  sigrel::Session session;
  std::optional<sigrel::elaborate::Result> result;
};

}  // namespace elaborated
