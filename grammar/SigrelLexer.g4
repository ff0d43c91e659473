// The tokens of Sigrel. Layout is not handled here: compiler/parse/layout.cpp divides the token stream into
// pieces by the column of their first token. It also changes the types of some tokens according to their
// neighbours; the `tokens` section below lists these types.
lexer grammar SigrelLexer;

tokens {
  BLOCK,               // a complete layout block, already parsed: the items of `where`, the cases of `of`, …
  INDEX_OPEN,          // `[` without a space before it: indexing
  LABEL_COLON,         // `:` after the name that starts an item
  OPERATOR_NAME,       // the operator of `(+)`
  LEFT_SECTION,        // the operator of `(x +)`
  LEFT_SECTION_NAMED   // the first backtick of (x `f`)
}

// ---- words ------------------------------------------------------------------------------------------------

MODULE: 'module'; IMPORT: 'import'; HIDING: 'hiding'; FOREIGN: 'foreign';
TYPE: 'type'; RECORD: 'record'; DATA: 'data'; FLOW: 'flow'; ROTATION: 'rotation'; SR: 'SR'; LIKE: 'like';
SIGREL: 'sigrel'; WHERE: 'where'; LET: 'let'; IN: 'in'; OUT: 'out';
IF: 'if'; THEN: 'then'; ELSE: 'else'; CASE: 'case'; OF: 'of'; AS: 'as'; WITH: 'with';
LOCAL: 'local'; DISCRETE: 'discrete'; CONNECT: 'connect'; INITIALLY: 'initially'; GUESS: 'guess';
FOR: 'for'; DO: 'do'; WHEN: 'when'; ELSEWHEN: 'elsewhen'; EVERY: 'every'; SWITCH: 'switch'; MODE: 'mode'; UNTIL: 'until';
ASSERT: 'assert'; TERMINATE: 'terminate';

// ---- operators and brackets -------------------------------------------------------------------------------

DIAMOND: '<>' | '\u25C7';   // ◇
ARROW: '->' | '\u2192';     // →
BACKSLASH: '\\';
DOUBLE_COLON: '::'; ASSIGN: ':='; COLON: ':'; EQUAL: '=';
EQUAL_EQUAL: '=='; NOT_EQUAL: '/='; LESS_EQUAL: '<='; GREATER_EQUAL: '>='; LESS: '<'; GREATER: '>';
PLUS: '+'; PLUS_PLUS: '++'; MINUS: '-'; STAR: '*'; SLASH: '/'; CARET: '^'; AND: '&&'; OR: '||';
DOT_DOT: '..'; DOT: '.'; COMMA: ','; SEMICOLON: ';'; BAR: '|'; BACKTICK: '`'; HASH: '#';
LEFT_PAREN: '('; RIGHT_PAREN: ')'; LEFT_BRACKET: '['; RIGHT_BRACKET: ']'; LEFT_BRACE: '{'; RIGHT_BRACE: '}';

// `/=` as other languages write it: reported as an error, then treated as `/=`.
FOREIGN_NOT_EQUAL: '!=' | '~=' | '\u2260';

// ---- literals and names -----------------------------------------------------------------------------------

// A number with its unit, without spaces: 9.81<m/s^2>. It cannot be confused with comparisons: these do not
// chain, so `3<x>2` is not an expression, and `3<x && y>2` contains characters that are not allowed in a
// unit.
UNIT_NUMBER: (INT | REAL) '<' (LETTER | [1%\u00B0]) (LETTER | [0-9%\u00B0*/^.()\-])* '>';
REAL: DIGIT+ '.' DIGIT+ ([eE] [+\-]? DIGIT+)? | DIGIT+ [eE] [+\-]? DIGIT+;
INT: DIGIT+;
fragment DIGIT: [0-9];

STRING: '"' STRING_CHARACTER* '"';
UNCLOSED_STRING: '"' STRING_CHARACTER*;
fragment STRING_CHARACTER: ~["\\\r\n] | '\\' ~[\r\n];

UNDERSCORE: '_';
LOWER_NAME: LOWER (LETTER | MARK)* '\''*;
UPPER_NAME: UPPER (LETTER | MARK)* '\''*;
UNIT_SIGN: [%\u00B0] [A-Za-z]*;  // in a unit: `%`, `°C`

// Letters are given as ranges, because ANTLR's tables for Unicode properties cost ten milliseconds at every
// start. Upper case are the capitals of the Latin, Greek and Cyrillic scripts; any other letter is lower
// case.
fragment LETTER: LOWER | UPPER;
fragment UPPER
  : [A-Z\u00C0-\u00D6\u00D8-\u00DE]
  | [\u0100\u0102\u0104\u0106\u0108\u010A\u010C\u010E\u0110\u0112\u0114\u0116\u0118\u011A\u011C\u011E]
  | [\u0120\u0122\u0124\u0126\u0128\u012A\u012C\u012E\u0130\u0132\u0134\u0136\u0139\u013B\u013D\u013F]
  | [\u0141\u0143\u0145\u0147\u014A\u014C\u014E\u0150\u0152\u0154\u0156\u0158\u015A\u015C\u015E\u0160]
  | [\u0162\u0164\u0166\u0168\u016A\u016C\u016E\u0170\u0172\u0174\u0176\u0178\u0179\u017B\u017D]
  | [\u0386\u0388-\u038F\u0391-\u03AB\u0400-\u042F\u2126\u212A\u212B]
  ;
fragment LOWER
  : [a-z_\u00AA\u00B5\u00BA\u00DF-\u00F6\u00F8-\u00FF]
  | [\u0101\u0103\u0105\u0107\u0109\u010B\u010D\u010F\u0111\u0113\u0115\u0117\u0119\u011B\u011D\u011F]
  | [\u0121\u0123\u0125\u0127\u0129\u012B\u012D\u012F\u0131\u0133\u0135\u0137\u0138\u013A\u013C\u013E]
  | [\u0140\u0142\u0144\u0146\u0148\u0149\u014B\u014D\u014F\u0151\u0153\u0155\u0157\u0159\u015B\u015D]
  | [\u015F\u0161\u0163\u0165\u0167\u0169\u016B\u016D\u016F\u0171\u0173\u0175\u0177\u017A\u017C\u017E]
  | [\u017F]
  | [\u0180-\u02AF\u0370-\u037D\u0390\u03AC-\u03FF\u0430-\u0481\u048A-\u1FFF\u2C00-\u2DFF\u3041-\uD7FF\uF900-\uFDFF]
  | [\uFE70-\uFEFC\uFF66-\uFFDC\u{10000}-\u{1CFFF}\u{20000}-\u{3FFFF}]
  ;
// Digits, superscripts and subscripts, combining accents.
fragment MARK: [0-9\u00B2\u00B3\u00B9\u0300-\u036F\u2070-\u209C];

// ---- comments and space -----------------------------------------------------------------------------------

LINE_COMMENT: '--' ~[\r\n]* -> channel(HIDDEN);
COMMENT_OPEN: '{-' -> channel(HIDDEN), pushMode(COMMENT);
SPACE: [ \t\r\n]+ -> skip;
OTHER: .;

mode COMMENT;
COMMENT_NESTED: '{-' -> skip, pushMode(COMMENT);
COMMENT_CLOSE: '-}' -> skip, popMode;
COMMENT_TEXT: (~[{\-])+ -> skip;
COMMENT_SIGN: [{\-] -> skip;
