// The destination of `--log-events`.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "runtime/archive.h"
#include "runtime/results/output_file.h"

namespace sigrel::driver {

/// The first failure of a file is kept until `close`.
class LogFile {
 public:
  static constexpr const char* kStandardError = "-";

  bool open(const std::string& path) {
    choose(path);
    return standard_error_ || file_.open(path);
  }
  /// Instead of `open`, for a log that `visit` continues.
  void choose(const std::string& path) {
    path_ = path;
    standard_error_ = path == kStandardError;
  }
  void write(std::string_view text) {
    if (standard_error_)
      fmt::print(stderr, "{}", text);
    else if (buffer_ += text; buffer_.size() > kBuffered)
      flush();
  }
  /// The end of the file at a checkpoint.
  void visit(runtime::Archive& archive) {
    if (standard_error_ || path_.empty()) return;
    runtime::OutputFile::Mark mark;
    if (!archive.loads()) {
      flush();
      fine_ = fine_ && file_.mark(mark);
    }
    archive(mark);
    if (archive.loads()) fine_ = archive.fine() && file_.append(path_, mark);
    if (!fine_) archive.refuse();
  }
  bool close() {
    if (standard_error_) return true;
    flush();
    return fine_ && file_.close();
  }
  const std::string& error() const { return file_.error(); }

 private:
  static constexpr std::size_t kBuffered = 64 * 1024;
  void flush() {
    fine_ = fine_ && file_.write(buffer_);
    buffer_.clear();
  }
  std::string path_;
  runtime::OutputFile file_;
  std::string buffer_;
  bool standard_error_ = false, fine_ = true;
};

}  // namespace sigrel::driver
