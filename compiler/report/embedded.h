// The style and the scripts of the page: page.css, plots.js and page.js.
#pragma once
#include <string_view>

namespace sigrel::report {

extern const std::string_view kStyle, kPlots, kScript;

}  // namespace sigrel::report
