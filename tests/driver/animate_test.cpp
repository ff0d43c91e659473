// sigrel animate: shapes and movement of a page, stills, and what cannot be drawn.
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "process.h"

namespace {

using nlohmann::json;

json data_of(const std::string& page) {
  const std::string open = "id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

template <class T>
std::vector<T> decoded(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  for (std::size_t k = 0; k + 3 < text.size(); k += 4) {
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 4; ++i)
      three = three << 6 | (text[k + i] == '=' ? 0 : static_cast<std::uint32_t>(digits.find(text[k + i])));
    for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(three >> shift & 255U);
  }
  while (bytes.size() % sizeof(T) != 0) bytes.pop_back();
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The shapes of a kind.
std::vector<json> shapes(const json& data, const std::string& kind) {
  std::vector<json> found;
  for (const json& shape : data["scene"]["shapes"])
    if (shape["kind"] == kind) found.push_back(shape);
  return found;
}

const char* kPendulum = R"(
import Spatial

pendulum :: Real -> SR ()
pendulum m = sigrel () where
  fixed [0.0, 0.0, 1.0] <> wall
  hinge: revolute [0.0, 2.0, 0.0] <> (wall, a)
  rod [0.0, 0.0, -1.0] <> (a, b)
  bob: body earth m (boxInertia m [0.1, 0.2, 0.3]) <> b
  initially
    hinge.phi = 0.5
    hinge.w = 0.0

main = simulate (pendulum 2.0) with { stop = 1.0, steps = 50, plot = ["hinge.phi"] }
)";

}  // namespace

TEST_CASE("animate: the picture follows what moves far") {
  const auto model = [](const char* speed) {
    return std::string(R"(
import Spatial
main = simulate (sigrel () where
  fixed [0.0, 0.0, 0.0] <> z
  m: freeMotion <> (z, a)
  body weightless 1.0 (ballInertia 1.0 0.1) <> a
  rod [1.0, 0.0, 0.0] <> (a, b)
  pointMass weightless 1.0 <> b
  initially
    m.r = [0.0, 0.0, 0.0]
    m.q = [1.0, 0.0, 0.0, 0.0]
    m.w = [0.0, 0.0, 0.0]
    m.v = [)") +
           speed + ", 0.0, 0.0]) with { stop = 1.0, steps = 10 }\n";
  };
  const std::string page = temporary("far.html", "");
  REQUIRE(sigrel({"animate", temporary("far.sr", model("50.0")), "-o", page}).code == 0);
  const json far = data_of(read(page))["scene"];
  REQUIRE(far.contains("follow"));
  CHECK(far["follow"]["frames"].size() == 2);  // not the world
  CHECK(far["follow"]["size"].get<double>() > 1.0);
  CHECK(far["follow"]["size"].get<double>() < 2.0);
  REQUIRE(sigrel({"animate", temporary("near.sr", model("2.0")), "-o", page}).code == 0);
  CHECK_FALSE(data_of(read(page))["scene"].contains("follow"));
}

TEST_CASE("animate: a flexible beam is one bent bar") {
  const std::string page = temporary("beam.html", "");
  REQUIRE(sigrel({"animate", SIGREL_SOURCE_DIR "/tests/numeric/models/flexible.sr", "-e",
                  "simulate falling with { stop = 0.1, steps = 2 }", "-o", page})
              .code == 0);
  const json data = data_of(read(page));
  const std::vector<json> bars = shapes(data, "rod");
  CHECK(bars.size() == 17);  // between the ends and 16 masses
  for (const json& bar : bars) CHECK(bar["colour"] == bars[0]["colour"]);
  CHECK(shapes(data, "ball").size() == 1);  // at its end, and none for its masses
}

TEST_CASE("animate: the page has the shapes of the parts, and where they are") {
  const std::string model = temporary("pendulum.sr", kPendulum), page = temporary("pendulum.html", "");
  Finished f = sigrel({"animate", model, "-o", page});
  INFO(f.err);
  REQUIRE(f.code == 0);
  CHECK(f.out == "the animation is in " + page + "\n");
  const json data = data_of(read(page)), scene = data["scene"];
  CHECK(scene["planar"] == false);
  CHECK(scene["frames"] == 3);
  CHECK(data["panes"] == json{{"hinge.phi"}});
  // The body is the box of its inertia, the joint a cylinder along its axis.
  const auto boxes = shapes(data, "box");
  REQUIRE(boxes.size() == 2);  // and the wall
  const json& bob = boxes[1]["group"] == "bob" ? boxes[1] : boxes[0];
  for (std::size_t k = 0; k < 3; ++k)
    CHECK(bob["size"][k].get<double>() == Approx(0.1 * static_cast<double>(k + 1)));
  const auto joints = shapes(data, "cylinder");
  REQUIRE(joints.size() == 1);
  CHECK(std::abs(joints[0]["turn"][0].get<double>()) == Approx(std::sqrt(0.5)));
  CHECK(std::abs(joints[0]["turn"][1].get<double>()) == Approx(std::sqrt(0.5)));
  const auto rods = shapes(data, "rod");
  REQUIRE(rods.size() == 1);
  // Positions and orientations follow from the angle.
  const auto times = decoded<double>(scene["times"]);
  const auto poses = decoded<float>(scene["poses"]);
  REQUIRE(poses.size() == times.size() * 3 * 7);
  REQUIRE(times.size() == data["times"].size());
  const auto& phi = data["series"]["hinge.phi"]["values"];
  for (std::size_t row = 0; row < times.size(); ++row) {
    const double angle = phi[row];
    const float* b = poses.data() + (row * 3 + rods[0]["to"].get<std::size_t>()) * 7;
    CHECK(b[0] == Approx(-std::sin(angle)).margin(1e-6));
    CHECK(b[2] == Approx(1 - std::cos(angle)).margin(1e-6));
    CHECK(b[3] * b[3] == Approx(std::cos(angle / 2) * std::cos(angle / 2)).margin(1e-6));
    CHECK(b[3] * b[5] == Approx(std::sin(angle) / 2).margin(1e-6));
  }
}

TEST_CASE("animate: shapes follow the parameters of the run, and the movement those of a file") {
  const std::string model = temporary("pendulum.sr", kPendulum), page = temporary("pendulum.html", ""),
                    results = temporary("pendulum.csv", "");
  REQUIRE(sigrel({"run", model, "-o", results, "--no-plot"}).code == 0);
  REQUIRE(sigrel({"animate", model, "-o", page}).code == 0);
  const json run = data_of(read(page));
  REQUIRE(sigrel({"animate", model, "-o", page, "--results", results}).code == 0);
  const json file = data_of(read(page));
  CHECK(run["scene"]["poses"] == file["scene"]["poses"]);
  CHECK(run["scene"]["shapes"] == file["scene"]["shapes"]);
  CHECK(file["series"]["hinge.phi"]["unit"] == run["series"]["hinge.phi"]["unit"]);
  const std::string few = temporary("few.csv", "");
  REQUIRE(sigrel({"run", model, "-o", few, "-v", "hinge.phi", "--no-plot"}).code == 0);
  const Finished missing = sigrel({"animate", model, "-o", page, "--results", few});
  CHECK(missing.code == 1);
  CHECK(missing.err.find("SR0610") != std::string::npos);
  CHECK(missing.err.find("wall.r[1]") != std::string::npos);
  // Another inertia of the body gives another box.
  REQUIRE(sigrel({"animate", model, "-o", page, "--set", "bob.inertia[1,1]=0.02"}).code == 0);
  const json set = data_of(read(page));
  CHECK_FALSE(set["scene"]["shapes"] == run["scene"]["shapes"]);
}

TEST_CASE("animate: a still is a picture of one time") {
  const std::string model = temporary("pendulum.sr", kPendulum), svg = temporary("pendulum.svg", "");
  const Finished f =
      sigrel({"animate", model, "--still", "0.5", "-o", svg, "--width", "400", "--height", "300"});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const std::string text = read(svg);
  CHECK(text.starts_with("<svg"));
  CHECK(text.find("width=\"400\"") != std::string::npos);
  CHECK(text.find("nan") == std::string::npos);
  CHECK(text.find("<polygon") != std::string::npos);
  const Finished late = sigrel({"animate", model, "--still", "1.5", "-o", svg});
  CHECK(late.code == 1);
  CHECK(late.err.find("SR0627") != std::string::npos);
  CHECK(late.err.find("from 0 s to 1 s") != std::string::npos);
  CHECK(sigrel({"animate", model, "--still", "0.5", "-o", temporary("a.html", "")}).code == 2);
  CHECK(sigrel({"animate", model, "-o", svg}).code == 2);
}

TEST_CASE("animate: shapes of the model replace those of bodies; wheels and contacts stand on the ground") {
  const std::string model = temporary("ball.sr", R"(
import Spatial

main = sigrel () where
  fixed [0.0, 0.0, 0.5] <> z
  slide: prismatic [0.0, 0.0, 1.0] <> (z, a)
  bob: body earth 1.0 (ballInertia 1.0 0.1) <> a
  boxShape [0.1, 0.2, 0.3] <> a
  coloured [1.0, 0.0, 0.0] <> a
  trace <> a
  ballContact 0.1 1000.0 20.0 0.5 <> a
  drivenForce <> (a, [0.0, 0.0, 1.0], [0.0, 0.0, 0.0])
  initially
    slide.s = 0.0
    slide.v = 0.0
)"),
                    page = temporary("ball.html", "");
  const Finished f = sigrel({"animate", model, "-o", page});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const json data = data_of(read(page));
  CHECK(data["scene"]["ground"] == 0.0);
  CHECK(shapes(data, "box").size() == 2);
  CHECK(shapes(data, "ball").size() == 1);  // of the contact, and none of the body
  CHECK(shapes(data, "ball")[0]["colour"] == "#ff0000");
  CHECK(shapes(data, "trace").size() == 1);
  const auto arrows = shapes(data, "arrow");
  REQUIRE(arrows.size() == 1);
  CHECK(decoded<float>(data["scene"]["vectors"])[2] == 1.0F);
}

TEST_CASE("animate: in the plane") {
  const std::string model = temporary("plane.sr", R"(
import Planar

main = sigrel () where
  fixed (0.0, 0.0) 0.5 <> wall
  hinge: revolute <> (wall, a)
  rod (2.0, 0.0) <> (a, b)
  body earth 2.0 0.25 <> b
  spring 10.0 1.0 0.0 <> (wall, b)
  initially
    hinge.phi = 0.0
    hinge.w = 0.0
)"),
                    page = temporary("plane.html", "");
  const Finished f = sigrel({"animate", model, "-o", page});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const json data = data_of(read(page));
  CHECK(data["scene"]["planar"] == true);
  bool disc = false;  // j = m r^2 / 2
  for (const json& shape : shapes(data, "cylinder"))
    disc |= std::abs(shape["size"][0].get<double>() - 0.5) < 1e-12;
  CHECK(disc);
  CHECK(shapes(data, "coil").size() == 1);
  const auto poses = decoded<float>(data["scene"]["poses"]);
  const auto end = shapes(data, "rod")[0]["to"].get<std::size_t>();
  CHECK(poses[end * 7] == Approx(2 * std::cos(0.5)));
  CHECK(poses[end * 7 + 1] == Approx(2 * std::sin(0.5)));
  CHECK(poses[end * 7 + 6] == Approx(std::sin(0.25)));
}

TEST_CASE("animate: what cannot be drawn") {
  const std::string none =
      temporary("none.sr", "main = sigrel () where\n  local x\n  der x = 1.0\n  initially x = 0.0\n");
  const Finished f = sigrel({"animate", none, "-o", temporary("none.html", "")});
  CHECK(f.code == 1);
  CHECK(f.err.find("SR0626") != std::string::npos);
  CHECK(sigrel({"animate", temporary("wrong.sr", "main = x\n")}).code == 1);
  const std::string model = temporary("pendulum.sr", kPendulum);
  const Finished nowhere = sigrel({"animate", model, "-o", "/nowhere/at/all.html"});
  CHECK(nowhere.code == 1);
  CHECK(nowhere.err.find("SR06") != std::string::npos);
}
