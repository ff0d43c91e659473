// Limits of what a model may ask of the compiler: a model that needs more ends in a diagnostic with the place
// and the limit, not in the memory or the time of the machine. `--limit NAME=VALUE` changes one; the values
// are far beyond intended models, so that a mistake is found before it hurts.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace sigrel {

struct Limits {
  std::uint64_t memory = std::uint64_t{2} << 30;  // bytes of the values of the functional level
  std::uint64_t steps = 200'000'000;              // instructions of one evaluation
  std::uint64_t calls = 4'000'000;                // of functions inside each other
  std::uint64_t nesting = 500'000;                // of relations inside each other
  std::uint64_t unknowns = 20'000'000;            // of the model before reduction
  std::uint64_t instances = 20'000'000;
  std::uint64_t iterations = 20'000'000;     // of the `for` loops of one relation
  std::uint64_t types = 10'000;              // parts of one type
  std::uint64_t structures = 2'000'000'000;  // bytes of the systems that are kept of a model with switches
};

struct LimitInfo {
  std::string_view name;
  std::uint64_t Limits::* value;
  std::uint64_t largest;  // what the data structures can hold
};

inline constexpr std::array<LimitInfo, 9> kLimits{{
    {"memory", &Limits::memory, std::uint64_t{1} << 50},
    {"steps", &Limits::steps, std::uint64_t{1} << 60},
    {"calls", &Limits::calls, 100'000'000},
    {"nesting", &Limits::nesting, 1'000'000'000},
    {"unknowns", &Limits::unknowns, 1'000'000'000},
    {"instances", &Limits::instances, 1'000'000'000},
    {"iterations", &Limits::iterations, std::uint64_t{1} << 60},
    {"types", &Limits::types, 1'000'000'000},
    {"structures", &Limits::structures, std::uint64_t{1} << 50},
}};

}  // namespace sigrel
