// The style, construct by construct: badly formatted text on the left, the result on the right.
#include <catch2/catch.hpp>

#include "tests/unit/format/formatted.h"

using namespace sigrel::test;

namespace {

void becomes(const std::string& before, const std::string& after) {
  CHECK(formatted(before) == after);
  CHECK(formatted(after) == after);
}
void stays(const std::string& text) { CHECK(formatted(text) == text); }

}  // namespace

TEST_CASE("operators and brackets") {
  becomes("a=1+2*-x\n", "a = 1 + 2 * -x\n");
  becomes("a = f( x,y )[1,2] [ 3 ]\n", "a = f (x, y)[1,2] [3]\n");
  becomes("a = x^2 + y ^ 2 + z ^3\n", "a = x^2 + y ^ 2 + z^3\n");
  becomes("a = chain (n-1) (n -1) x[i+1] x[ 2..n-1 ]\n", "a = chain (n-1) (n - 1) x[i+1] x[2 .. n-1]\n");
  becomes("a = (+1) ( 2* ) (+) (x  `f` ) (`f`  y) ( - 1)\n", "a = (+ 1) (2 *) (+) (x `f`) (`f` y) (-1)\n");
  becomes("a = x-1<y&&b>a||c/=d\n", "a = x - 1 < y && b > a || c /= d\n");
  becomes("a = - - x - -y\n", "a = - -x - -y\n");
  becomes("a = \\ x  (y,z)->x\n", "a = \\x (y, z) -> x\n");
  becomes("a = x:y:[]++ [ z^2 for z in [1..3],w in xs ]\n",
          "a = x : y : [] ++ [z^2 for z in [1 .. 3], w in xs]\n");
  becomes("a = R{x=1 ,y = 2}with{z=3,} with { }\n", "a = R { x = 1, y = 2 } with { z = 3, } with {}\n");
  becomes("a = v/1.0<km/h>  +  u  as<V>\n", "a = v / 1.0<km/h> + u as <V>\n");
  becomes("a = M . f 1.0e-3 \"two  blanks\"\n", "a = M.f 1.0e-3 \"two  blanks\"\n");
}

TEST_CASE("declarations and types") {
  becomes("module  A . B   where\nimport C( x,Y )\nimport D  as  E\nimport F hiding(z)\n",
          "module A.B where\nimport C (x, Y)\nimport D as E\nimport F hiding (z)\n");
  becomes("type V=Real< V / A >\nrecord Pin={v::V,flow i::Real<A> =0.0}\ndata T a=L|N (T a)a\n",
          "type V = Real<V/A>\nrecord Pin = { v :: V, flow i :: Real<A> = 0.0 }\ndata T a = L | N (T a) a\n");
  becomes("foreign   import \"g\"  g::Real->Real\nf,g ::(n::Int)->SR(in u::Real,out Real^n)\n",
          "foreign import \"g\" g :: Real -> Real\nf, g :: (n :: Int) -> SR (in u :: Real, out Real^n)\n");
  stays("foreign import \"erf\" erf :: Real -> Real with { derivative = \\x -> exp (-x^2) }\n");
  becomes("f :: SR ( a ,b ){ 1 1 ;0 1 }->SR(a,b){ # 2 }\n", "f :: SR (a, b) {1 1; 0 1} -> SR (a, b) {#2}\n");
  becomes("f :: SR (a, b) { p . v x[ 1 ];u }\n", "f :: SR (a, b) {p.v x[1]; u}\n");
  stays("f :: SR (Real^(m,n), Real^(n + 1), [Pin]) like resistor\n");
}

TEST_CASE("what was written for <> and -> stays") {
  becomes("f :: A→B\nf x=sigrel(p)where\n     x◇p\n", "f :: A → B\nf x = sigrel (p) where\n  x ◇ p\n");
}

TEST_CASE("blocks") {
  becomes(
      "a n = sigrel (x) where\n     if n > 1 then\n           x = 1\n     else if n > 0 then\n       x = 2\n "
      "      else\n            x = 3\n"
      "     for i in 1..n do\n      when x>1 do\n           x:=2\n     initially\n          x = 0\n",
      "a n = sigrel (x) where\n  if n > 1 then\n    x = 1\n  else if n > 0 then\n    x = 2\n  else\n    x = "
      "3\n"
      "  for i in 1 .. n do\n    when x > 1 do\n      x := 2\n  initially\n    x = 0\n");
  becomes(
      "a = sigrel () where\n    when x>1,initial do\n       y:=1\n       elsewhen x>2 , terminal  do\n      "
      "y:=2\n",
      "a = sigrel () where\n  when x > 1, initial do\n    y := 1\n  elsewhen x > 2, terminal do\n    y := "
      "2\n");
  becomes(
      "a = sigrel (p) where\n    switch  Open  where\n       mode  Open where\n          p.i = 0\n          "
      "until u>0->Closed 1\n       mode Closed u where\n        p.v = u\n",
      "a = sigrel (p) where\n  switch Open where\n    mode Open where\n      p.i = 0\n      until u > 0 -> "
      "Closed 1\n    mode Closed u where\n      p.v = u\n");
  becomes("a = let   k = 3\n          h = 4\n    in k\n", "a = let k = 3\n        h = 4\n    in k\n");
  becomes("l = case  t of\n     A->1\n     B x->\n       x\n", "l = case t of\n  A -> 1\n  B x ->\n    x\n");
  becomes("a = sigrel (p) where{connect p q;p.i=0}\nb = sigrel () where{ }\n",
          "a = sigrel (p) where { connect p q; p.i = 0 }\nb = sigrel () where {}\n");
  becomes("a = sigrel (p) where {\n x = 1;\n   y = 2\n   }\n",
          "a = sigrel (p) where {\n  x = 1;\n  y = 2\n}\n");
  becomes("main = simulate (sigrel () where\n       x = 1\n       y = 2) with { stop=1 }\n",
          "main = simulate (sigrel () where\n    x = 1\n    y = 2) with { stop = 1 }\n");
  stays("a = sigrel (x) where\n  guess x = 1.0; y = 2.0\n        z = 3.0\n");
  // After the block the line continues the definition: it is left of the block.
  becomes("a = case x of\n        A -> 1\n     + 2\n", "a = case x of\n    A -> 1\n  + 2\n");
}

TEST_CASE("labels and columns") {
  becomes(
      "a = sigrel () where\n  source:  f 5.0    <> (a, g)\n  r1:      g r      <> (a, b)\n  ground           "
      " <> g\n",
      "a = sigrel () where\n  source: f 5.0 <> (a, g)\n  r1:     g r   <> (a, b)\n  ground        <> g\n");
  becomes("a = sigrel () where\n  source:f 5.0<>(a, g)\n  r1  : g r <> (a, b)\n",
          "a = sigrel () where\n  source: f 5.0 <> (a, g)\n  r1: g r <> (a, b)\n");
  becomes("a = sigrel () where\n  y = 2.0*(f: gain 2.0<>u)\n",
          "a = sigrel () where\n  y = 2.0 * (f: gain 2.0 <> u)\n");
  becomes("f []      = 0\nf (x : y) = 1\n", "f []      = 0\nf (x : y) = 1\n");
  becomes("a  =  1\n\nbcd  =  2\n", "a = 1\n\nbcd = 2\n");
  stays("record D =\n  { r      :: Real = 0.5\n  , length :: Real = 1.0\n  }\n");
}

TEST_CASE("lines that continue") {
  becomes("a = sigrel () where\n   m*der v = f\n           - m * g\n   x = 1\n     + 2\n",
          "a = sigrel () where\n  m * der v = f\n            - m * g\n  x = 1\n    + 2\n");
  becomes("a = f (x,\n       y)\n", "a = f (x,\n       y)\n");
  becomes("a = f [ x\n      , y\n      ]\n", "a = f [x\n      , y\n      ]\n");
  stays("a = sigrel () where\n  w = foo (\n    x,\n    y\n  )\n");
  becomes("a =\n b\n", "a =\n  b\n");
}

TEST_CASE("comments everywhere") {
  stays("-- first\n\n-- | Documents `a`\n-- in two lines.\na :: Int\na = 1  -- trailing\n\n-- last\n");
  becomes("a = 1      -- one\nbc = 2     -- two\nd = 3 -- alone   \n",
          "a = 1   -- one\nbc = 2  -- two\nd = 3 -- alone\n");
  becomes("a = f{- c -}x   {- d -}\n", "a = f {- c -} x {- d -}\n");
  becomes("{- c -} a = 1\n", "{- c -}\na = 1\n");
  becomes("a = {- two\n   lines -} 1\n", "a = {- two\n   lines -}\n  1\n");
  becomes("a = sigrel (x) where\n      -- of the block\n    x = 1\n    -- still\n-- | Documents b.\nb = 2\n",
          "a = sigrel (x) where\n  -- of the block\n  x = 1\n  -- still\n-- | Documents b.\nb = 2\n");
  stays(
      "a = sigrel (x) where\n  if c then\n    x = 1\n    -- in then\n  else\n    -- in else\n    x = 2\n  -- "
      "in the body\n");
  stays("a = f\n  -- of the argument\n  x\n");
}

TEST_CASE("empty lines, ends of lines, ends of files") {
  becomes("\n\n\na = 1   \n\n\n\n\nb = sigrel () where\n\n\n\n  x = 1\n\n\n\n  y = 2\n\n\n",
          "a = 1\n\n\nb = sigrel () where\n\n  x = 1\n\n  y = 2\n");
  becomes("a = 1\r\n-- c\r\n{- d\r\n e -}\r\nb = 2\r\n", "a = 1\n-- c\n{- d\n e -}\nb = 2\n");
  becomes("a = 1", "a = 1\n");
  becomes("", "");
  becomes("-- only a comment", "-- only a comment\n");
  becomes("  a = 1\n  b = 2\n", "a = 1\nb = 2\n");
  becomes(
      "\xEF\xBB\xBF"
      "a=1\n",
      "a = 1\n");
}

TEST_CASE("a text with errors is reported and not formatted") {
  CHECK(formatted("a = (1\nb = 2\n").find("error[SR0011]") != std::string::npos);
  CHECK(formatted("a = sigrel () where\n\tx = 1\n").find("error[SR0013]") != std::string::npos);
}
