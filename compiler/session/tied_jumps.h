// Jumps in a model without switches: where a source jumps at an event and constraints tie states to it, these
// jump so that charge, flux and momentum are conserved, as at a change of structure (session/jumps.h).
#pragma once
#include <functional>
#include <vector>

#include "compiler/explain/structure_changes.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/session/jumps.h"
#include "runtime/integrate/structure.h"

namespace sigrel::session {

class TiedJumps final : public runtime::JumpSource {
 public:
  /// Both outlive the run.
  TiedJumps(const pipeline::Compiled& model, Diagnostics& diagnostics);

  std::span<const std::uint32_t> tied() const override { return tied_; }
  bool jump(double time, std::span<const double> before, std::span<double> values,
            std::span<const double> parameters) override;
  void report_impossible(double time, std::uint32_t variable) override;

  /// Is called with each jump.
  std::function<void(const explain::StructureChange&)> took_place{};

 private:
  void report(double time, const std::string& why, std::span<const std::uint32_t> unknowns);
  void tell(double time, const Jumps& jumps) const;

  const pipeline::Compiled& model_;
  Diagnostics& diagnostics_;
  std::vector<std::uint32_t> tied_;
  std::vector<bool> discrete_;  // by variable: an event may change it, and nothing else
};

}  // namespace sigrel::session
