#include <catch2/catch.hpp>

#include "compiler/kernel/cell.h"

using namespace sigrel::kernel;
using Inputs = std::vector<std::string>;

TEST_CASE("a cell is split into commands, expressions and runs of definitions") {
  CHECK(inputs_of("") == Inputs{});
  CHECK(inputs_of(" \n\t\n") == Inputs{});
  CHECK(inputs_of("1.0 + 2.0") == Inputs{"1.0 + 2.0\n"});
  CHECK(inputs_of("a = 1.0\n\n\nb = a\n") == Inputs{"a = 1.0\n\n\nb = a\n"});
  CHECK(inputs_of("a = 1.0\na\n:run x stop=2\nb = 2.0\n") ==
        Inputs{"a = 1.0\n", "\na\n", "\n\n:run x stop=2\n", "\n\n\nb = 2.0\n"});
  CHECK(inputs_of("f x =\n  x\n\ng x =\n  f x\n") == Inputs{"f x =\n  x\n\ng x =\n  f x\n"});
  CHECK(inputs_of("f :: Int -> Int\nf 0 = 1\nf n = n\n") == Inputs{"f :: Int -> Int\nf 0 = 1\nf n = n\n"});
}

TEST_CASE("every line of a cell keeps its number") {
  const std::string cell = "a = 1.0\r\n\r\n\r\na\r\n\r\n:run\r\n";
  for (const std::string& input : inputs_of(cell)) {
    const std::size_t at = input.find_first_not_of('\n');
    const std::string first = input.substr(at, input.find('\n', at) - at);
    std::size_t line = 0;
    for (std::size_t k = 0; k < cell.find(first + "\r\n", at); ++k) line += cell[k] == '\n';
    CHECK(at == line);
  }
}

TEST_CASE("what needs further lines") {
  CHECK(is_complete(""));
  CHECK(is_complete("1.0 + 2.0"));
  CHECK(is_complete(":run"));
  CHECK(is_complete("a = 1.0"));
  CHECK_FALSE(is_complete("f :: Real -> Real"));
  CHECK_FALSE(is_complete("f x = (1.0"));
  CHECK_FALSE(is_complete("a = sigrel () where"));
  CHECK(is_complete("a = sigrel () where\n  local x\n\n"));
}

TEST_CASE("positions are code points of Jupyter and bytes of ours") {
  const std::string text = "π = é x";
  CHECK(code_points(text) == 7);
  CHECK(byte_of(text, 0) == 0);
  CHECK(byte_of(text, 1) == 2);
  CHECK(byte_of(text, 5) == 7);
  CHECK(byte_of(text, 7) == text.size());
  CHECK(byte_of(text, 99) == text.size());
  CHECK(name_at("a + b.c' * 2", 7) == "b.c'");
  CHECK(name_at("a + b.c", 5) == "b");
  CHECK(name_at("a + 12", 6).empty());
  CHECK(name_at("", 0).empty());
  CHECK(name_at("...", 2).empty());
}
