// Equations as MathML, from their source text: fractions, powers, derivatives with dots, Greek letters.
#pragma once
#include <string>
#include <string_view>

namespace sigrel::report {

/// `text` is an equation ("c * der u = p.i") or an expression. Text that is neither is returned as text in
/// MathML.
std::string typeset(std::string_view text);

}  // namespace sigrel::report
