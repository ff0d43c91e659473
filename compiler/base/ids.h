// Typed 32-bit ids. An id is an index into one table; ids of different tables do not mix.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace sigrel {

template <class Tag>
struct Id {
  std::uint32_t value = 0;
  constexpr Id() = default;
  constexpr explicit Id(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace sigrel

template <class Tag>
struct std::hash<sigrel::Id<Tag>> {
  std::size_t operator()(sigrel::Id<Tag> id) const noexcept { return id.value * 0x9E3779B97F4A7C15ull; }
};
