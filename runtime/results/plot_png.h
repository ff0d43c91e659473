// A picture as PNG, drawn from its SVG by librsvg, which is loaded on demand.
#pragma once
#include <string>
#include <string_view>

namespace runtime {

struct PngResult {
  bool no_library = false;
  std::string error;  // empty: written
};

/// The bytes of the picture in `png`. `scale`: pixels per unit of the SVG.
PngResult draw_png(std::string& png, std::string_view svg, double width, double height, double scale = 2);
/// The same to a file.
PngResult write_png(const std::string& path, std::string_view svg, double width, double height,
                    double scale = 2);

}  // namespace runtime
