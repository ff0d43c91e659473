# Writes a C++ file with the texts of files: cmake -DFOLDER=<folder> "-DFILES=page.css kStyle,page.js kScript" -DNAMESPACE=report
# -DHEADER=<header> -DOUTPUT=<file> -P embed.cmake
set(texts "")
string(REPLACE "," ";" pairs "${FILES}")
foreach(pair IN LISTS pairs)
  string(REPLACE " " ";" pair "${pair}")
  list(GET pair 0 name)
  list(GET pair 1 constant)
  file(READ ${FOLDER}/${name} text)
  string(APPEND texts "const std::string_view ${constant} = R\"SIGRELPAGE(${text})SIGRELPAGE\";\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from ${FILES}.
#include \"${HEADER}\"

namespace sigrel::${NAMESPACE} {

${texts}
}  // namespace sigrel::${NAMESPACE}
")
