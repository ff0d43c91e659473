#include "runtime/events/change_counts.h"

#include <algorithm>

namespace runtime {

namespace {
// What occurs at least this part as often as the most frequent is named, too: a trigger fires once where its
// comparison changes twice.
constexpr std::uint32_t kNearly = 4;

std::uint32_t largest(const std::vector<std::uint32_t>& counts) {
  return counts.empty() ? 0 : *std::ranges::max_element(counts);
}
}  // namespace

void ChangeCounts::clear() {
  std::ranges::fill(changes_, 0);
  std::ranges::fill(fired_, 0);
}

void ChangeCounts::count(const ZeroCrossingFunctions& functions, std::span<const double> parameters_before,
                         std::span<const double> parameters) {
  changes_.resize(functions.size());
  for (std::size_t k = 0; k < changes_.size(); ++k)
    changes_[k] += functions.held(k, parameters_before) != functions.held(k, parameters);
}

void ChangeCounts::fired(std::span<const std::uint8_t> fired) {
  fired_.resize(fired.size());
  for (std::size_t t = 0; t < fired.size(); ++t) fired_[t] += fired[t] != 0;
}

std::vector<std::uint32_t> ChangeCounts::most_frequent(const std::vector<std::uint32_t>& counts) const {
  const std::uint32_t most = std::max(largest(changes_), largest(fired_));
  std::vector<std::uint32_t> result;
  for (std::uint32_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0 && counts[k] >= most / kNearly) result.push_back(k);
  std::ranges::stable_sort(result, std::greater<>(), [&](std::uint32_t k) { return counts[k]; });
  if (result.size() > kFailureDetails) result.resize(kFailureDetails);
  return result;
}

}  // namespace runtime
