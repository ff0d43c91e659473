// A progress bar on one line of a terminal. The caller determines whether there is a terminal.
#pragma once
#include <chrono>
#include <cstdio>
#include <string>

namespace runtime {

/// "  42 %  ████████░░░░░░░░░░  3.1 s, 4.3 s to go", at most `width` characters.
std::string progress_line(double fraction, double seconds, int width);

class Progress {
 public:
  explicit Progress(std::FILE* to = stderr, int width = 60) : to_(to), width_(width) {}
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Redraws at most ten times a second, and not at all in the first half second. Cheap to call every step.
  void update(double fraction);
  /// Clears the line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* to_;
  int width_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::milliseconds(500);
  bool drawn_ = false;
};

}  // namespace runtime
