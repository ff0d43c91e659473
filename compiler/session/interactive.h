// A module that grows input by input, for the REPL: what a session is to a file, this is to a conversation.
//
// Each input is a source of its own ("<input 3>"), parsed once; its declarations join those that were
// accepted before, and the whole is checked again, which takes milliseconds. So a later definition may
// replace an earlier one, and every message points into the input that its reader typed. An input with errors
// leaves everything as it was.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/session/session.h"

namespace sigrel::session {

class Interactive {
 public:
  explicit Interactive(SessionOptions options);

  struct Defined {
    std::string name;
    std::string type;  // empty: a type, record or data type
  };
  struct Answer {
    enum Kind : std::uint8_t { Failed, Definitions, Value, Relation, Experiment } kind = Failed;
    std::vector<Defined> defined;
    std::string type;   // of an expression
    std::string value;  // Value: as text
  };

  /// Starts anew with the definitions of a file. After errors everything stays as it was.
  bool load(const std::string& path);
  /// Reads the file again; inputs stay, except where the file defines the same names. Without a file: false,
  /// reported.
  bool reload();
  /// Definitions, imports or an expression.
  Answer enter(const std::string& text);
  /// The type of an expression. `text` may start with blanks in place of a command, so that columns are those
  /// of the line.
  std::optional<std::string> type_of(const std::string& text);
  /// The structural type of a relation, or of a function of numbers that gives one; empty if it has none
  /// without its use.
  std::optional<std::string> structural_type_of(const std::string& text);
  /// `main`, or an expression instead, as an executable model. Null after errors.
  std::shared_ptr<Compiled> compile(const std::optional<std::string>& expression, const Settings& set);
  Run run(const Compiled& model, const RunOptions& options);

  /// Where a name that is in scope is declared; several for a signature and its clauses.
  std::vector<const ast::Decl*> declarations(std::string_view name) const;
  /// Names in scope, sorted.
  std::vector<std::string> names() const;
  bool defines(std::string_view name) const;

  const std::string& file() const { return path_; }  // empty: none was loaded
  /// Counts the changes of the definitions: what was compiled before the last one is out of date.
  std::uint64_t version() const { return version_; }
  const SourceMap& sources() const { return sources_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  std::vector<Timing>& timings() { return timings_; }

 private:
  struct Expression {
    ast::Module module;
    core::Program program;
  };

  std::string next_input() { return "<input " + std::to_string(++inputs_) + ">"; }
  bool add_libraries(Modules& loaded, std::vector<ast::Module>& libraries);
  std::optional<core::Program> check(const std::vector<ast::Module>& libraries, const ast::Module& own,
                                     const ast::Module* expression);
  std::optional<Expression> expression(const std::string& text);
  Answer define(ast::Module input, const std::string& name, const std::string& text);
  Answer evaluate(Expression& expression);

  SessionOptions options_;
  SourceMap sources_;
  Diagnostics diagnostics_;
  std::vector<Timing> timings_;
  std::vector<ast::Module> libraries_;  // imports before importers, the Prelude first
  ast::Module own_;                     // what was loaded and entered
  std::vector<std::shared_ptr<Arena>> arenas_;
  std::string path_, wanted_path_;
  std::string folder_ = ".";
  std::uint64_t version_ = 0;
  unsigned inputs_ = 0;
  Session runner_;
  std::shared_ptr<jit::Compiler> compiler_;
};

}  // namespace sigrel::session
