# Writes a C++ file with the style and the script of the page: cmake -DFOLDER=<folder> -DOUTPUT=<file> -P embed.cmake
file(READ ${FOLDER}/page.css style)
file(READ ${FOLDER}/page.js script)
file(WRITE ${OUTPUT} "// Generated from compiler/report.
#include \"compiler/report/embedded.h\"

namespace sigrel::report {

const std::string_view kStyle = R\"SIGRELPAGE(${style})SIGRELPAGE\";
const std::string_view kScript = R\"SIGRELPAGE(${script})SIGRELPAGE\";

}  // namespace sigrel::report
")
