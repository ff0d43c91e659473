# Rewrites a generated recognizer, so that it builds its automaton when the first recognizer is made, instead
# of before main(): cmake -D FILE=SigrelLexer.cpp -D CLASS=SigrelLexer -P start_lazily.cmake
file(READ ${FILE} text)
function(replace_once from to)
  string(FIND "${text}" "${from}" first)
  string(FIND "${text}" "${from}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "${FILE} does not contain this once, as ANTLR 4.7.2 writes it: ${from}")
  endif()
  string(REPLACE "${from}" "${to}" text "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()
replace_once("${CLASS}::Initializer ${CLASS}::_init;" "")
replace_once("  _interpreter = new " "  static Initializer automaton;\n  _interpreter = new ")
# The check of the automaton, which the generator has made, takes a third of the time.
replace_once("  atn::ATNDeserializer deserializer;"
  "  atn::ATNDeserializationOptions unchecked;\n  unchecked.setVerifyATN(false);\n  atn::ATNDeserializer deserializer(unchecked);")
file(WRITE ${FILE} "${text}")
