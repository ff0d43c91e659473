// `check` finds what `run` finds: for a case with a complete `main`, every error of a run that does not
// depend on numbers is an error of `check`, and a model that runs passes `check`.
#pragma once
#include <string>
#include <vector>

#include "compiler/session/session.h"
#include "tests/cases/case_file.h"

namespace golden {

/// What differs between the two, one line each.
std::vector<std::string> check_against_run(const CaseFile& file, const sigrel::SessionOptions& options);

}  // namespace golden
