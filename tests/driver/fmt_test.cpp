// sigrel fmt as a process: what it writes, what it leaves alone, exit codes. And the fields of messages as
// JSON.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "process.h"

using nlohmann::json;

namespace {

const char* kRough =
    "-- | Twice.\ndouble   x=2.0*x   -- a comment\n\n\n\n{- one\n   more -}\npart = sigrel (x,y) where\n     "
    "x=y\n\n     -- inside\n     y = 2.0\n";
const char* kSmooth =
    "-- | Twice.\ndouble x = 2.0 * x  -- a comment\n\n\n{- one\n   more -}\npart = sigrel (x, y) where\n  x "
    "= y\n\n  -- inside\n  y = 2.0\n";

}  // namespace

TEST_CASE("fmt: spacing and indentation, never comments, line breaks or the tree") {
  std::string file = temporary("rough.sr", kRough);
  Finished f = sigrel({"fmt", "--stdout", file});
  CHECK(f.code == 0);
  CHECK(f.out == kSmooth);
  CHECK(read(file) == kRough);
  f = sigrel({"fmt", "--check", file});
  CHECK(f.code == 1);
  CHECK(f.out == file + "\n");
  CHECK(read(file) == kRough);
  std::string before = sigrel({"dump", "ast", file}).out;
  CHECK(sigrel({"fmt", file}).code == 0);
  CHECK(read(file) == kSmooth);
  CHECK(sigrel({"fmt", "--check", file}).code == 0);
  CHECK(sigrel({"dump", "ast", file}).out == before);
}

TEST_CASE("fmt: a file with an error stays as it is") {
  std::string file = temporary("broken.sr", "x   = (1\n"), other = temporary("fine.sr", "y   = 1\n");
  Finished f = sigrel({"fmt", file, other});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0011]") != std::string::npos);
  CHECK(read(file) == "x   = (1\n");
  CHECK(read(other) == "y = 1\n");
  CHECK(sigrel({"fmt", temporary("none.sr")}).err.find("error[SR0001]") != std::string::npos);
  CHECK(sigrel({"fmt", "--check", "--stdout", other}).code == 2);
}

TEST_CASE("fmt: the library and the examples are formatted") {
  std::vector<std::string> arguments = {"fmt", "--check"};
  for (const char* folder : {"/stdlib", "/examples"})
    for (const auto& entry : std::filesystem::directory_iterator(SIGREL_SOURCE_DIR + std::string(folder)))
      if (entry.path().extension() == ".sr") arguments.push_back(entry.path().string());
  REQUIRE(arguments.size() > 4);
  Finished f = sigrel(arguments);
  CHECK(f.code == 0);
  CHECK(f.out == "");
}

TEST_CASE("messages as JSON: spans in bytes, lines and columns, helps that a tool can apply") {
  std::string text = "-- ω\nresistance = 1.0\ny = 2.0 * resistence\n";
  std::string file = temporary("near.sr", text);
  json message = json::parse(sigrel({"check", file, "--message-format", "json"}).err);
  CHECK(message["$message_type"] == "diagnostic");
  CHECK(message["level"] == "error");
  CHECK(message["code"]["code"] == "SR0105");
  CHECK(message["code"]["explanation"].get<std::string>().starts_with("# SR0105"));
  const json& span = message["spans"][0];
  CHECK(span["file_name"] == file);
  CHECK(span["byte_start"] == text.find("resistence"));
  CHECK(span["byte_end"] == text.find("resistence") + 10);
  CHECK(span["line_start"] == 3);
  CHECK(span["line_end"] == 3);
  CHECK(span["column_start"] == 11);
  CHECK(span["column_end"] == 21);
  CHECK(span["is_primary"] == true);
  CHECK(span["text"][0]["text"] == "y = 2.0 * resistence");
  const json& child = message["children"][0];
  CHECK(child["level"] == "help");
  CHECK(child["spans"][0]["suggested_replacement"] == "resistance");
  CHECK(child["spans"][0]["suggestion_applicability"] == "MaybeIncorrect");
  // Applied, the file is right.
  std::size_t from = child["spans"][0]["byte_start"], to = child["spans"][0]["byte_end"];
  CHECK(sigrel({"check", temporary("near.sr", text.replace(from, to - from, "resistance"))}).code == 0);
  // What is no question can be applied blindly.
  text = "x = if 1 != 2 then 1 else 2\n";
  message = json::parse(sigrel({"check", temporary("other.sr", text), "--message-format", "json"}).err);
  const json& fix = message["children"][0]["spans"][0];
  CHECK(fix["suggestion_applicability"] == "MachineApplicable");
  text.replace(fix["byte_start"], fix["byte_end"].get<std::size_t>() - fix["byte_start"].get<std::size_t>(),
               fix["suggested_replacement"].get<std::string>());
  CHECK(sigrel({"check", temporary("other.sr", text)}).code == 0);
}
