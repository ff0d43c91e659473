#include "runtime/results/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace runtime {

namespace {

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  if (seconds < 6000)
    return fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / 60), std::floor(std::fmod(seconds, 60)));
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string progress_line(double fraction, double seconds, int width) {
  fraction = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
  const std::string percent = fmt::format("{:4.0f} %  ", std::floor(fraction * 100));
  std::string rest = "  " + duration(seconds);
  if (fraction > 0.01 && fraction < 1)
    rest += fmt::format(", {} to go", duration(seconds * (1 - fraction) / fraction));
  const int cells = std::clamp(width - static_cast<int>(percent.size() + rest.size()), 8, 40);
  const int full = static_cast<int>(std::floor(fraction * cells + 1e-9));
  std::string bar;
  for (int k = 0; k < cells; ++k) bar += k < full ? "\u2588" : "\u2591";
  return percent + bar + rest;
}

void Progress::update(double fraction) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  const std::string line =
      progress_line(fraction, std::chrono::duration<double>(now - start_).count(), width_);
  std::fputs(("\r" + line + "\x1b[K").c_str(), to_);
  std::fflush(to_);
}

void Progress::finish() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", to_);
  std::fflush(to_);
  drawn_ = false;
}

}  // namespace runtime
