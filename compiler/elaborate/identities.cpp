#include "compiler/elaborate/identities.h"

namespace sigrel::elaborate {
namespace {

std::uint64_t word(Span span) {
  return std::uint64_t{span.file.value} << 40 ^ std::uint64_t{span.begin} << 1;
}

/// Numbers equal pairs: 0, 1, …
class Counter {
 public:
  std::uint64_t next(std::uint64_t a, std::uint64_t b) { return counts_[mixed(mixed(0, a), b)]++; }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> counts_;
};

}  // namespace

void Identities::children(InstanceIdentity parent, const system::Template& body,
                          std::vector<InstanceIdentity>& out) {
  Counter counter;
  for (const system::ChildInfo& child : body.children) {
    // The name of a child without a label depends on those before it, which another mode may not have.
    const std::uint64_t name = child.labelled ? child.name.value + 1 : 0;
    out.push_back(
        intern(instances_,
               {parent, name, word(child.span), child.labelled ? 0 : counter.next(0, word(child.span))}, 1));
  }
}

SwitchIdentity Identities::of_switch(InstanceIdentity instance, const SwitchPlace& place) {
  return switches_.try_emplace({instance, place}, static_cast<std::uint32_t>(switches_.size())).first->second;
}

std::vector<std::uint32_t> Identities::triggers(const system::System& system,
                                                std::span<const InstanceIdentity> instances) {
  Counter counter;
  std::vector<std::uint32_t> result;
  for (const system::Trigger& t : system.events.triggers) {
    const InstanceIdentity instance = instances[t.origin.instance];
    const std::uint64_t place = word(system.sources[t.origin.source].span);
    result.push_back(intern(triggers_, {instance, 0, place, counter.next(instance, place)}, 0));
  }
  return result;
}

Identities::Unknowns Identities::unknowns(const system::System& system,
                                          std::span<const InstanceIdentity> instances) {
  // The keys of a template's names, without the instance.
  struct Named {
    std::uint64_t name, span, number;
  };
  std::vector<std::vector<Named>> locals(system.templates.size()), synonyms(system.templates.size());
  for (std::size_t t = 0; t < system.templates.size(); ++t) {
    Counter counter;
    for (const system::LocalInfo& l : system.templates[t].locals) {
      // Auxiliary unknowns of one argument have one name and place.
      const bool source = l.kind == system::UnknownKind::Source;
      const std::uint64_t span = source ? 0 : word(l.span);
      locals[t].push_back({l.name.value, span, source ? 0 : 1 + counter.next(l.name.value, span)});
    }
    for (const auto& [name, column] : system.templates[t].synonyms) synonyms[t].push_back({name.value, 0, 0});
  }
  Unknowns result;
  result.of.resize(system.unknowns);
  for (std::uint32_t i = 0; i < system.instances.size(); ++i) {
    const system::Instance& self = system.instances[i];
    const system::Template& body = system.templates[self.body];
    auto identity = [&](const Named& n) {
      return intern(unknowns_, {instances[i], n.name, n.span, n.number}, 0);
    };
    for (std::uint32_t k = 0; k < body.locals.size(); ++k)
      result.of[self.first_unknown + k] = identity(locals[self.body][k]);
    const auto interface = static_cast<std::uint32_t>(body.interface.size());
    for (std::uint32_t k = 0; k < body.synonyms.size(); ++k) {
      const std::uint32_t column = body.synonyms[k].second;
      result.synonyms.emplace_back(column < interface ? system.arguments[self.first_argument + column]
                                                      : self.first_unknown + column - interface,
                                   identity(synonyms[self.body][k]));
    }
  }
  return result;
}

}  // namespace sigrel::elaborate
