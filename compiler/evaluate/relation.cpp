#include "compiler/evaluate/relation.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace sigrel::evaluate {
namespace {

constexpr std::uint32_t kInProgress = kNone - 1;

// Visits everything below `items` in preorder, each object once (closures may be cyclic); does not enter
// relations.
template <class Visitor>
void traverse(std::span<const Value> items, Visitor&& visitor) {
  std::unordered_map<const Object*, std::uint32_t> seen;
  std::vector<Value> work(items.rbegin(), items.rend());
  while (!work.empty()) {
    Value v = work.back();
    work.pop_back();
    if (v.tag != Tag::Object) {
      visitor.scalar(v);
      continue;
    }
    if (v.object->kind == ObjectKind::Relation) {
      visitor.relation(*static_cast<RelationObject*>(v.object));
      continue;
    }
    if (v.object->size) {
      auto [it, fresh] = seen.try_emplace(v.object, static_cast<std::uint32_t>(seen.size()));
      if (!fresh) {
        visitor.again(it->second);
        continue;
      }
    }
    visitor.object(*v.object);
    for (std::uint32_t i = v.object->size; i-- > 0;) work.push_back(v.object->items[i]);
  }
}

enum Word : std::uint64_t { kScalar = 1, kReal, kRelation, kSelf, kAgain, kObject, kOrigin };
std::uint64_t word(Word kind, std::uint64_t a, std::uint64_t b = 0) { return kind | a << 4 | b << 40; }

// A key of values in which each Real counts as unknown.
struct Words {
  std::vector<std::uint64_t> words;
  std::uint32_t reals = 0;
  bool size_dependent = false;

  void scalar(const Value& v) {
    if (v.tag == Tag::Real) {
      ++reals;
      words.push_back(word(kReal, 0));
      return;
    }
    bool dependent = v.tag == Tag::Int && v.index != kConstant;
    words.push_back(word(kScalar, static_cast<std::uint64_t>(v.tag), dependent));
    words.push_back(static_cast<std::uint64_t>(v.integer));
    if (v.tag == Tag::String) words.push_back(v.index);
    if (dependent) words.push_back(v.index);
    size_dependent |= dependent;
  }
  void again(std::uint32_t i) { words.push_back(word(kAgain, i)); }
  void object(const Object& o) {
    words.push_back(word(kObject, static_cast<std::uint64_t>(o.kind), o.size));
    bool dependent = o.kind == ObjectKind::Construct && o.b != kNone;
    words.push_back(o.a | static_cast<std::uint64_t>(o.kind == ObjectKind::Layout || dependent ? o.b : 0)
                              << 32);
    if (o.code) words.push_back(reinterpret_cast<std::uintptr_t>(o.code));
    size_dependent |= dependent;
  }
};

}  // namespace

bool Relations::compute(RelationObject& relation, std::vector<RelationObject*>& missing) {
  struct Visitor : Words {
    Relations& relations;
    std::vector<RelationObject*>& missing;
    Visitor(Relations& r, std::vector<RelationObject*>& m) : relations(r), missing(m) {}
    void relation(RelationObject& r) {
      if (r.skeleton == kNone) missing.push_back(&r);
      words.push_back(r.skeleton == kInProgress ? word(kSelf, r.relation().id) : word(kRelation, r.skeleton));
      size_dependent |=
          r.skeleton < relations.size_dependent_.size() && relations.size_dependent_[r.skeleton];
    }
  } visitor{*this, missing};
  visitor.words.push_back(relation.relation().id);
  if (relation.origin != kNone) visitor.words.push_back(word(kOrigin, relation.origin));
  std::size_t before = missing.size();
  traverse({relation.items, relation.size}, visitor);
  if (missing.size() != before) return false;
  auto [it, fresh] =
      skeletons_.try_emplace(std::move(visitor.words), static_cast<std::uint32_t>(skeletons_.size()));
  if (fresh) {
    real_counts_.push_back(visitor.reals);
    size_dependent_.push_back(visitor.size_dependent || relation.origin != kNone);
  }
  relation.skeleton = it->second;
  return true;
}

bool Relations::depends_on_size(std::span<const Value> values, std::vector<std::uint64_t>& key) {
  struct Visitor : Words {
    Relations& relations;
    explicit Visitor(Relations& r) : relations(r) {}
    void relation(RelationObject& r) {
      // A relation of a recursive `let` that is not complete yet is identified by its address.
      if (std::ranges::any_of(r.span(), [](const Value& v) { return v.tag == Tag::Undefined; })) {
        words.push_back(word(kSelf, 0));
        words.push_back(reinterpret_cast<std::uintptr_t>(&r));
        return;
      }
      std::uint32_t skeleton = relations.skeleton(r);
      words.push_back(word(kRelation, skeleton));
      size_dependent |= relations.size_dependent_[skeleton];
    }
  } visitor{*this};
  traverse(values, visitor);
  key = std::move(visitor.words);
  return visitor.size_dependent;
}

std::uint32_t Relations::skeleton(RelationObject& root) {
  if (root.skeleton != kNone && root.skeleton != kInProgress) return root.skeleton;
  // Innermost first: the skeletons of captured relations are part of the key.
  std::vector<RelationObject*> work{&root};
  while (!work.empty()) {
    RelationObject* r = work.back();
    if (r->skeleton != kNone && r->skeleton != kInProgress) {
      work.pop_back();
      continue;
    }
    r->skeleton = kInProgress;
    std::size_t before = work.size();
    std::vector<RelationObject*> missing;
    if (compute(*r, missing))
      work.pop_back();
    else
      work.insert(work.begin() + static_cast<std::ptrdiff_t>(before), missing.begin(), missing.end());
  }
  return root.skeleton;
}

Relations::Parts Relations::parts(const RelationObject& relation) const {
  struct Visitor {
    Parts parts;
    void scalar(const Value& v) {
      if (v.tag == Tag::Real) parts.reals.push_back(v);
    }
    void relation(RelationObject& r) { parts.relations.push_back(&r); }
    void again(std::uint32_t) {}
    void object(const Object&) {}
  } visitor;
  traverse({relation.items, relation.size}, visitor);
  return std::move(visitor.parts);
}

std::vector<Value> Relations::body_captures(const RelationObject& relation, std::span<const Value> reals) {
  // In the order of traverse().
  struct Work {
    Value value;
    Value* target;
  };
  std::vector<Value> result(relation.size);
  std::unordered_map<const Object*, Object*> copies;
  std::vector<Work> work;
  for (std::uint32_t i = relation.size; i-- > 0;) work.push_back({relation.items[i], &result[i]});
  std::uint32_t real = 0, captured = 0;
  while (!work.empty()) {
    auto [v, target] = work.back();
    work.pop_back();
    if (v.tag == Tag::Real) {
      *target = reals[real++];
    } else if (v.tag != Tag::Object) {
      *target = v;
    } else if (v.object->kind == ObjectKind::Relation) {
      auto& r = *static_cast<RelationObject*>(v.object);
      RelationObject* copy = heap_.relation(r.relation(), 0);
      copy->items = r.items;  // read only when its own body is built
      copy->size = r.size;
      copy->skeleton = skeleton(r);
      copy->origin = r.origin;
      copy->own_captured = captured++;
      *target = Value::of(copy);
    } else {
      if (v.object->size) {
        if (auto it = copies.find(v.object); it != copies.end()) {
          *target = Value::of(it->second);
          continue;
        }
      }
      Object* copy = heap_.object(v.object->kind, v.object->size);
      copy->a = v.object->a;
      copy->b = v.object->b;
      copy->code = v.object->code;
      if (copy->size) copies.emplace(v.object, copy);
      *target = Value::of(copy);
      for (std::uint32_t i = copy->size; i-- > 0;) work.push_back({v.object->items[i], &copy->items[i]});
    }
  }
  return result;
}

std::vector<Value> Relations::numbers(const Value& root) {
  // A relation is visited at each of its uses, everything else once in each relation.
  struct Level {
    std::vector<Value> work;
    std::unordered_set<const Object*> seen{};
  };
  std::vector<Value> result;
  std::vector<Level> levels;
  levels.push_back({{root}});
  while (!levels.empty()) {
    if (levels.back().work.empty()) {
      levels.pop_back();
      continue;
    }
    const Value v = levels.back().work.back();
    levels.back().work.pop_back();
    if (v.tag == Tag::Real || v.tag == Tag::Signal) {
      result.push_back(v);
    } else if (v.tag == Tag::Object && v.object->kind == ObjectKind::Relation) {
      const auto& r = *static_cast<const RelationObject*>(v.object);
      if (r.own_captured != kNone)
        result.push_back(v);
      else
        levels.push_back(
            {{std::make_reverse_iterator(r.items + r.size), std::make_reverse_iterator(r.items)}});
    } else if (v.tag == Tag::Object) {
      if (v.object->size && !levels.back().seen.insert(v.object).second) continue;
      for (std::uint32_t i = v.object->size; i-- > 0;) levels.back().work.push_back(v.object->items[i]);
    }
  }
  return result;
}

Value Relations::with_numbers(const Value& root, std::span<const double> numbers) {
  // In the order of numbers().
  struct Work {
    Value value;
    Value* target;
  };
  struct Level {
    std::vector<Work> work;
    std::unordered_map<const Object*, Object*> copies{};
  };
  Value result;
  std::size_t next = 0;
  std::vector<Level> levels;
  levels.push_back({{{root, &result}}});
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.work.empty()) {
      levels.pop_back();
      continue;
    }
    const auto [v, target] = level.work.back();
    level.work.pop_back();
    if (v.tag == Tag::Real || v.tag == Tag::Signal) {
      *target = Value::of_real(numbers.empty() ? 0.0 : numbers[next++]);
    } else if (v.tag != Tag::Object) {
      *target = v;
    } else if (v.object->kind == ObjectKind::Relation) {
      const auto& r = *static_cast<const RelationObject*>(v.object);
      RelationObject* copy = heap_.relation(r.relation(), r.size);
      copy->origin = r.origin;
      *target = Value::of(copy);
      std::vector<Work> work;
      for (std::uint32_t i = r.size; i-- > 0;) work.push_back({r.items[i], &copy->items[i]});
      levels.push_back({std::move(work)});
    } else {
      if (v.object->size) {
        if (auto it = level.copies.find(v.object); it != level.copies.end()) {
          *target = Value::of(it->second);
          continue;
        }
      }
      Object* copy = heap_.object(v.object->kind, v.object->size);
      copy->a = v.object->a;
      copy->b = v.object->b;
      copy->code = v.object->code;
      if (copy->size) level.copies.emplace(v.object, copy);
      *target = Value::of(copy);
      for (std::uint32_t i = copy->size; i-- > 0;)
        level.work.push_back({v.object->items[i], &copy->items[i]});
    }
  }
  return result;
}

std::vector<std::uint64_t> Relations::structure(const Value& value) {
  std::vector<std::uint64_t> key;
  depends_on_size({&value, 1}, key);
  return key;
}

std::vector<std::string> Relations::real_names(const RelationObject& relation) const {
  const RelationCode& code = relation.relation();
  struct Work {
    Value value;
    std::string name;
    bool in_vector = false;
    std::uint32_t elements = 0;  // of a list before this rest of it, whose first element has the name
  };
  std::vector<std::string> names;
  // A list, or what is built like one: its elements are numbered, for their paths would grow with the list.
  const auto is_cell = [](const Object& o) {
    if (o.kind != ObjectKind::Construct || o.size != 2 || o.a != 1) return false;
    const Value& rest = o.items[1];
    return is_object(rest, ObjectKind::Construct) &&
           (rest.object->size == 0 || (rest.object->size == 2 && rest.object->a == 1));
  };
  // As in results: "p.r", "x[2]", "m[1,2]".
  auto part_name = [&](const Work& whole, const Object& o, std::uint32_t i) {
    const std::string number = std::to_string(i + 1);
    if (o.kind == ObjectKind::Vector)
      return whole.in_vector ? whole.name.substr(0, whole.name.size() - 1) + "," + number + "]"
                             : whole.name + "[" + number + "]";
    const auto named = [&] { return std::string(text(program_.records[o.a].fields[i].name)); };
    return whole.name + "." + (o.kind == ObjectKind::Record ? named() : number);
  };
  std::unordered_map<const Object*, bool> seen;
  std::vector<Work> work;
  for (auto i = static_cast<std::uint32_t>(code.captured.size()); i-- > 0;)  // without modes (elaborate)
    work.push_back({relation.items[i], std::string(text(code.global->local_names[code.captured[i].value]))});
  while (!work.empty()) {
    Work w = std::move(work.back());
    work.pop_back();
    if (w.value.tag == Tag::Real) {
      names.push_back(std::move(w.name));
    } else if (w.value.tag == Tag::Object && w.value.object->kind != ObjectKind::Relation) {
      const Object& o = *w.value.object;
      if (o.size && !seen.try_emplace(&o, true).second) continue;
      if (is_cell(o)) {
        if (w.elements == 0) w.name += "[1]";
        // The rest of the list is below the element.
        const std::size_t bracket = w.name.rfind('[');
        work.push_back({o.items[1], w.name.substr(0, bracket + 1) + std::to_string(w.elements + 2) + "]",
                        false, w.elements + 1});
        work.push_back({o.items[0], std::move(w.name)});
        continue;
      }
      if (w.elements > 0 && o.size == 0) continue;  // the end of a list
      for (std::uint32_t i = o.size; i-- > 0;)
        work.push_back({o.items[i], part_name(w, o, i), o.kind == ObjectKind::Vector});
    }
  }
  return names;
}

}  // namespace sigrel::evaluate
