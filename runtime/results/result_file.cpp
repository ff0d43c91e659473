#include "runtime/results/result_file.h"

#include <filesystem>

#include "runtime/results/csv.h"
#include "runtime/results/mat.h"

namespace runtime {

std::string no_result_file(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension.empty() || extension == ".csv" || extension == ".mat" || path.starts_with("/dev/")) return {};
  return "`" + path + "` must end in .csv or .mat";
}

std::unique_ptr<Sink> make_result_file(const std::string& path) {
  if (path.ends_with(".mat")) return std::make_unique<MatFile>(path);
  return std::make_unique<CsvFile>(path);
}

std::unique_ptr<ResultReader> open_results(const std::string& path) {
  if (MatReader::is_mat(path)) return std::make_unique<MatReader>(path);
  return std::make_unique<CsvReader>(path);
}

}  // namespace runtime
