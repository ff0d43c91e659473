// `sigrel run --checkpoint FILE --every N --continue`: when checkpoints are taken, and the file that they are
// stored in.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "runtime/integrate/checkpoint.h"
#include "runtime/timer.h"

namespace sigrel::driver {

/// From one checkpoint to the next: time on the clock, or rows of the output grid.
struct CheckpointInterval {
  double seconds = 600;
  std::uint32_t rows = 0;  // 0: `seconds` count
  /// "90s", "10min", "2h" or "500rows". Throws CLI::ValidationError.
  static CheckpointInterval parse(const std::string& text);
};

class CheckpointStore final : public runtime::Checkpoints {
 public:
  /// `memory`: what the command remembers beside the run.
  CheckpointStore(std::string path, CheckpointInterval interval, std::string fingerprint,
                  std::function<void(runtime::Archive&)> memory)
      : path_(std::move(path)),
        interval_(interval),
        fingerprint_(std::move(fingerprint)),
        memory_(std::move(memory)) {}

  /// Before the run: reads the checkpoint to continue from, if there is one. False: reported.
  bool prepare(bool continues, const std::string& results, Diagnostics& diagnostics);
  bool continues() const { return !bytes_.empty(); }

  bool due(std::uint32_t row) override;
  std::string store(double time, std::string_view bytes) override;
  std::string_view path() const override { return path_; }
  std::string_view from() const override { return bytes_; }
  void visit(runtime::Archive& archive) override;

 private:
  std::string path_;
  CheckpointInterval interval_;
  std::string fingerprint_, bytes_;
  std::function<void(runtime::Archive&)> memory_;
  runtime::Timer timer_;                  // since the last one
  bool first_ = true;                     // the first one is taken at once
  std::uint32_t row_ = 0, next_row_ = 0;  // the present row, and the one after which the next one is taken
};

}  // namespace sigrel::driver
