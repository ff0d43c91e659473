// The sizes of a model and the work of a run, as text.
#pragma once
#include <string>

#include "compiler/explain/event_log.h"
#include "compiler/session/session.h"

namespace sigrel::session {

/// Several lines. `events`: that observed the run.
std::string statistics_text(const Compiled& model, const Run& run, explain::EventLog& events);

}  // namespace sigrel::session
