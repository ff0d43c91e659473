// The style and the script of the page: scene.css and scene.js.
#pragma once
#include <string_view>

namespace sigrel::animate {

extern const std::string_view kStyle, kScript;

}  // namespace sigrel::animate
