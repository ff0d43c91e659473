// Columns of a run as data of a page, for the script of its plots (plots.js).
#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "compiler/session/session.h"

namespace sigrel::report {

/// `{"values": […], "rows": […] or "times": […], "unit": "V", "scale": 1, "offset": 0, …}`: the values of a
/// column of `trajectory`, with the description that the run has of its name. A curve of more than `most`
/// rows is thinned to these: of each part the first, the least, the greatest and the last one stay.
nlohmann::ordered_json curve(const Run& run, const runtime::Trajectory& trajectory, std::size_t column,
                             std::size_t most, bool own_times);

/// As the text of a script element, which nothing in it ends.
std::string script_text(const nlohmann::ordered_json& data);

}  // namespace sigrel::report
