// A gallery of models: for each a page with the text and equations of its header, a plot, the command that
// runs it, and its source; and an index with small plots.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/doc/page.h"

namespace sigrel::doc {

struct Example {
  std::string file;  // "05_pendulum.sr"; without folder
  std::string path;  // as a command names it: "examples/05_pendulum.sr"
  FileId source;
  std::string plot, small_plot;  // SVG; the small plot is for the index
  std::string still, animation;  // SVG and page, of a model with bodies; else empty
  std::vector<std::pair<std::string, std::string>> values;  // final values
  double end = 0;
};

/// "05_low_pass.sr" -> "Low pass". Words that are capitalised in the header of the file are here, too: "DC
/// motor", "Akzo Nobel".
std::string example_title(const std::string& file, std::string_view source);

/// The pages of the examples in order with their plots and animations, then the index. All but the animations
/// are well-formed XML without scripts.
std::vector<Page> gallery(const std::vector<Example>& examples, const SourceMap& sources);

}  // namespace sigrel::doc
