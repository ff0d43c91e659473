// Columns and grids of CSV.
#pragma once
#include "compiler/data/data_file.h"

namespace sigrel::data {

/// `text` is not blank, and has no byte order mark.
std::unique_ptr<DataFile> open_csv(const std::string& path, const std::string& shown, std::uint64_t digest,
                                   std::string text);

}  // namespace sigrel::data
