// Vectors over the ids of one table: v[id], where an id of another table does not compile.
#pragma once
#include <cstddef>
#include <ranges>
#include <utility>
#include <vector>

#include "compiler/base/ids.h"

namespace sigrel {

template <class Key, class Value>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t size, const Value& value = Value{}) : values_(size, value) {}
  explicit IdVector(std::vector<Value> values) : values_(std::move(values)) {}

  decltype(auto) operator[](Key key) { return values_[key.value]; }
  decltype(auto) operator[](Key key) const { return values_[key.value]; }
  std::size_t size() const { return values_.size(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool empty() const { return values_.empty(); }
  decltype(auto) back() const { return values_.back(); }
  void assign(std::size_t size, const Value& value) { values_.assign(size, value); }
  void resize(std::size_t size, const Value& value = Value{}) { values_.resize(size, value); }
  void reserve(std::size_t size) { values_.reserve(size); }
  void append(std::size_t count, const Value& value) { values_.insert(values_.end(), count, value); }
  /// Returns the id of the new value.
  Key push_back(Value value) {
    values_.push_back(std::move(value));
    return Key{values_.size() - 1};
  }

 private:
  std::vector<Value> values_;
};

/// The ids from `first` to `last` - 1.
template <class Key>
auto ids(std::size_t first, std::size_t last) {
  return std::views::iota(first, last) | std::views::transform([](std::size_t k) { return Key{k}; });
}

}  // namespace sigrel
