// sigrel report: the page of a run, its data, and what it says of them.
#include <cmath>
#include <nlohmann/json.hpp>

#include "process.h"

namespace {

nlohmann::json data_of(const std::string& page) {
  const std::string open = "id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

const char* kDecay = R"(
decay :: Real -> SR ()
decay k = sigrel () where
  local x, y
  discrete n :: Int = 0
  der x = -k * x
  y = (x - 0.5)^2 / 2.0
  when x < 0.5 do n := pre n + 1
  initially x = 1.0

main = simulate (decay 1.0) with { stop = 1.0, plot = [["x"], ["y", "n"]] }
)";

}  // namespace

TEST_CASE("report: the page has the results, the equations and the way to their lines") {
  const std::string model = temporary("decay.sr", kDecay), page = temporary("decay.html", "");
  Finished f = sigrel({"report", model, "-o", page});
  INFO(f.err);
  REQUIRE(f.code == 0);
  CHECK(f.out == "the report is in " + page + "\n");
  const std::string text = read(page);
  const nlohmann::json data = data_of(text);
  REQUIRE(data["series"].contains("x"));
  const auto& x = data["series"]["x"]["values"];
  REQUIRE(x.size() == data["times"].size());
  for (std::size_t k = 0; k < x.size(); ++k)
    CHECK(x[k].get<double>() == Approx(std::exp(-data["times"][k].get<double>())).epsilon(1e-5));
  CHECK(data["series"]["n"]["steps"] == true);
  CHECK(data["panes"] == nlohmann::json({{"x"}, {"y", "n"}}));
  CHECK(data["why"]["y"].get<std::string>().find("(x - 0.5)^2 / 2.0") != std::string::npos);
  CHECK(data["files"][0] == model);
  for (const char* part :
       {"<mfrac>", "<msup>", "<mover accent=\"true\"><mi>x</mi><mo>˙</mo></mover>", "id=\"f0l6\"",
        "href=\"#f0l6\"", "`x &lt; 0.5` became true", "limited by the error of", "CVODE"})
    if (text.find(part) == std::string::npos) FAIL_CHECK(part);
  CHECK(text.find("der(n)</span>") == std::string::npos);  // an event alone changes it
  for (const char* outside : {"http://", "https://"}) {    // self-contained, but for names of notations
    std::size_t at = 0;
    while ((at = text.find(outside, at)) != std::string::npos) {
      CHECK(text.substr(at, 30).starts_with("http://www.w3.org/"));
      ++at;
    }
  }
}

TEST_CASE("report: a long run is thinned, its extremes are kept, and the page says so") {
  const std::string model = temporary("spikes.sr", R"(
spikes :: SR ()
spikes = sigrel () where
  local x, y, z
  der x = cos time
  y = if time > 500.0 && time < 500.001 then 7.0 else sin time
  z = x + y
  initially x = 0.0

main = simulate spikes with { stop = 1000.0, steps = 900000, plot = ["y"] }
)");
  const std::string page = temporary("spikes.html", "");
  Finished f = sigrel({"report", model, "-o", page});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const std::string text = read(page);
  CHECK(text.find("curves are thinned to about") != std::string::npos);
  const nlohmann::json y = data_of(text)["series"]["y"];
  CHECK(y["rows"].size() == y["values"].size());
  CHECK(y["values"].size() < 600'000);
  double greatest = 0;
  for (const auto& value : y["values"]) greatest = std::max(greatest, value.get<double>());
  CHECK(greatest == 7.0);
}

TEST_CASE("report --compare: the differences of two runs, and curves of both") {
  const std::string model = temporary("decay.sr", kDecay), page = temporary("both.html", ""),
                    results = temporary("other.csv", "");
  REQUIRE(sigrel({"run", model, "--no-plot", "--set", "k=1.1", "-o", results}).code == 0);
  Finished f = sigrel({"report", model, "-o", page, "--compare", results});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const std::string text = read(page);
  const nlohmann::json data = data_of(text);
  CHECK(data["other"]["x"]["values"].back().get<double>() == Approx(std::exp(-1.1)).epsilon(1e-5));
  CHECK(text.find("largest difference") != std::string::npos);
  CHECK(text.find("<td data-why=\"x\">x</td><td>0.035") != std::string::npos);  // e^-1 - e^-1.1 at the end
}

TEST_CASE("report: of a run that fails, and where it cannot be written") {
  const std::string model = temporary("blow.sr", R"(
blow :: SR ()
blow = sigrel () where
  local x
  der x = x * x
  initially x = 1.0

main = simulate blow with { stop = 2.0, plot = ["x"] }
)");
  const std::string page = temporary("blow.html", "");
  Finished failed = sigrel({"report", model, "-o", page});
  CHECK(failed.code == 1);
  const std::string text = read(page);
  CHECK(text.find("message linked error") != std::string::npos);
  CHECK(data_of(text)["times"].back().get<double>() > 0.9);
  CHECK(sigrel({"report", model, "-o", "/no/such/folder/page.html"}).err.find("/no/such/folder/page.html") !=
        std::string::npos);
  CHECK(sigrel({"report", model, "-o", "page.pdf"}).code == 2);
  Finished same = sigrel({"run", model, "--no-plot", "--report", model});
  CHECK(same.code != 0);
  Finished missing = sigrel({"report", model, "-o", page, "--compare", "/no/such.csv"});
  CHECK(missing.code == 1);
}

TEST_CASE("report: text of the model cannot end the data or the page") {
  const std::string model = temporary("tags.sr", R"(
-- </script><script>alert(1)</script>
tags :: SR ()
tags = sigrel () where
  local x  -- </pre> & <b>
  der x = if x < 0.5 then -x else -1.0
  initially x = 1.0

main = simulate tags with { plot = ["x"] }
)");
  const std::string page = temporary("tags.html", "");
  REQUIRE(sigrel({"report", model, "-o", page}).code == 0);
  const std::string text = read(page);
  CHECK(text.find("<script>alert") == std::string::npos);
  CHECK(data_of(text)["series"].contains("x"));
}
