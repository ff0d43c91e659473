// Spans are bytes of the file and cover what was written.
#include <catch2/catch.hpp>

#include "tests/unit/parse/reading.h"

using namespace sigrel;

namespace {

std::string at(const test::Reading& r, Span span) { return std::string(r.sources.text(span)); }

}  // namespace

TEST_CASE("spans in text that is not ASCII") {
  test::Reading r("-- ¿é?\nωé = \"ü\" ++ f (αβ + 1)  -- ü\ny = x as <kg/m>\n");
  REQUIRE(r.rendered() == "");
  auto* clause = static_cast<ast::ClauseDecl*>(r.module.decls.at(0));
  CHECK(at(r, clause->span) == "ωé = \"ü\" ++ f (αβ + 1)");
  CHECK(at(r, clause->name.span) == "ωé");
  auto* append = static_cast<ast::BinaryExpr*>(clause->body);
  CHECK(at(r, append->op_span) == "++");
  CHECK(at(r, append->right->span) == "f (αβ + 1)");
  auto* sum = static_cast<ast::BinaryExpr*>(static_cast<ast::ApplyExpr*>(append->right)->args[0]);
  CHECK(at(r, sum->span) == "αβ + 1");
  auto* as = static_cast<ast::AsExpr*>(static_cast<ast::ClauseDecl*>(r.module.decls.at(1))->body);
  CHECK(at(r, as->unit->span) == "kg/m");
  CHECK(at(r, as->unit->factors[1].name.span) == "m");
}

TEST_CASE("spans of items and blocks") {
  test::Reading r(
      "r = sigrel (p) where\n  é: f 1.0 <> (p, q)\n  switch A where\n    mode A where\n      x = 1\nz = 3\n");
  REQUIRE(r.rendered() == "");
  auto* clause = static_cast<ast::ClauseDecl*>(r.module.decls.at(0));
  auto* body = static_cast<ast::SigrelExpr*>(clause->body);
  CHECK(at(r, body->span).starts_with("sigrel (p) where"));
  CHECK(at(r, body->span).ends_with("x = 1"));
  auto* application = static_cast<ast::ApplicationItem*>(body->body[0]);
  CHECK(at(r, application->span) == "é: f 1.0 <> (p, q)");
  CHECK(at(r, application->diamond) == "<>");
  CHECK(at(r, application->args->span) == "(p, q)");
  CHECK(at(r, static_cast<ast::SwitchItem*>(body->body[1])->modes[0].span) == "mode A where\n      x = 1");
}
