// What must hold of every program with a single mistake: a few errors say so.
#pragma once
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sigrel::fuzz {

/// The errors that one mistake may lead to.
constexpr std::size_t kErrorsOfOneMistake = 3;

/// A program, and the places where a mistake can be made in it.
class Program {
 public:
  /// `path`: its file, beside which imports are found. It must have no syntax errors.
  explicit Program(std::string path);

  struct Mistake {
    std::string what;  // "delete `->`, line 12"
    std::string text;  // the program with the mistake
  };
  /// One token, line, indentation or name is deleted, inserted or replaced. The same mistake may be made
  /// again.
  Mistake make_mistake(std::minstd_rand& random) const;

  const std::string& path() const { return path_; }
  const std::string& text() const { return text_; }

 private:
  struct Token {
    std::size_t begin = 0, end = 0, line = 0;
    bool is_name = false;
  };
  std::string_view text_of(const Token& token) const {
    return std::string_view(text_).substr(token.begin, token.end - token.begin);
  }

  std::string path_, text_;
  std::vector<Token> tokens_;
  std::vector<Token> lines_;  // with a token; the newline belongs to the line
};

/// The errors of `sigrel check`, as text, for this text in place of the file `path`.
std::vector<std::string> errors_of_check(const std::string& path, std::string text);

}  // namespace sigrel::fuzz
