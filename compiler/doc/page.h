// HTML pages: one for each module and an index. Self-contained: no scripts, inline style, light or dark as
// set in the system. Well-formed XML.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/doc/module.h"

namespace sigrel::doc {

struct Page {
  std::string file;  // "Electrical.html"
  std::string html;
};

/// A whole page with the given body; `style` is added to the common style.
std::string document(std::string_view title, std::string_view body, std::string_view style = {});

/// The pages of the modules in order, then the index. Type names link to their descriptions in the same
/// module, in an imported one, or in the Prelude, if these are in `modules`.
std::vector<Page> pages(const std::vector<Module>& modules);

}  // namespace sigrel::doc
