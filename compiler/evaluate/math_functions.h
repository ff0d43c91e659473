// The mathematical functions of C that every model can import. Nothing else of the process can be reached by
// `foreign import`: a model that somebody else has written calls no code but this, and that of the libraries
// that the command line names.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace sigrel::evaluate {

struct MathFunction {
  std::string_view symbol;
  std::uint32_t arity;
  void* address;  // double (*)(double, …)
};

/// Null if there is no such function.
const MathFunction* math_function(std::string_view symbol);
std::vector<std::string_view> math_function_names();

}  // namespace sigrel::evaluate
