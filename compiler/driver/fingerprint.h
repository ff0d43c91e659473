// What identifies a computation that is continued later: it must be the same one.
#pragma once
#include <span>
#include <string>

#include "compiler/driver/command.h"

namespace sigrel::driver {

/// Two numbers of 8 hexadecimal digits (FNV-1a of 64 bits, folded).
struct Fingerprint {
  std::string model;     // all its source files, the shared libraries, and the version of Sigrel
  std::string settings;  // of the run, with `--set` and the file of `--init-from`
  std::string text() const { return model + "-" + settings; }
};

/// `more`: settings of the command.
Fingerprint fingerprint_of(const Globals& globals, const Session& session, const RunOptions& run,
                           const std::string& expression, bool strict_initial,
                           std::span<const std::string> more = {});

}  // namespace sigrel::driver
