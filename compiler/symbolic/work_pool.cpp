#include "compiler/symbolic/work_pool.h"

#include "compiler/symbolic/algebra.h"

namespace sigrel::symbolic {

ExprId copy(const ExprPool& from, ExprId root, ExprPool& to) {
  PerNode<std::uint32_t> image(from, root, 0);
  for (std::size_t k = 0; k < image.size(); ++k) {
    Node n = from[image.id(k)];
    switch (arity(n.op)) {
      case 3: n.c = image[ExprId{n.c}]; [[fallthrough]];
      case 2: n.b = image[ExprId{n.b}]; [[fallthrough]];
      case 1: n.a = image[ExprId{n.a}]; break;
      default: break;
    }
    image.at(k) = to.intern(n).value;
  }
  return ExprId{image.at(image.size() - 1)};
}

}  // namespace sigrel::symbolic
