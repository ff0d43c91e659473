// HTML pages: one for each module and an index. Each is complete by itself: no script, its style inside,
// light or dark as the reader's system is. Well-formed as XML, too.
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

/// A whole page around a body; `style` is added to the common one.
std::string document(std::string_view title, std::string_view body, std::string_view style = {});

/// The pages of the modules in their order, then the index. Names of types link to where they are described,
/// in the same module, in one that it imports, or in the Prelude, when that is among `modules`.
std::vector<Page> pages(const std::vector<Module>& modules);

}  // namespace sigrel::doc
