#include "compiler/driver/pages.h"

#include <filesystem>

#include "runtime/results/output_file.h"

namespace sigrel::driver {

namespace fs = std::filesystem;

void write_pages(const std::string& folder, const std::vector<doc::Page>& pages,
                 const std::vector<NamedFile>& inputs, Diagnostics& diagnostics) {
  std::vector<NamedFile> outputs;
  for (const doc::Page& page : pages) outputs.push_back({"`-o`", (fs::path(folder) / page.file).string()});
  if (!outputs_are_separate(outputs, inputs, diagnostics)) return;
  std::error_code error;
  fs::create_directories(folder, error);
  std::string reason = error ? error.message() : "";
  for (const doc::Page& page : pages)
    if (reason.empty()) reason = runtime::write_file((fs::path(folder) / page.file).string(), page.html);
  if (!reason.empty())
    diagnostics.report(Code::ResultNotWritten, "the pages cannot be written to `" + folder + "`")
        .note(reason);
}

}  // namespace sigrel::driver
