#include "compiler/animate/scene.h"

#include <Eigen/Eigenvalues>
#include <cmath>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace sigrel::animate {
namespace {

using system::Instance;
using system::System;
using system::Template;

constexpr double kPi = 3.14159265358979323846;
constexpr double kSteel = 7850;  // kg/m^3: how large a point mass is drawn
constexpr std::size_t kMostGroups = 24;

/// The module and the name of the definition of a part: "Spatial" and "rod"; empty module: it is not of the
/// library.
struct PartName {
  std::string module, name;
};

/// One part of the model.
class Part {
 public:
  Part(const System& system, std::span<const double> parameters, std::uint32_t instance)
      : system_(system),
        parameters_(parameters),
        instance_(system.instances[instance]),
        body_(system.templates[instance_.body]) {}

  /// The unknown of a scalar of the interface, or of a local; nullopt if there is none.
  std::optional<std::uint32_t> unknown(std::string_view name) const {
    for (std::size_t k = 0; k < body_.interface.size(); ++k)
      if (body_.interface[k] == name) return system_.arguments[instance_.first_argument + k];
    return std::nullopt;
  }
  std::optional<double> number(std::string_view name) const {
    for (std::size_t k = 0; k < body_.parameters.size(); ++k)
      if (body_.parameters[k] == name) return parameters_[system_.captured[instance_.first_parameter + k]];
    return std::nullopt;
  }
  std::optional<Vector> vector(const std::string& name) const {
    Vector v{};
    for (int k = 0; k < 3; ++k) {
      const auto element = number(name + "[" + std::to_string(k + 1) + "]");
      if (!element) return std::nullopt;
      v[static_cast<std::size_t>(k)] = *element;
    }
    return v;
  }
  std::optional<Eigen::Matrix3d> matrix(const std::string& name) const {
    Eigen::Matrix3d m;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) {
        const auto element = number(name + "[" + std::to_string(i + 1) + "," + std::to_string(k + 1) + "]");
        if (!element) return std::nullopt;
        m(i, k) = *element;
      }
    return m;
  }

 private:
  const System& system_;
  std::span<const double> parameters_;
  const Instance& instance_;
  const Template& body_;
};

Quaternion quaternion(const Eigen::Matrix3d& rotation) {
  const Eigen::Quaterniond q(rotation);
  return {q.w(), q.x(), q.y(), q.z()};
}

/// The rotation of the third axis to a direction.
Quaternion towards(Vector axis) {
  const Eigen::Vector3d d(axis[0], axis[1], axis[2]);
  if (!(d.norm() > 0)) return {1, 0, 0, 0};
  const Eigen::Quaterniond q = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), d);
  return {q.w(), q.x(), q.y(), q.z()};
}

class Builder {
 public:
  Builder(const Compiled& model, const SourceMap& sources, const std::string& library,
          std::span<const double> parameters)
      : system_(model.system), sources_(sources), library_(library), parameters_(parameters) {}

  Scene build() {
    scene_.groups.emplace_back();
    groups_.resize(system_.instances.size());
    for (std::uint32_t i = 0; i < system_.instances.size(); ++i) {
      const Instance& instance = system_.instances[i];
      groups_[i] = i == system::kRoot ? 0 : group(i, instance);
      const PartName part = part_name(system_.templates[instance.body]);
      if (part.module != "Spatial" && part.module != "Planar" && part.module != "Flexible") continue;
      const auto draw = drawn().find(part.name);
      if (draw == drawn().end()) continue;
      planar_ = part.module == "Planar";
      const std::string whole = part_name(system_.templates[system_.instances[instance.parent].body]).name;
      in_bar_ = whole == "bar" || whole == "beam";
      part_.emplace(system_, parameters_, i);
      group_ = groups_[i];
      draw->second(*this);
    }
    scene_.planar = !scene_.frames.empty() &&
                    std::ranges::all_of(scene_.frames, [](const Frame& f) { return f.unknowns.size() == 3; });
    hide_replaced();
    number_bodies();
    return std::move(scene_);
  }

 private:
  using Draw = std::function<void(Builder&)>;

  static const std::map<std::string, Draw, std::less<>>& drawn() {
    static const std::map<std::string, Draw, std::less<>> all = {
        {"fixed", [](Builder& b) { b.fixed(); }},
        {"body", [](Builder& b) { b.body(); }},
        {"pointMass", [](Builder& b) { b.point_mass(); }},
        {"rod", [](Builder& b) { b.between(Shape::Rod, true); }},
        {"turned", [](Builder& b) { b.join(); }},
        {"load", [](Builder& b) { b.join(); }},
        {"station", [](Builder& b) { b.join(); }},
        {"tip", [](Builder& b) { b.join(); }},
        {"closingLink", [](Builder& b) { b.between(Shape::Rod); }},
        {"spring", [](Builder& b) { b.between(Shape::Coil); }},
        {"drivenRevolute", [](Builder& b) { b.hinge(); }},
        {"closingRevolute", [](Builder& b) { b.hinge(); }},
        {"closingPlane", [](Builder& b) { b.hinge(); }},
        {"screw", [](Builder& b) { b.hinge(); }},
        {"drivenPrismatic", [](Builder& b) { b.slide(); }},
        {"spherical", [](Builder& b) { b.joint_ball(); }},
        {"closingSpherical", [](Builder& b) { b.joint_ball(); }},
        {"drivenForce", [](Builder& b) { b.force(); }},
        {"bodyForce", [](Builder& b) { b.force(); }},
        {"ballContact", [](Builder& b) { b.contact(); }},
        {"rollingWheel", [](Builder& b) { b.wheel(); }},
        {"omniWheel", [](Builder& b) { b.wheel(); }},
        {"boxShape", [](Builder& b) { b.box_shape(); }},
        {"ballShape", [](Builder& b) { b.ball_shape(); }},
        {"cylinderShape", [](Builder& b) { b.cylinder_shape(); }},
        {"discShape", [](Builder& b) { b.disc_shape(); }},
        {"lineShape", [](Builder& b) { b.between(Shape::Rod); }},
        {"trace", [](Builder& b) { b.simple(Shape::Trace); }},
        {"coloured", [](Builder& b) { b.coloured(); }},
    };
    return all;
  }

  PartName part_name(const Template& body) const {
    if (body.span.file.value >= sources_.size()) return {};
    const std::string& path = sources_.file(body.span.file).path;
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || path.substr(0, slash) != library_ || !path.ends_with(".sr")) return {};
    return {path.substr(slash + 1, path.size() - slash - 4), std::string(text(body.relation))};
  }

  /// The part of the model that an instance is in, by its label: it can be hidden.
  std::uint32_t group(std::uint32_t i, const Instance& instance) {
    if (instance.parent != system::kRoot) return groups_[instance.parent];
    const system::ChildInfo& child =
        system_.templates[system_.instances[instance.parent].body].children[instance.child];
    if (!child.labelled || scene_.groups.size() >= kMostGroups) return 0;
    scene_.groups.push_back(system::instance_name(system_, i));
    return static_cast<std::uint32_t>(scene_.groups.size() - 1);
  }

  /// The frame of an interface of the part, by its name there; frames that share a node are one.
  std::optional<std::uint32_t> frame(const std::string& name) {
    std::vector<std::string> parts;
    if (planar_) {
      parts = {".x", ".y", ".phi"};
    } else {
      for (const char* k : {"1", "2", "3"}) parts.push_back(std::string(".r[") + k + "]");
      for (const char* i : {"1", "2", "3"})
        for (const char* k : {"1", "2", "3"}) parts.push_back(std::string(".rot[") + i + "," + k + "]");
    }
    Frame found;
    for (const std::string& p : parts) {
      const auto unknown = part_->unknown(name + p);
      if (!unknown) return std::nullopt;
      found.unknowns.push_back(*unknown);
    }
    const auto [at, fresh] =
        frames_.try_emplace(found.unknowns[0], static_cast<std::uint32_t>(scene_.frames.size()));
    if (fresh) {
      found.name = system::unknown_name(system_, found.unknowns[0]);
      found.name.resize(found.name.rfind('.') == std::string::npos ? 0 : found.name.rfind('.'));
      scene_.frames.push_back(std::move(found));
    }
    return at->second;
  }

  Shape* add(Shape::Kind kind, const std::string& at = "a") {
    const auto f = frame(at);
    if (!f) return nullptr;
    Shape& shape = scene_.shapes.emplace_back();
    shape.kind = kind;
    shape.frame = *f;
    shape.group = group_;
    if (kind == Shape::Rod || kind == Shape::Coil) shape.layer = 1;
    return &shape;
  }

  void simple(Shape::Kind kind) { add(kind); }
  void fixed() {
    if (Shape* s = add(Shape::Box)) {
      s->quiet = true;
      ground_.push_back(s->frame);
    }
  }

  void between(Shape::Kind kind, bool rigid = false) {
    const auto to = frame("b");
    if (!to) return;
    if (rigid) join();
    if (Shape* s = add(kind)) {
      s->to = *to;
      s->thick = in_bar_;
    }
  }

  /// The frames `a` and `b` are those of one body.
  void join() {
    const auto a = frame("a"), b = frame("b");
    if (a && b) bodies_[root(*a)] = root(*b);
  }
  std::uint32_t root(std::uint32_t f) {
    while (bodies_.size() < scene_.frames.size())
      bodies_.push_back(static_cast<std::uint32_t>(bodies_.size()));
    while (bodies_[f] != f) f = bodies_[f] = bodies_[bodies_[f]];
    return f;
  }

  /// Numbers the bodies in the order in which the model has them.
  void number_bodies() {
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    for (const std::uint32_t f : ground_) numbers[root(f)] = 0;
    std::uint32_t next = 1;
    for (Shape& s : scene_.shapes) {
      if (s.quiet) continue;
      const auto [at, fresh] = numbers.try_emplace(root(s.frame), next);
      if (fresh) ++next;
      s.body = at->second;
    }
  }

  /// A homogeneous box, ball or disc with the same mass and inertia.
  void body() {
    const auto mass = part_->number("m");
    if (!mass || !(*mass > 0) || in_bar_) return;
    if (planar_) {
      const auto inertia = part_->number("j");
      Shape* s = add(Shape::Cylinder);
      if (!s) return;
      const double r = inertia && *inertia > 0 ? std::sqrt(2 * *inertia / *mass) : 0;
      s->size = {r, r, r / 4};
      automatic_.push_back(scene_.shapes.size() - 1);
      return;
    }
    const auto inertia = part_->matrix("inertia");
    if (!inertia) return;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes((*inertia + inertia->transpose()) / 2);
    const Eigen::Vector3d j = axes.eigenvalues();
    Shape* s = add(Shape::Box);
    if (!s) return;
    automatic_.push_back(scene_.shapes.size() - 1);
    if (j(2) - j(0) < 1e-9 * j(2)) {
      const double r = std::sqrt(std::max(0.0, 2.5 * j(0) / *mass));
      s->kind = Shape::Ball;
      s->size = {r, r, r};
      return;
    }
    // m (b^2 + c^2) / 12 is the first moment, and so on. A diagonal matrix keeps its axes.
    const bool diagonal =
        std::abs((*inertia)(0, 1)) + std::abs((*inertia)(0, 2)) + std::abs((*inertia)(1, 2)) < 1e-12 * j(2);
    const Eigen::Vector3d m = diagonal ? Eigen::Vector3d(inertia->diagonal()) : j;
    for (int k = 0; k < 3; ++k) {
      const double square = 6 * (m((k + 1) % 3) + m((k + 2) % 3) - m(k)) / *mass;
      s->size[static_cast<std::size_t>(k)] = std::sqrt(std::max(0.0, square));
    }
    const double largest = *std::ranges::max_element(s->size);
    for (double& edge : s->size) edge = std::max(edge, 0.01 * largest);
    if (!diagonal) {
      Eigen::Matrix3d turn = axes.eigenvectors();
      if (turn.determinant() < 0) turn.col(0) *= -1;
      s->turn = quaternion(turn);
    }
  }

  void point_mass() {
    const auto mass = part_->number("m");
    if (!mass || !(*mass > 0) || in_bar_) return;
    const double r = std::cbrt(*mass * 0.75 / (kPi * kSteel));
    if (Shape* s = add(Shape::Ball)) {
      s->size = {r, r, r};
      automatic_.push_back(scene_.shapes.size() - 1);
    }
  }

  Vector axis(const char* name) const {
    if (planar_) return {0, 0, 1};
    return part_->vector(name).value_or(Vector{0, 0, 1});
  }

  void hinge() {
    if (Shape* s = add(Shape::Cylinder)) {
      s->turn = towards(axis("axis"));
      s->quiet = true;
      s->layer = 2;
    }
  }

  /// A rail from the one frame to the other.
  void slide() {
    const auto to = frame("b");
    if (!to) return;
    if (Shape* s = add(Shape::Rod)) {
      s->to = *to;
      s->quiet = true;
    }
  }

  void joint_ball() {
    if (Shape* s = add(Shape::Ball)) s->quiet = true;
  }

  void force() {
    std::array<std::uint32_t, 3> unknowns{};
    const char* const names[] = {planar_ ? "a.fx" : "a.f[1]", planar_ ? "a.fy" : "a.f[2]", "a.f[3]"};
    for (std::size_t k = 0; k < (planar_ ? 2U : 3U); ++k) {
      const auto unknown = part_->unknown(names[k]);
      if (!unknown) return;
      unknowns[k] = *unknown;
    }
    if (planar_) unknowns[2] = UINT32_MAX;
    if (Shape* s = add(Shape::Arrow)) {
      s->vector = static_cast<std::uint32_t>(scene_.vectors.size());
      scene_.vectors.push_back(unknowns);
    }
  }

  void contact() {
    scene_.ground = true;
    const double r = part_->number("radius").value_or(0);
    if (Shape* s = add(Shape::Ball)) {
      s->size = {r, r, r};
      explicit_.insert(s->frame);
    }
  }

  void wheel() {
    scene_.ground = true;
    const double r = part_->number("radius").value_or(0);
    if (Shape* s = add(Shape::Cylinder)) {
      s->size = {r, r, r / 4};
      s->turn = towards(axis("axis"));
      explicit_.insert(s->frame);
    }
    simple(Shape::Axes);
  }

  void shaped(Shape::Kind kind, Vector size, Quaternion turn = {1, 0, 0, 0}) {
    Shape* s = add(kind);
    if (!s) return;
    s->size = size;
    s->turn = turn;
    explicit_.insert(s->frame);
  }
  void box_shape() {
    if (planar_)
      shaped(Shape::Box,
             {part_->number("width").value_or(0), part_->number("height").value_or(0),
              std::min(part_->number("width").value_or(0), part_->number("height").value_or(0)) / 4});
    else
      shaped(Shape::Box, part_->vector("edges").value_or(Vector{}));
  }
  void ball_shape() {
    const double r = part_->number("radius").value_or(0);
    shaped(Shape::Ball, {r, r, r});
  }
  void disc_shape() {
    const double r = part_->number("radius").value_or(0);
    shaped(Shape::Cylinder, {r, r, r / 4});
  }
  void cylinder_shape() {
    const double r = part_->number("radius").value_or(0), length = part_->number("length").value_or(0);
    shaped(Shape::Cylinder, {r, r, length}, towards(axis("axis")));
  }
  void coloured() {
    const auto rgb = part_->vector("rgb");
    const auto f = frame("a");
    if (rgb && f) colours_.emplace(*f, *rgb);
  }

  /// Bodies whose shape the model states are not drawn beside it.
  void hide_replaced() {
    for (Shape& s : scene_.shapes)
      if (const auto colour = colours_.find(s.frame); colour != colours_.end() && !s.quiet)
        s.colour = colour->second;
    std::vector<Shape> kept;
    for (std::size_t k = 0; k < scene_.shapes.size(); ++k)
      if (!std::ranges::binary_search(automatic_, k) || !explicit_.contains(scene_.shapes[k].frame))
        kept.push_back(scene_.shapes[k]);
    scene_.shapes = std::move(kept);
  }

  const System& system_;
  const SourceMap& sources_;
  const std::string& library_;
  std::span<const double> parameters_;
  Scene scene_;
  std::vector<std::uint32_t> groups_;                        // by instance
  std::unordered_map<std::uint32_t, std::uint32_t> frames_;  // by their first unknown
  std::unordered_map<std::uint32_t, Vector> colours_;        // by frame
  std::vector<std::uint32_t> bodies_;   // by frame: another one of the same body, or itself (union-find)
  std::vector<std::uint32_t> ground_;   // frames that are fixed
  std::vector<std::size_t> automatic_;  // shapes that stand for a body
  std::unordered_set<std::uint32_t> explicit_;  // frames with a shape of the model
  bool planar_ = false;
  bool in_bar_ = false;  // a part of a homogeneous bar, which is drawn as such
  std::optional<Part> part_;
  std::uint32_t group_ = 0;
};

}  // namespace

Scene scene_of(const Compiled& model, const SourceMap& sources, const std::string& library,
               std::span<const double> parameters) {
  return Builder(model, sources, library, parameters).build();
}

}  // namespace sigrel::animate
