#include "compiler/structural_types/expand.h"

namespace sigrel::structural_types {
namespace {

class Expander {
 public:
  Expander(std::span<const Definition> library, std::uint32_t root) : library_(library) {
    const Definition& d = library[root];
    out_.incidence.interface = d.interface();
    out_.instances.push_back({root, 0, 0});
    for (std::uint32_t v = 0; v < d.interface(); ++v) variables_.push_back(new_column(0, false, v));
    enter(0);
  }

  Expansion run() {
    while (!path_.empty()) {
      Frame& frame = path_.back();
      const Definition& d = definition(frame.instance);
      if (frame.argument_rows) {
        frame.argument_rows = false;
        argument_rows(frame, d, frame.next++);
      } else if (frame.next < d.applications()) {
        frame.argument_rows = true;
        apply(frame.instance, frame.variables, d, frame.next);
      } else {
        for (std::uint32_t e = 0; e < d.equations().rows(); ++e) {
          for (std::uint32_t v : d.equations().row(e)) push(variables_[frame.variables + v]);
          end_row({frame.instance, false, e});
        }
        path_.pop_back();
      }
    }
    out_.incidence.rows.columns = static_cast<std::uint32_t>(out_.columns.size());
    out_.incidence.hidden = out_.incidence.rows.columns - out_.incidence.interface;
    return std::move(out_);
  }

 private:
  struct Frame {
    std::uint32_t instance, variables;  // the instance and where its columns start
    std::uint32_t next = 0;             // application
    bool argument_rows = false;         // those of application `next` are due
  };

  const Definition& definition(std::uint32_t instance) const {
    return library_[out_.instances[instance].definition];
  }
  std::uint32_t new_column(std::uint32_t instance, bool argument, std::uint32_t index) {
    out_.columns.push_back({instance, argument, index});
    return static_cast<std::uint32_t>(out_.columns.size() - 1);
  }
  void push(std::uint32_t column) { out_.incidence.rows.targets.push_back(column); }
  void end_row(FlatRow row) {
    out_.incidence.rows.end_row();
    out_.rows.push_back(row);
  }

  /// The interface of the instance is at the end of variables_.
  void enter(std::uint32_t instance) {
    const Definition& d = definition(instance);
    auto start = static_cast<std::uint32_t>(variables_.size() - d.interface());
    for (std::uint32_t v = d.interface(); v < d.interface() + d.locals(); ++v)
      variables_.push_back(new_column(instance, false, v));
    path_.push_back({instance, start});
  }
  void apply(std::uint32_t parent, std::uint32_t variables, const Definition& d, std::uint32_t application) {
    out_.instances.push_back({d.relation(application), parent, application});
    for (std::uint32_t i = 0; i < d.argument_count(application); ++i) {
      std::uint32_t a = d.first_argument(application) + i;
      variables_.push_back(d.is_expression(a) ? new_column(parent, true, a)
                                              : variables_[variables + d.argument(a)[0]]);
    }
    enter(static_cast<std::uint32_t>(out_.instances.size() - 1));
  }
  /// The columns of the child stand right after those of the instance, and are no longer needed afterwards.
  void argument_rows(const Frame& frame, const Definition& d, std::uint32_t application) {
    const std::uint32_t actual = frame.variables + d.interface() + d.locals();
    for (std::uint32_t i = 0; i < d.argument_count(application); ++i) {
      std::uint32_t a = d.first_argument(application) + i;
      if (!d.is_expression(a)) continue;
      push(variables_[actual + i]);
      for (std::uint32_t v : d.argument(a)) push(variables_[frame.variables + v]);
      end_row({frame.instance, true, a});
    }
    variables_.resize(actual);
  }

  std::span<const Definition> library_;
  Expansion out_;
  std::vector<std::uint32_t> variables_;  // columns of the variables of the instances on the path, a stack
  std::vector<Frame> path_;
};

}  // namespace

Expansion expand(std::span<const Definition> library, std::uint32_t root) {
  return Expander(library, root).run();
}

}  // namespace sigrel::structural_types
