// The commonest mistake in a netlist: a name that was misspelt, or a part that was forgotten, leaves a node
// with one part only. Its potential and flow are then two unknowns of one equation, and the system lacks an
// equation around it, often far from the equations that a minimal set shows. Such nodes are reported before
// everything else, because most other faults of the same system follow from them.
//
// A node with one part is correct where something determines the flow: the part itself (`open`, `free`), or
// an equation of the body. Hence it is reported only if it belongs to the under-determined part of the
// incidence: one more equation for it would leave fewer equations missing.
#pragma once
#include <span>
#include <vector>

#include "compiler/singularity/source_view.h"
#include "compiler/singularity/structural_causes.h"

namespace sigrel::singularity {

/// The nodes of one body to blame; all of them are in body->lone_nodes.
struct LoneNodes {
  const system::Template* body;
  SourceView::Scope scope;  // an instance of the body, for SourceView::note_instance
  struct Node {
    const system::LoneNode* node;
    bool flow_undetermined;  // else only its potentials are
  };
  std::vector<Node> nodes;  // in source order
};

/// Those of each body, once for all its instances, in the order of the unknowns.
std::vector<LoneNodes> lone_nodes(const SourceView& view, std::span<const UnderDetermined> under);

/// One message about all nodes of a body.
Diagnostic& report_lone_nodes(const LoneNodes& lone, Diagnostics& diagnostics);

}  // namespace sigrel::singularity
