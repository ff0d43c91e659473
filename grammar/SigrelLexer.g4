// The tokens of Sigrel. Layout is not here: compiler/parse/layout.cpp cuts the token stream into pieces by the column
// of their first token, and gives some tokens the marks of the first section below by their neighbours.
lexer grammar SigrelLexer;

tokens {
  BLOCK,               // a whole layout block that is parsed already: the items of `where`, the alternatives of `of`, …
  INDEX_OPEN,          // `[` without a space before it: indexing
  LABEL_COLON,         // `:` after the name that starts an item
  OPERATOR_NAME,       // the operator of `(+)`
  LEFT_SECTION,        // the operator of `(x +)`
  LEFT_SECTION_NAMED   // the first backtick of (x `f`)
}

// ---- words ----------------------------------------------------------------------------------------------------------

MODULE: 'module'; IMPORT: 'import'; HIDING: 'hiding'; FOREIGN: 'foreign';
TYPE: 'type'; RECORD: 'record'; DATA: 'data'; FLOW: 'flow'; SR: 'SR'; LIKE: 'like';
SIGREL: 'sigrel'; WHERE: 'where'; LET: 'let'; IN: 'in'; OUT: 'out';
IF: 'if'; THEN: 'then'; ELSE: 'else'; CASE: 'case'; OF: 'of'; AS: 'as'; WITH: 'with';
LOCAL: 'local'; DISCRETE: 'discrete'; CONNECT: 'connect'; INITIALLY: 'initially'; GUESS: 'guess';
FOR: 'for'; DO: 'do'; WHEN: 'when'; EVERY: 'every'; SWITCH: 'switch'; MODE: 'mode'; UNTIL: 'until';
ASSERT: 'assert'; TERMINATE: 'terminate';

// ---- operators and brackets -----------------------------------------------------------------------------------------

DIAMOND: '<>' | '\u25C7';   // ◇
ARROW: '->' | '\u2192';     // →
BACKSLASH: '\\' | '\u03BB'; // λ
DOUBLE_COLON: '::'; ASSIGN: ':='; COLON: ':'; EQUAL: '=';
EQUAL_EQUAL: '=='; NOT_EQUAL: '/='; LESS_EQUAL: '<='; GREATER_EQUAL: '>='; LESS: '<'; GREATER: '>';
PLUS: '+'; PLUS_PLUS: '++'; MINUS: '-'; STAR: '*'; SLASH: '/'; CARET: '^'; AND: '&&'; OR: '||';
DOT_DOT: '..'; DOT: '.'; COMMA: ','; SEMICOLON: ';'; BAR: '|'; BACKTICK: '`'; HASH: '#';
LEFT_PAREN: '('; RIGHT_PAREN: ')'; LEFT_BRACKET: '['; RIGHT_BRACKET: ']'; LEFT_BRACE: '{'; RIGHT_BRACE: '}';

// What other languages write for `/=`; reported, then read as `/=`.
FOREIGN_NOT_EQUAL: '!=' | '~=' | '\u2260';

// ---- literals and names ---------------------------------------------------------------------------------------------

// A number with its unit and no blanks: 9.81<m/s^2>. Comparisons do not chain, so `3<x && y>2` is no such token.
UNIT_NUMBER: (INT | REAL) '<' [\p{L}1%\u00B0] [\p{L}0-9%\u00B0*/^.()\-]* '>';
REAL: DIGIT+ '.' DIGIT+ ([eE] [+\-]? DIGIT+)? | DIGIT+ [eE] [+\-]? DIGIT+;
INT: DIGIT+;
fragment DIGIT: [0-9];

STRING: '"' STRING_CHARACTER* '"';
UNCLOSED_STRING: '"' STRING_CHARACTER*;
fragment STRING_CHARACTER: ~["\\\r\n] | '\\' ~[\r\n];

UNDERSCORE: '_';
LOWER_NAME: [\p{Ll}\p{Lo}_] NAME_CHARACTER* '\''*;
UPPER_NAME: [\p{Lu}\p{Lt}] NAME_CHARACTER* '\''*;
fragment NAME_CHARACTER: [\p{L}\p{Mn}\p{No}0-9_];
UNIT_SIGN: [%\u00B0] [A-Za-z]*;  // of a unit: `%`, `°C`

// ---- comments and space ---------------------------------------------------------------------------------------------

LINE_COMMENT: '--' ~[\r\n]* -> channel(HIDDEN);
COMMENT_OPEN: '{-' -> channel(HIDDEN), pushMode(COMMENT);
SPACE: [ \t\r\n]+ -> skip;
OTHER: .;

mode COMMENT;
COMMENT_NESTED: '{-' -> skip, pushMode(COMMENT);
COMMENT_CLOSE: '-}' -> skip, popMode;
COMMENT_TEXT: (~[{\-])+ -> skip;
COMMENT_SIGN: [{\-] -> skip;
