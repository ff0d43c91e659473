#include "compiler/driver/checkpoint_store.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <filesystem>

#include "runtime/results/checkpoint_file.h"

namespace sigrel::driver {

CheckpointInterval CheckpointInterval::parse(const std::string& text) {
  double count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string unit(end, text.data() + text.size());
  if (error == std::errc{} && count > 0 && std::isfinite(count)) {
    if (unit == "s") return {.seconds = count};
    if (unit == "min") return {.seconds = 60 * count};
    if (unit == "h") return {.seconds = 3600 * count};
    if (unit == "rows" && count == std::floor(count) && count <= 1e9)
      return {.seconds = 0, .rows = static_cast<std::uint32_t>(count)};
  }
  throw CLI::ValidationError("--every", "`" + text +
                                            "` is not a time or a number of rows, for example 90s, 10min, "
                                            "2h or 500rows");
}

bool CheckpointStore::prepare(bool continues, const std::string& results, Diagnostics& diagnostics) {
  std::error_code error;
  const bool there = std::filesystem::exists(path_, error);
  if (!continues) {
    if (!there) return true;
    diagnostics.report(Code::FileExists, "the checkpoint `" + path_ + "` already exists")
        .help("continue from it with `--continue`, or choose another name");
    return false;
  }
  if (!there) {
    const bool rows = !results.empty() && std::filesystem::file_size(results, error) > 0 && !error;
    if (!rows) return true;  // nothing has been done yet
    diagnostics.report(Code::CheckpointUnusable, "there is no checkpoint `" + path_ + "`")
        .note("`" + results + "` has results, which a new run would overwrite")
        .help(
            "correct the name of the checkpoint; if the run was interrupted before its first one, begin a "
            "new run "
            "without `--continue`");
    return false;
  }
  runtime::StoredCheckpoint stored = runtime::read_checkpoint(path_);
  auto refuse = [&](const std::string& why) {
    return &diagnostics.report(Code::CheckpointUnusable, fmt::format("`{}` {}", path_, why));
  };
  if (!stored.failure.empty()) {
    refuse(stored.failure);
    return false;
  }
  if (stored.fingerprint != fingerprint_) {
    const bool same_model = stored.fingerprint.substr(0, 9) == fingerprint_.substr(0, 9);
    refuse(same_model ? "is of a run with other settings" : "is of another model")
        ->note(same_model ? "options such as `--set` and `--stop`, or the file of `--init-from`, differ"
                          : "or of another version of it or of Sigrel")
        .help("repeat the options of the interrupted run, or begin a new one without `--continue`");
    return false;
  }
  bytes_ = std::move(stored.bytes);
  return true;
}

bool CheckpointStore::due(std::uint32_t row) {
  row_ = row;
  if (first_) return true;  // results without a checkpoint cannot be continued
  return interval_.rows > 0 ? row >= next_row_ : timer_.seconds() >= interval_.seconds;
}

void CheckpointStore::visit(runtime::Archive& archive) {
  if (!archive.loads()) next_row_ = row_ + interval_.rows;
  archive(next_row_);
  first_ = false;
  memory_(archive);
}

std::string CheckpointStore::store(double, std::string_view bytes) {
  timer_ = {};
  return runtime::write_checkpoint(path_, fingerprint_, bytes);
}

}  // namespace sigrel::driver
