// The indices of the loops around the current item. They are part of the names of the variables and instances
// that the item creates.
#pragma once
#include <span>
#include <vector>

#include "compiler/base/local_name.h"

namespace sigrel::elaborate {

class LoopIndices {
 public:
  bool empty() const { return indices_.empty(); }
  std::size_t depth() const { return indices_.size(); }
  void push(std::int64_t index) { indices_.push_back(index); }
  void pop() { indices_.pop_back(); }
  std::span<const std::int64_t> all() const { return indices_; }
  /// `name[i,j]`
  LocalName indexed(LocalName name) const {
    for (std::size_t i = 0; i < indices_.size(); ++i)
      name = i ? next_index(name, indices_[i]) : element(name, indices_[i]);
    return name;
  }

 private:
  std::vector<std::int64_t> indices_;
};

}  // namespace sigrel::elaborate
