// When an input of several lines is complete.
#include <catch2/catch.hpp>
#include <vector>

#include "compiler/repl/input.h"
#include "compiler/repl/lines.h"

using sigrel::repl::Input;
using Next = Input::Next;

namespace {

std::vector<Next> feed(const std::vector<std::string>& lines) {
  Input input;
  std::vector<Next> answers;
  for (const std::string& line : lines) answers.push_back(input.add(line));
  return answers;
}

constexpr Next T = Next::Taken, C = Next::Complete, E = Next::Ended;

}  // namespace

TEST_CASE("one line is enough for most") {
  CHECK(feed({"1 + 2"}) == std::vector{C});
  CHECK(feed({""}) == std::vector{C});
  CHECK(feed({"x = 3"}) == std::vector{C});
  CHECK(feed({":run main stop=1"}) == std::vector{C});
  CHECK(feed({"record R = { a :: Int }"}) == std::vector{C});
  CHECK(feed({"\"(\""}) == std::vector{C});
  CHECK(feed({"f x = x  -- where ("}) == std::vector{C});
}

TEST_CASE("blocks go on until an empty line, or a line at the margin") {
  CHECK(feed({"r = sigrel () where", "  x = 1.0", "  y = 2.0", ""}) == std::vector{T, T, T, C});
  CHECK(feed({"r = sigrel () where", "  x = 1.0", "1 + 2"}) == std::vector{T, T, E});
  CHECK(feed({"r = sigrel () where", "  x = f (1.0,", "    2.0)", "  y = x", ""}) ==
        std::vector{T, T, T, T, C});
  CHECK(feed({"r = sigrel () where", ":run r"}) == std::vector{T, E});
}

TEST_CASE("a signature waits for its definition, and clauses of one name belong together") {
  CHECK(feed({"f :: Int -> Int", "f 0 = 1", "f n = 2", ""}) == std::vector{T, T, T, C});
  CHECK(feed({"f :: Int -> Int", "f 0 = 1", "g = 2"}) == std::vector{T, T, E});
  CHECK(feed({"f :: Int -> Int", "f 0 = 1", "f 3"}) == std::vector{T, T, E});
}

TEST_CASE("brackets and comments go on until they are closed; an empty line gives up") {
  CHECK(feed({"[1,", "2", "]"}) == std::vector{T, T, C});
  CHECK(feed({"(1,", ""}) == std::vector{T, C});
  CHECK(feed({"{- a", "b -}"}) == std::vector{T, C});
  CHECK(feed({"(1,", ":quit"}) == std::vector{T, E});
}

TEST_CASE("`:{` takes any lines") {
  CHECK(feed({":{", "a = 1", "", "b = 2", ":}"}) == std::vector{T, T, T, T, C});
  Input input;
  for (const char* line : {":{", "a = 1", ":}"}) input.add(line);
  CHECK(input.text() == "a = 1\n");
}

TEST_CASE("what is one word to completion") {
  CHECK(sigrel::repl::word_start("x + r1.c[2].u") == 4);
  CHECK(sigrel::repl::word_start(":plot c1.") == 6);
  CHECK(sigrel::repl::word_start(":pl") == 0);
  CHECK(sigrel::repl::word_start("f [resi") == 3);
}
