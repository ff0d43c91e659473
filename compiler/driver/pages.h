// Writes HTML pages into a folder.
#pragma once
#include "compiler/doc/page.h"
#include "compiler/driver/outputs.h"

namespace sigrel::driver {

/// Creates the folder if there is none. Pages that would replace one of the inputs, and failures, are
/// reported.
void write_pages(const std::string& folder, const std::vector<doc::Page>& pages,
                 const std::vector<NamedFile>& inputs, Diagnostics& diagnostics);

}  // namespace sigrel::driver
