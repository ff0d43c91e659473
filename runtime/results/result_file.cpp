#include "runtime/results/result_file.h"

#include <fstream>

#include "runtime/results/csv.h"
#include "runtime/results/mat.h"

namespace runtime {

std::unique_ptr<Sink> make_result_file(const std::string& path) {
  if (path.ends_with(".mat")) return std::make_unique<MatFile>(path);
  return std::make_unique<CsvFile>(path);
}

std::unique_ptr<ResultReader> open_results(const std::string& path) {
  if (MatReader::is_mat(path)) return std::make_unique<MatReader>(path);
  return std::make_unique<CsvReader>(path);
}

}  // namespace runtime
