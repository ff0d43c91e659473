// Mechanisms that cannot be right: loops of joints, parts without mass, bodies that do not exist.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include <string>

#include "compiler/session/session.h"

using namespace sigrel;

namespace {

/// What is said of a model that is run.
std::string messages(const std::string& library, const std::string& body) {
  Session session({{{}, SIGREL_SOURCE_DIR "/stdlib"}, true});
  session.load_text("m.sr", "import " + library + "\nmain = sigrel () where\n" + body);
  if (session.check())
    if (const auto model = session.compile({}, Backend::Interpreter)) session.run(*model, {.stop = 0.1});
  std::string text;
  for (const Diagnostic& d : session.diagnostics().all()) text += render_text(d, session.sources(), false);
  return text;
}

void says(const std::string& library, const std::string& body, const std::string& code,
          const std::string& words) {
  const std::string text = messages(library, body);
  INFO(body << text);
  CHECK(text.find(code) != std::string::npos);
  CHECK(text.find(words) != std::string::npos);
}

const std::string kHinge =
    "  fixed [0.0, 0.0, 0.0] <> z\n  hinge: revolute [1.0, 0.0, 0.0] <> (z, a)\n"
    "  rod [0.0, 0.0, 1.0] <> (a, b)\n  initially\n    hinge.phi = 0.5\n    hinge.w = 0.0\n";

}  // namespace

TEST_CASE("mechanisms: a loop of joints is told which parts close one") {
  const std::string loop =
      "  fixed [0.0, 0.0, 0.0] <> z\n  revolute [0.0, 1.0, 0.0] <> (z, a)\n  rod [0.0, 0.0, 1.0] <> (a, b)\n"
      "  pointMass earth 1.0 <> b\n  revolute [0.0, 1.0, 0.0] <> (b, c)\n  rod [2.0, 0.0, 0.0] <> (c, d)\n"
      "  revolute [0.0, 1.0, 0.0] <> (d, e)\n  rod [0.0, 0.0, -1.0] <> (e, f)\n  fixed [2.0, 0.0, 0.0] <> "
      "y\n";
  says("Spatial", loop + "  four: revolute [0.0, 1.0, 0.0] <> (y, f)\n", "SR0325",
       "3 constraints of these loops of joints follow from the others");
  const std::string joints = messages("Spatial", loop + "  four: revolute [0.0, 1.0, 0.0] <> (y, f)\n");
  INFO(joints);
  CHECK(joints.find("error") == std::string::npos);
  says("Spatial", loop + "  closingRevolute [0.0, 1.0, 0.0] <> (y, f)\n", "SR0325", "a loop closes here");
  const std::string fine = messages("Spatial", loop + "  closingPlane [0.0, 1.0, 0.0] <> (y, f)\n");
  INFO(fine);
  CHECK(fine.find("error") == std::string::npos);
  CHECK(fine.find("SR0411") == std::string::npos);  // angles that differ by whole turns are no other solution
}

TEST_CASE("mechanisms: joints that can be assembled in two ways, and a guess that chooses") {
  const std::string bars =
      "  fixed [0.0, 0.0, 0.0] <> z\n  one: revolute [0.0, 1.0, 0.0] <> (z, a)\n  rod [0.4, 0.0, 0.0] <> (a, "
      "b)\n"
      "  two: revolute [0.0, 1.0, 0.0] <> (b, c)\n  rod [1.2, 0.0, 0.0] <> (c, d)\n"
      "  three: revolute [0.0, 1.0, 0.0] <> (d, f)\n  rod [1.0, 0.0, 0.0] <> (e, f)\n"
      "  fixed [1.1, 0.0, 0.0] <> y\n  four: revolute [0.0, 1.0, 0.0] <> (y, e)\n"
      "  pointMass earth 1.0 <> b\n  pointMass earth 1.0 <> d\n"
      "  initially\n    one.phi = 1.0\n    one.w = 0.0\n";
  says("Spatial", bars, "SR0411", "the joints can be assembled in several ways");
  for (const char* guess : {"0.4", "2.2"}) {
    const std::string chosen = messages("Spatial", bars + "  guess two.phi = " + guess + "\n");
    INFO(chosen);
    CHECK(chosen.find("SR0411") == std::string::npos);
    CHECK(chosen.find("error") == std::string::npos);
  }
}

TEST_CASE("mechanisms: a loop that cannot be closed is told with the distance that is left") {
  // Two rods of 1 m from points 2 m apart, joined by one of 5 m.
  says(
      "Spatial",
      "  fixed [0.0, 0.0, 0.0] <> z\n  revolute [0.0, 1.0, 0.0] <> (z, a)\n  rod [0.0, 0.0, -1.0] <> (a, b)\n"
      "  pointMass earth 1.0 <> b\n  revolute [0.0, 1.0, 0.0] <> (b, c)\n  rod [5.0, 0.0, 0.0] <> (c, d)\n"
      "  fixed [2.0, 0.0, 0.0] <> y\n  j: revolute [0.0, 1.0, 0.0] <> (y, e)\n  rod [0.0, 0.0, -1.0] <> (e, "
      "h)\n"
      "  revolute [0.0, 1.0, 0.0] <> (d, h)\n  guess j.phi = 1.0\n",
      "SR0414", "the joints cannot close this loop: 1 m are left");
  // 5 m of coupler, of which a crank of 0.5 m, a distance of 2 m and a rocker of 1.25 m bridge 3.75 m.
  says("Spatial",
       "  fixed [0.0, 0.0, 0.0] <> z\n  crank: revolute [0.0, 0.0, 1.0] <> (z, a)\n"
       "  rod [0.5, 0.0, 0.0] <> (a, b)\n  revolute [0.0, 0.0, 1.0] <> (b, c)\n  rod [5.0, 0.0, 0.0] <> (c, "
       "d)\n"
       "  pointMass earth 1.0 <> d\n  revolute [0.0, 0.0, 1.0] <> (d, e)\n  rod [1.25, 0.0, 0.0] <> (f, e)\n"
       "  fixed [2.0, 0.0, 0.0] <> y\n  rocker: revolute [0.0, 0.0, 1.0] <> (y, f)\n"
       "  guess crank.phi = 0.3\n  guess rocker.phi = -2.0\n",
       "SR0414", "the joints cannot close this loop: 1.25 m are left");
}

TEST_CASE("mechanisms: what moves without mass") {
  says("Spatial",
       "  fixed [0.0, 0.0, 0.0] <> z\n  crank: revolute [0.0, 0.0, 1.0] <> (z, a)\n  rod [0.5, 0.0, 0.0] <> "
       "(a, "
       "b)\n"
       "  revolute [0.0, 0.0, 1.0] <> (b, c)\n  rod [1.8, 0.0, 0.0] <> (c, d)\n"
       "  revolute [0.0, 0.0, 1.0] <> (d, e)\n  rod [1.25, 0.0, 0.0] <> (f, e)\n"
       "  fixed [2.0, 0.0, 0.0] <> y\n  rocker: revolute [0.0, 0.0, 1.0] <> (y, f)\n"
       "  guess crank.phi = 0.3\n  guess rocker.phi = 2.0\n",
       "SR0509", "no mass or inertia determines `der(crank.flange.phi)`");
  says("Spatial",
       kHinge +
           "  body earth 1.0 (ballInertia 1.0 0.1) <> b\n  revolute [1.0, 0.0, 0.0] <> (b, c)\n  free <> c\n",
       "SR0301", "the flows at `c` are given, and no part there relates them to its potentials");
}

TEST_CASE("mechanisms: bodies that do not exist") {
  const auto body = [](const std::string& inertia) {
    return kHinge + "  bob: body earth 1.0 (" + inertia + ") <> b\n";
  };
  const std::string none = "no body has this inertia";
  says("Spatial", body("diagonal [1.0, 1.0, 2.5]"), "SR0510", none);
  says("Spatial", body("diagonal [1.0, 1.0, 2.5]"), "SR0510", "in `bob`");
  says("Spatial", body("diagonal [-2.0, 1.0, 1.0]"), "SR0510", none);
  says("Spatial", body("[[1.0, 0.2, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 1.0]]"), "SR0510",
       "are a symmetric matrix");
  // Moments that are possible one by one, with products of inertia that are too large for them.
  says("Spatial", body("[[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 1.0]]"), "SR0510", none);
  for (const char* possible :
       {"diagonal [1.0, 1.0, 2.0]", "[[1.0, 0.4, 0.0], [0.4, 1.0, 0.0], [0.0, 0.0, 1.0]]",
        "boxInertia 1.0 [1.0, 0.0, 0.0]", "cylinderInertia 2.0 0.1 3.0", "ballInertia 1.0 0.5"}) {
    const std::string text = messages("Spatial", body(possible));
    INFO(possible << text);
    CHECK(text.find("SR0510") == std::string::npos);
  }
  says("Spatial", kHinge + "  bob: body earth (-1.0) (ballInertia 1.0 0.1) <> b\n", "SR0510",
       "a body has a mass greater than 0");
  says("Spatial", kHinge + "  bob: pointMass earth (-1.0) <> b\n", "SR0510",
       "a point mass is greater than 0");
  says("Planar", "  body earth 1.0 (-2.0) <> a\n  free <> a\n", "SR0510",
       "a moment of inertia greater than 0");
  says("Spatial",
       "  fixed [0.0, 0.0, 0.0] <> z\n  revolute [0.0, 0.0, 0.0] <> (z, a)\n  body earth 1.0 (ballInertia "
       "1.0 0.1) <> a\n",
       "SR0564", "an axis of length 0 has no direction");
}

TEST_CASE("mechanisms: a joint from a frame to itself") {
  says("Spatial", "  fixed [0.0, 0.0, 0.0] <> z\n  h: revolute [0.0, 1.0, 0.0] <> (z, z)\n", "SR0414",
       "both ends of `h` are the frame `z`");
  says("Spatial",
       kHinge + "  bob: body earth 1.0 (ballInertia 1.0 0.1) <> b\n  rod [1.0, 0.0, 0.0] <> (b, b)\n",
       "SR0414", "both ends of `rod");
}

TEST_CASE("mechanisms: the mass of a body is not a matter of structure") {
  Session session({{{}, SIGREL_SOURCE_DIR "/stdlib"}, true});
  session.load_text("m.sr", "import Spatial\nmain = sigrel () where\n" + kHinge +
                                "  bob: body earth 2.5 (ballInertia 1.5 0.1) <> b\n");
  REQUIRE(session.check());
  const auto arguments = session.arguments();
  REQUIRE(arguments);
  bool found = false;
  for (const auto& argument : *arguments)
    if (argument.name == "bob.m" || argument.name == "bob.inertia[1,1]") {
      found = true;
      CHECK_FALSE(argument.structural);
    }
  CHECK(found);
}

TEST_CASE("mechanisms: the distance that is left where initial values do not let a loop close") {
  const std::string legs =
      "  fixed [0.0, 0.0, 0.0] <> z\n  k: freeMotion <> (z, b)\n"
      "  body earth 2.0 (diagonal [0.2, 0.3, 0.4]) <> b\n"
      "  rod [1.0, 0.0, 0.0] <> (z, p)\n  closingLink 1.0 <> (p, b)\n  initially\n    k.r[1] = 3.0\n    "
      "k.v[1] = "
      "0.0\n";
  says("Spatial", legs, "SR0414", "at its initial values: 1 m are left");
  says("Spatial", legs, "SR0414", "with `k.r[1]` = 3");
}

TEST_CASE("mechanisms: a link that is too short, in metres") {
  says("Spatial",
       "  fixed [0.0, 0.0, 0.0] <> z\n  fixed [3.0, 0.0, 0.0] <> y\n  j: revolute [0.0, 0.0, 1.0] <> (z, a)\n"
       "  rod [1.0, 0.0, 0.0] <> (a, b)\n  body earth 1.0 (ballInertia 1.0 0.1) <> b\n"
       "  closingLink 1.5 <> (b, y)\n  initially\n    j.w = 0.0\n",
       "SR0414", "the joints cannot close this loop: 0.5 m are left");
}

TEST_CASE("mechanisms: what forbids a start is told before that there is none") {
  says(
      "Spatial",
      "  fixed [0.0, 0.0, 0.0] <> z\n  h: revolute [0.0, 1.0, 0.0] <> (z, a)\n  rod [1.0, 0.0, 0.0] <> (a, "
      "b)\n"
      "  m: body earth (-1.0) (diagonal [1.0, 1.0, 1.0]) <> b\n  initially\n    h.phi = 0.5\n    h.w = 0.0\n",
      "SR0510", "a body has a mass greater than 0");
}

TEST_CASE("mechanisms: a start at a singular position") {
  const std::string crank =
      "  fixed [0.0, 0.0, 0.0] <> z\n  one: revolute [0.0, 1.0, 0.0] <> (z, a)\n  rod [1.0, 0.0, 0.0] <> (a, "
      "b)\n"
      "  body earth 1.0 (ballInertia 1.0 0.1) <> b\n  two: revolute [0.0, 1.0, 0.0] <> (b, c)\n"
      "  rod [1.5, 0.0, 0.0] <> (c, d)\n  body earth 1.0 (ballInertia 1.0 0.1) <> d\n"
      "  fixed [2.5, 0.0, 0.0] <> y\n  three: prismatic [1.0, 0.0, 0.0] <> (y, e)\n"
      "  four: revolute [0.0, 1.0, 0.0] <> (d, e)\n  initially\n";
  says("Spatial", crank + "    three.s = 0.0\n    three.v = 0.0\n", "SR0415",
       "its joints do not determine `der one");
  for (const std::string start :
       {"    one.phi = 0.0\n    one.w = 0.0\n", "    three.s = -0.1\n    three.v = 0.0\n"}) {
    const std::string text = messages("Spatial", crank + start + "  guess one.phi = 0.2\n");
    INFO(text);
    CHECK(text.find("SR0415") == std::string::npos);
    CHECK(text.find("error") == std::string::npos);
  }
  // Bars that only just reach: there is no position nearby.
  says("Spatial",
       "  fixed [0.0, 0.0, 0.0] <> z\n  one: revolute [0.0, 1.0, 0.0] <> (z, a)\n  rod [1.0, 0.0, 0.0] <> "
       "(a, b)\n"
       "  body earth 1.0 (ballInertia 1.0 0.1) <> b\n  two: revolute [0.0, 1.0, 0.0] <> (b, c)\n"
       "  rod [1.0, 0.0, 0.0] <> (c, d)\n  three: revolute [0.0, 1.0, 0.0] <> (d, e)\n"
       "  rod [1.0, 0.0, 0.0] <> (e, h)\n  fixed [3.0, 0.0, 0.0] <> y\n  four: revolute [0.0, 1.0, 0.0] <> "
       "(h, y)\n"
       "  initially\n    one.phi = 0.0\n    one.w = 0.0\n",
       "SR0415", "to the first order");
}

TEST_CASE("mechanisms: movable to the first order only") {
  // A point that three links hold in the plane of their other ends.
  const std::string three =
      "  fixed [0.0, 0.0, 0.0] <> z\n  k: freeMotion <> (z, a)\n  body earth 1.0 (ballInertia 1.0 0.1) <> a\n"
      "  rod [0.0, 0.4, 0.3] <> (a, c)\n  fixed [1.3, -0.4, 0.3] <> p0\n"
      "  closingLink (sqrt 2.33<m^2>) <> (p0, c)\n  fixed [1.7, 1.2, 0.3] <> p1\n"
      "  closingLink (sqrt 3.53<m^2>) <> (p1, c)\n  fixed [1.2, -0.1, 0.3] <> p2\n"
      "  closingLink (sqrt 1.69<m^2>) <> (p2, c)\n  guess k.r = [0.0, 0.0, 0.0]\n";
  // A platform on six links whose lines meet the third axis: it can turn about that.
  std::string six =
      "  fixed [0.0, 0.0, 0.0] <> z\n  k: freeMotion <> (z, a)\n  body weightless 1.0 (ballInertia 1.0 0.1) "
      "<> a\n";
  const char* ends[6][3] = {
      {"[2.0, 0.0, 0.0]", "[1.0, 0.0, 1.0]", "2.0"},    {"[0.0, 2.0, 0.5]", "[0.0, 1.0, 0.7]", "1.04"},
      {"[-2.0, 0.0, 0.3]", "[-1.0, 0.0, 0.2]", "1.01"}, {"[0.0, -2.0, -0.4]", "[0.0, -1.0, 1.3]", "3.89"},
      {"[2.0, 2.0, 0.2]", "[1.0, 1.0, 0.9]", "2.49"},   {"[-2.0, 2.0, -0.7]", "[-1.0, 1.0, 1.1]", "5.24"}};
  for (int k = 0; k < 6; ++k)
    six += fmt::format(
        "  fixed {0} <> p{3}\n  rod {1} <> (a, c{3})\n  closingLink (sqrt {2}<m^2>) <> (p{3}, c{3})\n",
        ends[k][0], ends[k][1], ends[k][2], k);
  // A link that only just reaches across the gap between two slides.
  const std::string gap =
      "  fixed [0.0, 0.0, 0.0] <> z\n  fixed [0.0, 1.0, 0.0] <> y\n"
      "  slide: prismatic [1.0, 0.0, 0.0] <> (z, a)\n  pointMass weightless 1.0 <> a\n"
      "  other: prismatic [1.0, 0.0, 0.0] <> (y, b)\n  pointMass weightless 1.0 <> b\n"
      "  closingLink 1.0 <> (a, b)\n  initially\n    slide.s = 0.0\n    slide.v = 1.0\n";
  for (const std::string& model : {three, six, gap}) {
    says("Spatial", model, "SR0415", "to the first order");
    const std::string text = messages("Spatial", model);
    INFO(text);
    CHECK(text.find("SR0325") == std::string::npos);
    CHECK(text.find("SR0415") == text.rfind("SR0415"));
  }
}

TEST_CASE("mechanisms: which axes have a direction") {
  const std::string hinge =
      "  fixed [0.0, 0.0, 0.0] <> z\n  h: revolute {} <> (z, a)\n  body earth 1.0 (ballInertia 1.0 0.1) <> "
      "a\n"
      "  initially\n    h.phi = 0.5\n    h.w = 0.0\n";
  for (const char* axis : {"[0.0, 1.0e200, 0.0]", "[0.0, 1.0e-200, 0.0]", "[0.0, 0.141624242300086, 0.0]",
                           "[0.0, 49.0, 0.0]", "[0.0, (-0.0614), 0.0]"}) {
    const std::string text = messages("Spatial", fmt::format(fmt::runtime(hinge), axis));
    INFO(axis << text);
    CHECK(text.find("error") == std::string::npos);
  }
  says("Spatial", fmt::format(fmt::runtime(hinge), "[0.0, 0.0 / 0.0, 0.0]"), "SR0564", "finite");
}

TEST_CASE("mechanisms: equations that have nothing to do with a loop do not change how it is assembled") {
  const std::string open =
      "  fixed [0.0, 0.0, 0.0] <> z\n  one: revolute [0.0, 1.0, 0.0] <> (z, a)\n  rod [1.0, 0.0, 0.0] <> (a, "
      "b)\n"
      "  body earth 1.0 (ballInertia 1.0 0.1) <> b\n  fixed [3.0, 0.0, 0.0] <> y\n"
      "  closingLink 1.0 <> (b, y)\n";
  says("Spatial", open, "SR0414", "the joints cannot close this loop");
  says("Spatial", open + "  local modulus :: Pressure\n  modulus = 2.1e11\n", "SR0414", "m are left");
  // An initial equation without unknowns.
  const std::string closed =
      "  fixed [0.0, 0.0, 0.0] <> z\n  one: revolute [0.0, 1.0, 0.0] <> (z, a)\n  rod [1.0, 0.0, 0.0] <> (a, "
      "b)\n"
      "  body earth 1.0 (ballInertia 1.0 0.1) <> b\n  two: revolute [0.0, 1.0, 0.0] <> (b, c)\n"
      "  rod [1.0, 0.0, 0.0] <> (c, d)\n  fixed [1.0, 0.0, 0.5] <> y\n  closingSpherical <> (d, y)\n"
      "  initially 1.0 = 1.0\n";
  const std::string text = messages("Spatial", closed);
  INFO(text);
  CHECK(text.find("SR0414") == std::string::npos);
}

TEST_CASE("mechanisms: a loop is not refused where its default start is the largest gap") {
  const std::string text = messages(
      "Spatial",
      "  fixed [0.0, 0.0, 0.0] <> z\n  k: freeMotion <> (z, a)\n  body earth 1.0 (ballInertia 1.0 0.1) <> a\n"
      "  closingLink 1.0 <> (z, a)\n");
  INFO(text);
  CHECK(text.find("SR0414") == std::string::npos);
}
