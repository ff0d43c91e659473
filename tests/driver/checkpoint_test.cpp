// Runs that are interrupted and continue from their checkpoint: the files are those of a run that was not
// interrupted, byte by byte. Checkpoints that do not belong to the run are refused.
#include <filesystem>
#include <fstream>

#include "process.h"

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A damped oscillator that a clock pushes; a limit is counted. Slow enough to be interrupted.
std::string model() {
  return temporary("pushed.sr",
                   "pushed :: Real -> SR ()\n"
                   "pushed k = sigrel () where\n"
                   "  local x, v :: Real\n"
                   "  discrete n :: Int = 0\n"
                   "  discrete push :: Real = 0.0\n"
                   "  der x = v\n"
                   "  der v = -k * x - 0.02 * v + push\n"
                   "  initially\n    x = 1.0\n    v = 0.0\n"
                   "  every 7.0 do push := 0.3 - pre push\n"
                   "  when x > 0.4 do n := pre n + 1\n"
                   "main = simulate (pushed 1.0) with { stop = 40000.0, steps = 20000, plot = [\"x\"] }\n");
}

struct Files {
  std::string results, log, checkpoint;
  explicit Files(const std::string& name, const char* extension = ".csv")
      : results(temporary(name + extension)),
        log(temporary(name + ".log")),
        checkpoint(temporary(name + ".ckpt")) {
    for (const std::string& file : {results, log, checkpoint}) std::filesystem::remove(file);
  }
  std::vector<std::string> arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"run",          model(),    "-o",      results,  "--log-events=" + log,
                                    "--checkpoint", checkpoint, "--every", "500rows"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

/// `name`: of the files.
void continues_after_an_interruption(const std::string& model, const std::string& name) {
  const Files whole("whole_" + name), parts("parts_" + name);
  auto arguments = [&](const Files& files, bool continues) {
    std::vector<std::string> all = files.arguments();
    all[1] = model;
    all.back() = "200rows";
    if (continues) all.emplace_back("--continue");
    return all;
  };
  REQUIRE(sigrel(arguments(whole, false)).code == 0);
  REQUIRE(sigrel(arguments(parts, false), parts.results).code == 130);
  CHECK(read(parts.results).size() < read(whole.results).size());
  const Finished rest = sigrel(arguments(parts, true));
  INFO(rest.err);
  REQUIRE(rest.code == 0);
  CHECK(read(parts.results) == read(whole.results));
  CHECK(read(parts.log) == read(whole.log));
}

}  // namespace

TEST_CASE("checkpoint: an interrupted run continues, and its files are those of one run") {
  for (const char* extension : {".csv", ".mat"}) {
    INFO(extension);
    const Files whole("whole_checkpoint", extension), parts("parts_checkpoint", extension);
    REQUIRE(sigrel(whole.arguments()).code == 0);
    Finished part = sigrel(parts.arguments(), parts.results);
    REQUIRE(part.code == 130);
    CHECK(contains(part.err, "`--continue` goes on from the last checkpoint"));
    CHECK(read(parts.results).size() < read(whole.results).size());
    const Finished rest = sigrel(parts.arguments({"--continue"}));
    INFO(rest.err);
    REQUIRE(rest.code == 0);
    CHECK(read(parts.results) == read(whole.results));
    CHECK(read(parts.log) == read(whole.log));
    // Once more, from the last checkpoint.
    REQUIRE(sigrel(parts.arguments({"--continue"})).code == 0);
    CHECK(read(parts.results) == read(whole.results));
  }
}

TEST_CASE("checkpoint: a model whose structure changes continues with its log") {
  const std::string model = temporary("stick.sr",
                                      "slip :: Real -> SR ()\n"
                                      "slip most = sigrel () where\n"
                                      "  local w1, w2, torque, late :: Real\n"
                                      "  der w1 = 10.0 * cos time - torque\n"
                                      "  2.0 * der w2 = torque - 6.0 * sin (3.0 * time)\n"
                                      "  late = delay w1 0.4\n"
                                      "  switch Forward where\n"
                                      "    mode Forward where\n"
                                      "      torque = most\n"
                                      "      until w1 < w2 -> Sticking\n"
                                      "    mode Backward where\n"
                                      "      torque = -most\n"
                                      "      until w1 > w2 -> Sticking\n"
                                      "    mode Sticking where\n"
                                      "      w1 = w2\n"
                                      "      until torque > most -> Forward\n"
                                      "      until torque < -most -> Backward\n"
                                      "  initially\n    w1 = 10.0\n    w2 = 0.0\n"
                                      "main = simulate (slip 3.0) with { stop = 4000.0, steps = 8000 }\n");
  continues_after_an_interruption(model, "structure");
}

TEST_CASE("checkpoint: a model that begins in other modes than the initial ones continues") {
  const std::string model = temporary("freewheels.sr",
                                      "import Electrical\n"
                                      "import Switching\n"
                                      "freewheel :: SR ()\n"
                                      "freewheel = sigrel () where\n"
                                      "  l: inductor 2.0 <> (a, b)\n"
                                      "  r: resistor 4.0 <> (b, g)\n"
                                      "  d: commutatingDiode <> (g, a)\n"
                                      "  ground <> g\n"
                                      "  initially l.p.i = 3.0\n"
                                      "main = simulate freewheel with { stop = 10.0, steps = 20000 }\n");
  continues_after_an_interruption(model, "begun");
}

TEST_CASE("checkpoint: only the same run continues, with its own files") {
  const Files files("only_checkpoint");
  REQUIRE(sigrel(files.arguments({"--stop", "4000", "--steps", "2000", "--continue"})).code ==
          0);  // from the start
  const std::string checkpoint = read(files.checkpoint), results = read(files.results);
  auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    std::vector<std::string> all = files.arguments(more);
    const Finished f = sigrel(all);
    INFO(f.err);
    CHECK(f.code == 1);
    CHECK(contains(f.err, why));
    CHECK(read(files.checkpoint) == checkpoint);
    CHECK(read(files.results) == results);
  };
  const std::vector<std::string> same = {"--stop", "4000", "--steps", "2000", "--continue"};
  auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = same;
    all.insert(all.end(), more);
    return all;
  };
  refused({"--stop", "4000", "--steps", "2000"}, "error[SR0615]");
  refused(with({"--set", "k=2"}), "is of a run with other settings");
  refused(with({"--tolerance", "1e-5"}), "is of a run with other settings");
  refused(with({"-v", "x"}), "is of a run with other settings");
  refused(with({"-e", "pushed 3.0"}), "is of another model");
  refused(with({"--max-step", "0.5"}), "is of a run with other settings");

  auto damaged = [&](const std::string& bytes, const std::string& why) {
    std::ofstream(files.checkpoint, std::ios::binary) << bytes;
    const Finished f = sigrel(files.arguments(same));
    INFO(f.err);
    CHECK(f.code == 1);
    CHECK(contains(f.err, "error[SR0624]: `" + files.checkpoint + "` " + why));
    CHECK(read(files.results) == results);
  };
  damaged("", "is no checkpoint");
  damaged("time,x\n0,1\n", "is no checkpoint");
  damaged(checkpoint.substr(0, 12), "is damaged");
  damaged(checkpoint.substr(0, checkpoint.size() / 2), "is damaged");
  std::string flipped = checkpoint;
  flipped[flipped.size() / 2] ^= 4;
  damaged(flipped, "is damaged");
  std::filesystem::remove(files.checkpoint);
  const Finished missing = sigrel(files.arguments(same));
  CHECK(missing.code == 1);
  CHECK(contains(missing.err, "there is no checkpoint"));
  CHECK(read(files.results) == results);

  std::ofstream(files.checkpoint, std::ios::binary) << checkpoint;
  std::ofstream(files.results, std::ios::binary) << "time,x\n0,1\n";
  const Finished foreign = sigrel(files.arguments(same));
  CHECK(foreign.code == 1);
  CHECK(contains(foreign.err, "it is not the file that belongs to the checkpoint"));
  CHECK(read(files.results) == "time,x\n0,1\n");
}

TEST_CASE("checkpoint: invalid command lines") {
  CHECK(contains(sigrel({"run", model(), "--continue"}).err, "requires the name of the checkpoint"));
  CHECK(contains(sigrel({"run", model(), "-o", "-", "--checkpoint", temporary("a.ckpt")}).err,
                 "requires a file of results"));
  for (const char* every : {"", "10", "0s", "-1min", "nan s", "1.5rows", "3days", "1e99h99", "infs"})
    CHECK(sigrel({"run", model(), "--checkpoint", temporary("a.ckpt"), "--every", every}).code == 2);
  const Files same("same_checkpoint");
  CHECK(contains(sigrel({"run", model(), "-o", same.results, "--checkpoint", same.results}).err,
                 "error[SR0619]"));
}
