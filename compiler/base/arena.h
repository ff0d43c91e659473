// A bump allocator for trees whose nodes live and die together. Node types have trivial destructors.
#pragma once
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigrel {

class Arena {
 public:
  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (memory_.allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  /// A copy of `items` that lives as long as the arena.
  template <class T>
  std::span<T> copy(const std::vector<T>& items) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (items.empty()) return {};
    T* data = static_cast<T*>(memory_.allocate(sizeof(T) * items.size(), alignof(T)));
    std::uninitialized_copy(items.begin(), items.end(), data);
    return {data, items.size()};
  }

 private:
  std::pmr::monotonic_buffer_resource memory_{64 * 1024};
};

}  // namespace sigrel
