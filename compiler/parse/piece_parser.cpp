#include "compiler/parse/piece_parser.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/parse/builder.h"
#include "compiler/parse/literal.h"
#include "compiler/parse/other_languages.h"
#include "compiler/parse/prediction.h"
#include "compiler/parse/syntax_error.h"

namespace sigrel::syntax {
namespace {

/// The tokens of one piece as a stream; reused for all pieces.
class PieceStream final : public antlr4::TokenStream {
 public:
  void assign(std::span<const Token> tokens) {
    if (tokens_.size() < tokens.size() + 1) tokens_.resize(tokens.size() + 1);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens_[i].data = tokens[i];
      tokens_[i].index = i;
    }
    Token end = tokens.empty() ? Token{} : tokens.back();
    end.kind = kEnd;
    end.begin = end.end;
    tokens_[tokens.size()].data = end;
    tokens_[tokens.size()].index = tokens.size();
    size_ = tokens.size() + 1;
    at_ = 0;
  }

  void consume() override {
    if (at_ + 1 < size_) ++at_;
  }
  std::size_t LA(ssize_t k) override {
    // Called several times per token.
    if (k > 0) {
      std::uint16_t kind = tokens_[std::min(at_ + static_cast<std::size_t>(k) - 1, size_ - 1)].data.kind;
      return kind == kEnd ? EOF : kind;
    }
    antlr4::Token* t = LT(k);
    return t ? t->getType() : EOF;
  }
  antlr4::Token* LT(ssize_t k) override {
    if (k < 0)
      return static_cast<std::size_t>(-k) > at_ ? nullptr : &tokens_[at_ - static_cast<std::size_t>(-k)];
    return &tokens_[std::min(at_ + static_cast<std::size_t>(k) - 1, size_ - 1)];
  }
  antlr4::Token* get(std::size_t index) const override { return const_cast<PieceToken*>(&tokens_[index]); }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  std::size_t index() override { return at_; }
  void seek(std::size_t index) override { at_ = std::min(index, size_ - 1); }
  std::size_t size() override { return size_; }
  std::string getSourceName() const override { return {}; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }

 private:
  std::vector<PieceToken> tokens_;  // grows only between pieces: parse trees point into it
  std::size_t size_ = 0, at_ = 0;
};

struct SyntaxStop {};

/// Stops at the first error and records it. No recovery is needed: the next piece is parsed independently.
class StopAtError final : public antlr4::DefaultErrorStrategy {
 public:
  Fault fault;

  void sync(antlr4::Parser*) override {}
  void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override {}
  antlr4::Token* recoverInline(antlr4::Parser* parser) override { stop(parser, parser->getCurrentToken()); }
  void recover(antlr4::Parser* parser, std::exception_ptr e) override {
    antlr4::Token* offending = parser->getCurrentToken();
    try {
      std::rethrow_exception(e);
    } catch (antlr4::RecognitionException& error) {
      if (error.getOffendingToken()) offending = error.getOffendingToken();
    }
    stop(parser, offending);
  }

 private:
  [[noreturn]] void stop(antlr4::Parser* parser, antlr4::Token* offending) {
    fault = {};
    fault.offending = offending->getTokenIndex();
    // The expected tokens are known for the current token only.
    if (offending == parser->getCurrentToken()) {
      antlr4::misc::IntervalSet expected = parser->getExpectedTokens();
      for (const auto& interval : expected.getIntervals())
        for (ssize_t k = interval.a; k <= interval.b; ++k)
          fault.expected.push_back(static_cast<std::size_t>(k));
    }
    for (antlr4::RuleContext* ctx = parser->getContext(); ctx;
         ctx = static_cast<antlr4::RuleContext*>(ctx->parent))
      fault.rules.push_back(ctx->getRuleIndex());
    throw SyntaxStop{};
  }
};

}  // namespace

struct PieceParser::Antlr {
  PieceStream stream;
  SigrelParser parser;
  std::shared_ptr<StopAtError> strategy = std::make_shared<StopAtError>();
  Prediction* prediction = nullptr;
  Builder builder;

  Antlr(FileId file, const SourceMap& sources, ast::Module& module, Diagnostics& diagnostics)
      : parser(&stream), builder(file, sources, module, diagnostics) {
    parser.removeErrorListeners();
    parser.setErrorHandler(strategy);
    auto* others = parser.getInterpreter<antlr4::atn::ParserATNSimulator>();
    prediction = new Prediction(parser, *others);
    parser.setInterpreter(prediction);  // owns it
    quick(true);
  }
  void quick(bool on) {
    prediction->set_quick(on);
    prediction->setPredictionMode(on ? antlr4::atn::PredictionMode::SLL : antlr4::atn::PredictionMode::LL);
  }

  // SLL prediction and the tables suffice for the grammar. LL prediction is used after a failure, to report
  // the error.
  template <class Context>
  Context* parse(Context* (SigrelParser::*rule)()) {
    try {
      parser.reset();
      return (parser.*rule)();
    } catch (SyntaxStop&) {}
    quick(false);
    Context* result = nullptr;
    try {
      parser.reset();
      result = (parser.*rule)();
    } catch (SyntaxStop&) {}
    quick(true);
    return result;
  }
};

PieceParser::PieceParser(FileId file, const SourceMap& sources, ast::Module& module, Diagnostics& diagnostics)
    : file_(file), sources_(sources), module_(module), diagnostics_(diagnostics) {}

PieceParser::~PieceParser() = default;

void PieceParser::attach(const Layout& layout) { layout_ = &layout; }

void PieceParser::piece(const Piece& piece) {
  void* result = nullptr;
  bool damaged = piece.damaged;
  if (!piece.damaged && !piece.tokens.empty()) {
    if (!antlr_) {
      antlr_ = std::make_unique<Antlr>(file_, sources_, module_, diagnostics_);
      antlr_->builder.attach(*layout_);
    }
    result = node(piece);
    damaged = antlr_->builder.take_failed() || (!result && piece.kind != BlockKind::File);
  }
  // A node with a damaged block does not represent its source.
  for (const Token& t : piece.tokens)
    if (t.kind == P::BLOCK && piece.kind != BlockKind::File && layout_->block(t).damaged) damaged = true;

  if (damaged) {
    piece.block->damaged = true;
    if (piece.kind == BlockKind::Top) damaged_declaration(piece);
  } else if (piece.kind == BlockKind::Top) {
    auto* decl = static_cast<ast::Decl*>(result);
    if (!piece.doc.empty()) decl->doc = keep(piece.doc, *module_.arena);
    module_.decls.push_back(decl);
  } else if (piece.kind == BlockKind::Expression) {
    expression_ = static_cast<ast::Expr*>(result);
  } else if (piece.kind != BlockKind::File) {
    piece.block->nodes.push_back(result);
  }
}

// The node of a piece: Decl*, Item*, CaseAlternative*, Mode* or Expr*; null after reporting an error.
void* PieceParser::node(const Piece& piece) {
  if (const Foreign found = report_foreign_piece(piece, file_, sources_, diagnostics_);
      found != Foreign::None) {
    constexpr std::uint32_t kEndOfFile = std::numeric_limits<std::uint32_t>::max();
    if (found == Foreign::Rest) dropped_.push_back({file_, piece.tokens[0].end, kEndOfFile});
    return nullptr;
  }
  Antlr& a = *antlr_;
  a.stream.assign(piece.tokens);
  Builder& b = a.builder;
  bool parsed = true;
  void* result = nullptr;
  switch (piece.kind) {
    case BlockKind::File:
      if (auto* ctx = a.parse(&SigrelParser::filePiece))
        b.file(ctx);
      else
        parsed = false;
      break;
    case BlockKind::Expression:
      if (auto* ctx = a.parse(&SigrelParser::expressionPiece))
        result = b.expression(ctx->expression());
      else
        parsed = false;
      break;
    case BlockKind::Top:
      if (auto* ctx = a.parse(&SigrelParser::topPiece))
        result = b.top(ctx->top());
      else
        parsed = false;
      break;
    case BlockKind::Declarations:
      if (auto* ctx = a.parse(&SigrelParser::declarationPiece))
        result = b.declaration(ctx->declaration());
      else
        parsed = false;
      break;
    case BlockKind::Body:
      if (auto* ctx = a.parse(&SigrelParser::itemPiece))
        result = b.item(ctx->item());
      else
        parsed = false;
      break;
    case BlockKind::Alternatives:
      if (auto* ctx = a.parse(&SigrelParser::alternativePiece))
        result = b.alternative(ctx);
      else
        parsed = false;
      break;
    case BlockKind::Modes:
      if (auto* ctx = a.parse(&SigrelParser::modePiece))
        result = b.mode(ctx);
      else
        parsed = false;
      break;
  }
  const std::size_t at = a.strategy->fault.offending;
  if (!parsed && !blames_block(at, piece) && !is_further_misreading(at, piece))
    report_fault(a.strategy->fault, piece, file_, sources_, diagnostics_);
  return result;
}

// Whether the error at token `at` of a piece follows from a reported error in one of its blocks. Conversely,
// a block after the error may have been misread: its errors are dropped.
bool PieceParser::blames_block(std::size_t at, const Piece& piece) {
  bool found = false;
  for (std::size_t i = 0; i < piece.tokens.size(); ++i) {
    const Token& t = piece.tokens[i];
    if (t.kind != P::BLOCK || !layout_->block(t).damaged) continue;
    if (i < at)
      found = true;
    else if (!found)
      dropped_.push_back({file_, t.begin, t.end});
  }
  return found;
}

// Whether the piece is of another kind than its block, and an error says so of an earlier piece: items at
// `->` are alternatives whose `case … of` is missing; pieces without `mode` are items whose header is
// missing.
bool PieceParser::is_further_misreading(std::size_t at, const Piece& piece) {
  const bool alternative =
      piece.kind == BlockKind::Body && at < piece.tokens.size() && piece.tokens[at].kind == P::ARROW;
  const bool item = piece.kind == BlockKind::Modes && at == 0;
  return (alternative || item) && std::exchange(piece.block->misread, true);
}

bool PieceParser::drops(Span span) const {
  return std::ranges::any_of(
      dropped_, [&](Span s) { return s.begin <= span.begin && span.end <= s.end && s.begin < s.end; });
}

// Records the name of a damaged declaration, so that its uses are not reported as unknown.
void PieceParser::damaged_declaration(const Piece& piece) {
  const bool foreign = !piece.tokens.empty() && piece.tokens[0].kind == P::FOREIGN;
  for (const Token& t : piece.tokens) {
    if (t.kind == P::TYPE || t.kind == P::RECORD || t.kind == P::DATA || t.kind == P::FOREIGN) continue;
    if (foreign && (t.kind == P::IMPORT || t.kind == P::STRING)) continue;
    if (t.kind == P::LOWER_NAME || t.kind == P::UPPER_NAME) {
      Span span{file_, t.begin, t.end};
      module_.damaged.push_back({intern(sources_.text(span)), span});
    }
    return;
  }
}

}  // namespace sigrel::syntax
