// The memory of a simulation as bytes: for checkpoints.
//
// An object with memory has one function `visit(Archive&)`, which names its members once; an archive that
// saves appends them, one that loads replaces them. What is not named there is forgotten at a checkpoint. The
// bytes are those of the machine: another one, or another version, does not read them
// (results/checkpoint_file.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace runtime {

class Archive {
 public:
  /// Saves.
  Archive() = default;
  /// Loads from these bytes, which outlive the archive.
  explicit Archive(std::string_view bytes) : loads_(true), from_(bytes) {}

  bool loads() const { return loads_; }
  /// Whether nothing has been refused and, of an archive that loads, it had all that was asked for.
  bool fine() const { return fine_; }
  /// Of what is not whole: it cannot be saved, or is not what was saved.
  void refuse() { fine_ = false; }
  std::string take() { return std::move(bytes_); }

  template <class... T>
  void operator()(T&... members) {
    (one(members), ...);
  }
  /// A list whose length the model determines.
  template <class List>
  void fixed(List& list) {
    const std::size_t size = list.size();
    std::uint64_t saved = size;
    one(saved);
    if (saved != size) fine_ = false;
    for (std::size_t k = 0; k < size && fine_; ++k) one(list[k]);
  }

 private:
  template <class T>
  void one(T& value) {
    if constexpr (requires { value.visit(*this); })
      value.visit(*this);
    else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
      raw(&value, sizeof value);
    else
      list(value);
  }
  template <class T>
  void one(std::optional<T>& value) {
    bool present = value.has_value();
    one(present);
    if (loads_) value = present ? std::optional<T>(T{}) : std::nullopt;
    if (present) one(*value);
  }
  /// A vector, a deque or a string.
  template <class List>
  void list(List& list) {
    std::uint64_t size = list.size();
    one(size);
    if (loads_) {
      if (!fine_ || size > from_.size()) {  // an element has a byte at least
        fine_ = false;
        return;
      }
      list.clear();
      list.resize(size);
    }
    if constexpr (std::is_arithmetic_v<typename List::value_type> && requires { list.data(); })
      raw(list.data(), size * sizeof(typename List::value_type));
    else
      for (auto& element : list) one(element);
  }
  void raw(void* value, std::size_t size) {
    if (!loads_) {
      bytes_.append(static_cast<const char*>(value), size);
    } else if (!fine_ || from_.size() < size) {
      fine_ = false;
    } else {
      if (size > 0) std::memcpy(value, from_.data(), size);  // an empty list has no address
      from_.remove_prefix(size);
    }
  }

  bool loads_ = false, fine_ = true;
  std::string bytes_;
  std::string_view from_;
};

}  // namespace runtime
