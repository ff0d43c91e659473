// A module that grows input by input: the counterpart of Session for the REPL.
//
// Each input is a source file of its own ("<input 3>"), parsed once; its declarations join the accepted ones,
// and the whole module is checked again, which takes milliseconds. A later definition may replace an earlier
// one, and every message points into the input that caused it. An input with errors changes nothing.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/session/session.h"

namespace sigrel::session {

class Interactive {
 public:
  explicit Interactive(SessionOptions options);

  struct Defined {
    std::string name;
    std::string type;  // empty for a type synonym, record or data type
  };
  struct Answer {
    enum Kind : std::uint8_t { Failed, Definitions, Value, Relation, Experiment } kind = Failed;
    std::vector<Defined> defined;
    std::string type;   // of an expression
    std::string value;  // Value: as text
  };

  /// Replaces all definitions by those of a file. Changes nothing after errors.
  bool load(const std::string& path);
  /// Reads the file again. Inputs remain, except definitions of names that the file defines. Reports an error
  /// if no file was loaded.
  bool reload();
  /// Definitions, imports or an expression.
  Answer enter(const std::string& text);
  /// The type of an expression. `text` may start with blanks in place of a command, to preserve the columns.
  std::optional<std::string> type_of(const std::string& text);
  /// The structural type of a relation, or of a function of numbers that returns one; empty if it depends on
  /// the use.
  std::optional<std::string> structural_type_of(const std::string& text);
  struct CompileOptions {
    // As for Session::compile.
    Backend backend = Backend::Jit;
    StartPolicy start = StartPolicy::Guesses;
    std::vector<std::string> inputs = {};
  };
  /// Compiles an expression, by default `main`. Null after errors.
  std::shared_ptr<Compiled> compile(const std::optional<std::string>& expression, const Settings& set) {
    return compile(expression, set, {});
  }
  std::shared_ptr<Compiled> compile(const std::optional<std::string>& expression, const Settings& set,
                                    CompileOptions how);
  Run run(const Compiled& model, const RunOptions& options);

  /// The declarations of a name in scope: its signature and its clauses.
  std::vector<const ast::Decl*> declarations(std::string_view name) const;
  /// Names in scope, sorted.
  std::vector<std::string> names() const;
  bool defines(std::string_view name) const;

  const std::string& file() const { return path_; }  // empty if none was loaded
  /// Increases with every change of the definitions; models compiled for an earlier version are out of date.
  std::uint64_t version() const { return version_; }
  /// Whether data that the definitions read may have changed since the last check.
  bool data_may_have_changed() const;
  const SourceMap& sources() const { return sources_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  std::vector<pipeline::Timing>& timings() { return timings_; }

 private:
  struct Expression {
    ast::Module module;
    core::Program program;
  };

  std::string next_input() { return "<input " + std::to_string(++inputs_) + ">"; }
  bool add_libraries(pipeline::Modules& loaded, std::vector<ast::Module>& libraries);
  std::optional<core::Program> check(const std::vector<ast::Module>& libraries, const ast::Module& own,
                                     const ast::Module* expression);
  std::optional<Expression> expression(const std::string& text);
  Answer define(ast::Module input, const std::string& name, const std::string& text);
  Answer evaluate(Expression& expression);

  SessionOptions options_;
  SourceMap sources_;
  Diagnostics diagnostics_;
  std::vector<pipeline::Timing> timings_;
  std::vector<ast::Module> libraries_;  // imports before importers, the Prelude first
  ast::Module own_;                     // loaded and entered definitions
  std::vector<std::shared_ptr<Arena>> arenas_;
  std::string path_, wanted_path_;
  std::string folder_ = ".";
  std::vector<std::string> folders_;         // of the program
  std::shared_ptr<const data::Files> data_;  // as it was read last
  std::set<std::pair<Code, Span>> told_;     // warnings and notes of the checks so far
  std::uint64_t version_ = 0;
  unsigned inputs_ = 0;
  Session runner_;
  std::shared_ptr<jit::Compiler> compiler_;
};

}  // namespace sigrel::session
