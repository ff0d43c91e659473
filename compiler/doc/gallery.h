// A gallery of models: a page for each, with the text and equations of its header, a plot, how to run it, and
// its source; and an index of pictures.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/doc/page.h"

namespace sigrel::doc {

struct Example {
  std::string file;  // "05_pendulum.sr", without its folder
  FileId source;
  std::string plot, small_plot;                        // SVG; the small one for the index
  std::vector<std::pair<std::string, double>> values;  // at the end of the run
  double end = 0;
};

/// "05_low_pass.sr" -> "Low pass"; a word that the header of the file writes with capitals has them: "DC
/// motor", "Akzo Nobel".
std::string example_title(const std::string& file, std::string_view source);

/// The pages of the examples in their order, their pictures, then the index. Well-formed as XML, no script.
std::vector<Page> gallery(const std::vector<Example>& examples, const SourceMap& sources);

}  // namespace sigrel::doc
