// The style and the script of the page: page.css and page.js.
#pragma once
#include <string_view>

namespace sigrel::report {

extern const std::string_view kStyle, kScript;

}  // namespace sigrel::report
