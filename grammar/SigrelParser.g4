// The syntax of Sigrel, one piece at a time.
//
// A piece is one declaration, one item of a relation, one alternative of `case`, or one mode of `switch`. The
// layout filter delivers a piece when it is complete. The blocks inside it are already parsed; each is one
// BLOCK token here. Nested blocks therefore need no recursion, an error is confined to its piece, and parse
// trees are small.
//
// Decisions need one or two tokens of lookahead. There is one left-recursive expression rule.
parser grammar SigrelParser;
options { tokenVocab = SigrelLexer; superClass = GrammarParser; contextSuperClass = GrammarContext; }
@parser::postinclude {
#include "compiler/parse/grammar_context.h"
using sigrel::syntax::GrammarContext, sigrel::syntax::GrammarParser;
}

// ---- entry points -----------------------------------------------------------------------------------------

filePiece: (MODULE moduleName WHERE)? BLOCK EOF;
topPiece: top EOF;
declarationPiece: declaration EOF;
itemPiece: item EOF;
modePiece: MODE UPPER_NAME patternAtom* WHERE BLOCK EOF;
alternativePiece: pattern ARROW expression EOF;
expressionPiece: expression EOF;

// ---- names ------------------------------------------------------------------------------------------------

// `out` and `like` are names except where a rule expects them as keywords. The other soft keywords already
// have the type LOWER_NAME, unless they stand where they are keywords.
name: LOWER_NAME | OUT | LIKE;
moduleName: UPPER_NAME (DOT UPPER_NAME)*;
constructorName: UPPER_NAME (DOT UPPER_NAME)*;
qualifiedName: (UPPER_NAME DOT)* (name | UPPER_NAME);

// ---- declarations -----------------------------------------------------------------------------------------

top
  : IMPORT moduleName (AS UPPER_NAME)? importList?
  | TYPE UPPER_NAME LOWER_NAME* EQUAL type
  | RECORD UPPER_NAME LOWER_NAME* EQUAL LEFT_BRACE (recordField (COMMA recordField)* COMMA?)? RIGHT_BRACE
  | DATA UPPER_NAME LOWER_NAME* EQUAL constructor (BAR constructor)*
  | FOREIGN IMPORT STRING name DOUBLE_COLON type (WITH settings)?
  | declaration
  ;
importList: HIDING? LEFT_PAREN (importName (COMMA importName)* COMMA?)? RIGHT_PAREN;
importName: name | UPPER_NAME;
recordField: (FLOW | ROTATION)? name (COMMA name)* DOUBLE_COLON type (EQUAL expression)?;
constructor: UPPER_NAME typeAtom*;

declaration
  : name ((COMMA name)* DOUBLE_COLON type | patternAtom* EQUAL expression)
  | boundPattern EQUAL expression
  ;

// ---- types ------------------------------------------------------------------------------------------------

type
  : LEFT_PAREN name DOUBLE_COLON type (EQUAL expression)? RIGHT_PAREN ARROW type
  | typeOperand (ARROW type)?
  ;
typeOperand
  : SR (interface | LOWER_NAME | constructorName unit?) structure?
  | typeAtom+
  ;
interface: LEFT_PAREN (interfaceItem (COMMA interfaceItem)*)? RIGHT_PAREN;
interfaceItem: (IN | OUT)? (name DOUBLE_COLON)? type;
typeAtom: typePrimary (CARET size)*;
typePrimary
  : constructorName unit?
  | LOWER_NAME
  | LEFT_BRACKET type RIGHT_BRACKET
  | LEFT_PAREN (type (COMMA type)*)? RIGHT_PAREN
  ;
size: INT | name | LEFT_PAREN expression (COMMA expression)* RIGHT_PAREN;
structure
  : LIKE qualifiedName
  | LEFT_BRACE (HASH INT | LIKE qualifiedName | row (SEMICOLON row)*)? RIGHT_BRACE
  ;
row: INT+ | column+;
column: name (DOT name | INDEX_OPEN index (COMMA index)* RIGHT_BRACKET)*;
// compiler/parse/unit.cpp parses the contents of a unit, and those of UNIT_NUMBER.
unit: LESS unitToken+ GREATER;
unitToken
  : LOWER_NAME | UPPER_NAME | OUT | LIKE | SR | UNIT_SIGN | INT | STAR | SLASH | CARET | MINUS | DOT | LEFT_PAREN | RIGHT_PAREN
  ;

// ---- expressions ------------------------------------------------------------------------------------------

expression
  : postfix+
  | expression AS unit
  | expression WITH settings
  | <assoc = right> expression CARET expression
  | MINUS expression
  | expression (STAR | SLASH) expression
  | expression (PLUS | MINUS) expression
  | expression BACKTICK qualifiedName BACKTICK expression
  | <assoc = right> expression (COLON | PLUS_PLUS) expression
  | expression (EQUAL_EQUAL | NOT_EQUAL | LESS | LESS_EQUAL | GREATER | GREATER_EQUAL) expression
  | expression AND expression
  | expression OR expression
  | BACKSLASH patternAtom+ ARROW expression
  | IF expression THEN expression ELSE expression
  | LET BLOCK IN expression
  | CASE expression OF BLOCK
  | SIGREL LEFT_PAREN (formal (COMMA formal)*)? RIGHT_PAREN WHERE BLOCK
  | expression DIAMOND expression
  ;
formal: IN formalName | OUT formalName | formalName;
formalName: name (DOUBLE_COLON type)? | UNDERSCORE | bracketedPattern;

postfix: atom suffix*;
suffix
  : INDEX_OPEN index (COMMA index)* RIGHT_BRACKET
  | DOT (name | UPPER_NAME)
  | settings
  ;
index: expression (DOT_DOT expression)?;
settings: LEFT_BRACE (setting (COMMA setting)* COMMA?)? RIGHT_BRACE;
setting: (settingPath | GUESS) EQUAL expression;
settingPath: (name | UPPER_NAME) (DOT (name | UPPER_NAME) | INDEX_OPEN INT (COMMA INT)* RIGHT_BRACKET)*;

atom
  : name
  | UPPER_NAME
  | UNDERSCORE
  | INT
  | REAL
  | UNIT_NUMBER
  | STRING
  | LEFT_PAREN parenthesised? RIGHT_PAREN
  | LEFT_BRACKET listBody? RIGHT_BRACKET
  ;
parenthesised
  : OPERATOR_NAME
  | sectionOperator expression
  | BACKTICK qualifiedName BACKTICK expression
  | expression ((COMMA expression)* | LEFT_SECTION | LEFT_SECTION_NAMED qualifiedName BACKTICK)
  ;
sectionOperator
  : PLUS | STAR | SLASH | CARET | PLUS_PLUS | COLON | AND | OR
  | EQUAL_EQUAL | NOT_EQUAL | LESS | LESS_EQUAL | GREATER | GREATER_EQUAL
  ;
listBody: expression (DOT_DOT expression | FOR generator (COMMA generator)* | (COMMA expression)* COMMA?);
generator: pattern IN expression (DOT_DOT expression)?;

// ---- patterns ---------------------------------------------------------------------------------------------

pattern: patternOperand (COLON patternOperand)*;
// The pattern to the left of `=` in a `let`. It never starts with a name, so one token decides.
boundPattern: constructorName (patternAtom* | fieldPatterns) | UNDERSCORE | bracketedPattern;
patternOperand: constructorName (patternAtom* | fieldPatterns) | MINUS (INT | REAL) | simplePattern;
patternAtom: constructorName fieldPatterns? | simplePattern;
fieldPatterns: LEFT_BRACE (fieldPattern (COMMA fieldPattern)* COMMA?)? RIGHT_BRACE;
fieldPattern: name (EQUAL pattern)?;
simplePattern
  : name
  | UNDERSCORE
  | INT
  | REAL
  | STRING
  | bracketedPattern
  ;
bracketedPattern
  : LEFT_PAREN (name DOUBLE_COLON type | pattern (COMMA pattern)*)? RIGHT_PAREN
  | LEFT_BRACKET (pattern (COMMA pattern)*)? RIGHT_BRACKET
  ;

// ---- items of a relation ----------------------------------------------------------------------------------

// Two properties are checked on the syntax tree, which allows better error messages: an expression on its own
// is an application `f <> x`, or an instance after a label; and `steady x, y`, in which `steady` is a name to
// the grammar, stands in `initially`.
item
  : ((name | UPPER_NAME) LABEL_COLON)? expression ((EQUAL | ASSIGN) expression | (COMMA expression)+)?
  | LET BLOCK
  | CONNECT postfix+
  | LOCAL name (COMMA name)* (DOUBLE_COLON type)? (WITH settings)?
  | DISCRETE name (COMMA name)* (DOUBLE_COLON type)? (WITH settings)? (EQUAL expression)?
  | FOR generator (COMMA generator)* DO BLOCK
  | IF expression THEN BLOCK (ELSE IF expression THEN BLOCK)* (ELSE BLOCK)?
  | (INITIALLY | GUESS) BLOCK
  | WHEN expression (COMMA expression)* DO BLOCK (ELSEWHEN expression (COMMA expression)* DO BLOCK)*
  | EVERY expression DO BLOCK
  | SWITCH expression WHERE BLOCK
  | ASSERT postfix expression
  | TERMINATE WHEN expression
  | UNTIL expression ARROW expression
  ;
