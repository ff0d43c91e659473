// `--limit NAME=VALUE` and `--memory SIZE`: the limits of base/limits.h.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

#include "compiler/base/limits.h"
#include "compiler/driver/command.h"

namespace sigrel::driver {
namespace {

/// "3000000", "2M", "4G": K, M and G are powers of 1024 for bytes, otherwise of 1000.
std::optional<std::uint64_t> number(std::string_view text, std::uint64_t unit) {
  std::uint64_t value = 0, scale = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (!rest.empty() && rest.back() == 'B' && unit == 1024) rest.remove_suffix(1);
  if (rest.size() > 1) return std::nullopt;
  if (!rest.empty()) {
    const std::size_t power = std::string_view("KMGT").find(rest[0]);
    if (power == std::string_view::npos) return std::nullopt;
    for (std::size_t k = 0; k <= power; ++k) scale *= unit;
  }
  std::uint64_t result = 0;
  return __builtin_mul_overflow(value, scale, &result) ? std::nullopt : std::optional(result);
}

void set(Limits& limits, const LimitInfo& info, std::string_view text) {
  const auto value = number(text, info.value == &Limits::memory ? 1024 : 1000);
  if (!value || *value == 0 || *value > info.largest)
    throw CLI::ValidationError(fmt::format("the limit `{}` is a number from 1 to {}, such as 500M; not `{}`",
                                           info.name, info.largest, text));
  limits.*info.value = *value;
}

void set(Limits& limits, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  const auto info = std::ranges::find(kLimits, std::string_view(setting).substr(0, equals), &LimitInfo::name);
  if (equals == std::string::npos || info == kLimits.end()) {
    std::string names;
    for (const LimitInfo& known : kLimits)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
    throw CLI::ValidationError(
        fmt::format("`--limit {}`: write NAME=VALUE; the limits are {}", setting, names));
  }
  set(limits, *info, std::string_view(setting).substr(equals + 1));
}

}  // namespace

void add_limit_options(CLI::App& app, Limits& limits) {
  app.add_option_function<std::vector<std::string>>(
         "--limit",
         [&limits](const std::vector<std::string>& settings) {
           for (const std::string& setting : settings) set(limits, setting);
         },
         "Change a limit of the compiler, for example iterations=50M; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option_function<std::string>(
         "--memory", [&limits](const std::string& size) { set(limits, kLimits[0], size); },
         "Memory for the values of the functional level, for example 8G (default 2G)")
      ->type_name("SIZE");
}

}  // namespace sigrel::driver
