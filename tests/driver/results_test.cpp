// Files of results, as a user of the program sees them: MATLAB beside CSV, read back by the program and by Octave.
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "process.h"

namespace {

const std::string kLowPass = std::string(SIGREL_SOURCE_DIR) + "/examples/01_low_pass.sr";

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("MATLAB results start another run like CSV does") {
  const std::string mat = temporary("low_pass.mat"), csv = temporary("low_pass.csv");
  REQUIRE(sigrel({"run", kLowPass, "-o", mat}).code == 0);
  REQUIRE(sigrel({"run", kLowPass, "-o", csv}).code == 0);
  for (const char* at : {"", "@0.05", "@0.0123"}) {
    Finished a = sigrel({"run", kLowPass, "--init-from", mat + at, "-o", "-"});
    Finished b = sigrel({"run", kLowPass, "--init-from", csv + at, "-o", "-"});
    REQUIRE(a.code == 0);
    CHECK(a.out == b.out);  // to the last bit
  }
  Finished outside = sigrel({"run", kLowPass, "--init-from", mat + "@5"});
  CHECK(outside.code == 1);
  CHECK(contains(outside.err, "has no results at t = 5 s"));
  Finished cut = sigrel({"run", kLowPass, "--init-from", temporary("cut.mat", read(mat).substr(0, 300))});
  CHECK(cut.code == 1);
  CHECK(contains(cut.err, "SR0409"));
  CHECK(contains(cut.err, "may have been cut off"));
}

TEST_CASE("an interrupted run leaves a MATLAB file that can be read") {
  const std::string model = temporary("long.sr",
                                      "decay = sigrel () where\n  local x :: Real\n  der x = -x + sin time\n  initially x = 1.0\n"
                                      "main = simulate decay with { stop = 1.0e6, steps = 2000000000 }\n");
  const std::string mat = temporary("long.mat");
  Finished f = sigrel({"run", model, "-o", mat}, 500);
  INFO(f.err);
  CHECK(f.code == 130);
  CHECK(contains(f.err, "are kept in " + mat));
  CHECK(sigrel({"run", model, "--init-from", mat, "--stop", "1", "--steps", "10"}).code == 0);
}

TEST_CASE("Octave reads what the program writes") {
  if (std::system("command -v octave-cli >/dev/null 2>&1") != 0) {
    WARN("there is no octave-cli here");
    return;
  }
  const std::string mat = temporary("octave.mat"), text = temporary("octave.txt");
  Finished f = sigrel({"run", kLowPass, "-o", mat, "--set", "r1.r=47"});
  REQUIRE(f.code == 0);
  const std::string script = "d=load('" + mat + "');n=cellstr(d.name');k=find(strcmp(n,'c1.u'));i=d.dataInfo(:,k);"
                             "p=d.dataInfo(:,find(strcmp(n,'r1.r')));f=fopen('" + text + "','w');"
                             "fprintf(f,'%.17g %.17g %d %s',sign(double(i(2)))*d.data_2(abs(i(2)),end),d.data_1(p(2),2),columns(d.data_2),d.Aclass(4,:));fclose(f);";
  std::system(("octave-cli --no-init-file --eval \"" + script + "\" >/dev/null 2>&1").c_str());
  std::istringstream in(read(text));
  double u = 0, r = 0;
  int rows = 0;
  std::string form;
  in >> u >> r >> rows >> form;
  CHECK(u == Approx(std::stod(f.out.substr(f.out.find("c1.u") + 11))).epsilon(1e-9));
  CHECK(r == 47);
  CHECK(rows == 501);
  CHECK(form == "binTrans");
}
