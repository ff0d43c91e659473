#include "runtime/events/watched_differences.h"

namespace runtime {

void WatchedDifferences::differences(const Point& point, double* out) {
  functions_.evaluate(point);
  for (const std::uint32_t k : functions_.watched()) *out++ = functions_.differences()[k];
}

void WatchedDifferences::differences(const Point& point, std::span<const std::uint32_t> which, double* out) {
  constexpr std::size_t kFew = 8;  // a row evaluated by itself costs about as much as this many of a batch
  if (which.size() * kFew > watched()) {
    functions_.evaluate(point);
    for (const std::uint32_t w : which) *out++ = functions_.differences()[functions_.watched()[w]];
  } else {
    for (const std::uint32_t w : which) *out++ = functions_.evaluate_one(point, functions_.watched()[w]);
  }
}

}  // namespace runtime
