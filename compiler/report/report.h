// The report of a run as one self-contained page: plots that are zoomed together, the tree of parts with the
// values at a time, equations as they are solved, why each variable is what it is, events, statistics,
// messages.
#pragma once
#include <optional>
#include <string>

#include "compiler/explain/run_profile.h"
#include "compiler/session/session.h"

namespace sigrel::report {

struct Report {
  const Compiled& model;
  const Run& run;
  const SourceMap& sources;
  const Diagnostics& messages;
  FileId root;                                 // of the model
  std::string title = {};                      // of the page: the file, or the expression
  std::string statistics = {}, profile = {};   // session::statistics_text, explain::RunProfile::text
  std::string events = {}, event_counts = {};  // explain::EventLog: the first ones, and the counts
  const runtime::Trajectory* other = nullptr;  // of another run, to compare with
  std::string other_title = {};
};

/// A page without references to other files.
std::string page(const Report& report);

}  // namespace sigrel::report
