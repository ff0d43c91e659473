// Columns of results in the MAT format.
#pragma once
#include "compiler/data/data_file.h"

namespace sigrel::data {

bool is_mat(const std::string& path);
Result<std::unique_ptr<DataFile>> open_mat(const std::string& path, const std::string& shown,
                                           std::uint64_t digest);

}  // namespace sigrel::data
