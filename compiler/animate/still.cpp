// The picture at one time as SVG: faces of the shapes, the far ones first, shaded by one light. The camera is
// the one from which the page looks at first (scene.js).
#include <fmt/format.h>
#include <Eigen/Geometry>
#include <cmath>

#include <algorithm>
#include <vector>

#include "compiler/animate/animate.h"
#include "compiler/animate/colours.h"
#include "compiler/doc/markup.h"

namespace sigrel::animate {
namespace {

using V = Eigen::Vector3d;

constexpr double kPi = 3.14159265358979323846;
constexpr int kFacets = 24;
constexpr double kAzimuth = -0.9, kElevation = 0.38, kDistance = 1.2, kHalfAngle = 0.36, kPlanar = 0.56;

struct Pose {
  V r;
  Eigen::Quaterniond q;
};

class Camera {
 public:
  Camera(const View& view, bool planar, int width, int height)
      : planar_(planar), width_(width), height_(height) {
    const V low(view.low[0], view.low[1], view.low[2]), high(view.high[0], view.high[1], view.high[2]);
    size = std::max((high - low).norm(), 1e-9);
    target = (low + high) / 2;
    back_ = planar ? V(0, 0, 1)
                   : V(std::cos(kElevation) * std::cos(kAzimuth), std::cos(kElevation) * std::sin(kAzimuth),
                       std::sin(kElevation));
    right_ = planar ? V(1, 0, 0) : V(-std::sin(kAzimuth), std::cos(kAzimuth), 0);
    up_ = back_.cross(right_);
    const double aspect = std::min(1.0, static_cast<double>(width) / height);
    distance_ = size * (planar ? 1 : kDistance);
    focus_ =
        planar ? height / (2 * distance_ * kPlanar / aspect) : height / (2 * std::tan(kHalfAngle)) * aspect;
    eye = target + distance_ * back_;
  }

  double depth(const V& p) const { return back_.dot(eye - p); }
  /// Pixels per metre at a point.
  double scale(const V& p) const { return planar_ ? focus_ : focus_ / std::max(depth(p), 0.02 * size); }
  Eigen::Vector2d at(const V& p) const {
    const double f = scale(p);
    return {0.5 * width_ + f * right_.dot(p - target), 0.5 * height_ - f * up_.dot(p - target)};
  }
  bool shows(const V& p, const V& normal) const { return planar_ ? normal.z() > 0 : normal.dot(eye - p) > 0; }

  V target, eye;
  double size = 1;

 private:
  bool planar_;
  int width_, height_;
  V back_, right_, up_;
  double distance_ = 1, focus_ = 1;
};

class Picture {
 public:
  Picture(const Animation& a, double time, int width, int height)
      : a_(a),
        view_(view_of(a.scene, a.movement)),
        camera_(view_, a.scene.planar, width, height),
        width_(width),
        height_(height) {
    const std::vector<double>& t = a.movement.times;
    const auto after = std::ranges::upper_bound(t, time);
    row_ = after == t.begin() ? 0 : static_cast<std::size_t>(after - t.begin()) - 1;
    const std::size_t next = std::min(row_ + 1, t.size() - 1);
    part_ = t[next] > t[row_] ? std::clamp((time - t[row_]) / (t[next] - t[row_]), 0.0, 1.0) : 0;
    if (const std::optional<Following> followed = following(a.scene, a.movement)) {
      Eigen::AlignedBox3d box;
      for (const std::uint32_t f : followed->frames)
        if (const V r = pose(f).r; r.allFinite()) box.extend(r);
      const V middle = box.isEmpty() ? V(0, 0, 0) : V(box.center());
      for (Eigen::Index k = 0; k < 3; ++k) {
        const double half = followed->size / std::sqrt(12.0);
        view_.low[static_cast<std::size_t>(k)] = middle(k) - half;
        view_.high[static_cast<std::size_t>(k)] = middle(k) + half;
      }
      // A ground far below is out of view, and without one nothing shows the movement.
      if (middle(2) - view_.ground > followed->size) view_.ground = middle(2) - followed->size / 2;
      camera_ = Camera(view_, a.scene.planar, width, height);
    }
  }

  std::string svg() {
    for (const Shape& s : a_.scene.shapes) shape(s);
    std::ranges::stable_sort(faces_, std::greater(), &Face::depth);
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n"
        "<title>{2}</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#f4f6f8\"/>\n",
        width_, height_, doc::escape(a_.title));
    out += grid();
    if (!shadow_.empty()) out += "<g opacity=\"0.16\">" + shadow_ + "</g>\n";
    for (const Face& face : faces_) out += face.text;
    return out + "</svg>\n";
  }

 private:
  struct Face {
    double depth;
    std::string text;
  };

  Pose pose(std::uint32_t frame) const {
    const auto at = [&](std::size_t row) {
      return a_.movement.poses.data() + (row * a_.scene.frames.size() + frame) * 7;
    };
    const float *p = at(row_), *n = at(std::min(row_ + 1, a_.movement.times.size() - 1));
    const Eigen::Quaterniond from(p[3], p[4], p[5], p[6]), to(n[3], n[4], n[5], n[6]);
    return {V(p[0] + part_ * (n[0] - p[0]), p[1] + part_ * (n[1] - p[1]), p[2] + part_ * (n[2] - p[2])),
            from.slerp(part_, to)};
  }

  static std::string shaded(const std::string& hex, const V& normal) {
    const V light = V(0.35, -0.5, 0.85).normalized();
    const double f = 0.55 + 0.10 * normal.z() + 0.42 * std::max(0.0, normal.dot(light));
    std::string out = "#";
    for (std::size_t k = 1; k < 7; k += 2)
      out += fmt::format("{:02x}",
                         std::clamp(static_cast<int>(std::stoi(hex.substr(k, 2), nullptr, 16) * f), 0, 255));
    return out;
  }

  std::string points(const std::vector<V>& corners) const {
    std::string out;
    for (const V& p : corners) {
      const Eigen::Vector2d at = camera_.at(p);
      out += fmt::format("{}{:.1f},{:.1f}", out.empty() ? "" : " ", at.x(), at.y());
    }
    return out;
  }

  void face(const std::vector<V>& corners, const V& normal, const std::string& colour) {
    V centre = V::Zero();
    for (const V& p : corners) centre += p / static_cast<double>(corners.size());
    if (camera_.shows(centre, normal)) {
      const std::string fill = a_.scene.planar ? colour : shaded(colour, normal);
      faces_.push_back({camera_.depth(centre),
                        fmt::format("<polygon points=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\" "
                                    "stroke-linejoin=\"round\"/>\n",
                                    points(corners), fill, fill, 0.4)});
    }
    cast(corners);
  }

  void cast(std::vector<V> corners) {
    if (a_.scene.planar) return;
    const V light = V(0.35, -0.5, 0.85).normalized();
    for (V& p : corners) p -= (p.z() - view_.ground) / light.z() * light;
    shadow_ += fmt::format("<polygon points=\"{}\"/>", points(corners));
  }

  void line(const std::vector<V>& corners, const std::string& colour, double width, double nearer = 0) {
    if (corners.size() < 2) return;
    V centre = V::Zero();
    for (const V& p : corners) centre += p / static_cast<double>(corners.size());
    faces_.push_back(
        {camera_.depth(centre) - nearer,
         fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\" "
                     "stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n",
                     points(corners), colour, width)});
  }

  void box(const V& centre, const Eigen::Matrix3d& axes, const V& edges, const std::string& colour) {
    for (int k = 0; k < 3; ++k)
      for (const double side : {-1.0, 1.0}) {
        const V n = side * axes.col(k), u = 0.5 * edges((k + 1) % 3) * axes.col((k + 1) % 3),
                w = 0.5 * edges((k + 2) % 3) * axes.col((k + 2) % 3), m = centre + 0.5 * edges(k) * n;
        face({m + u + w, m - u + w, m - u - w, m + u - w}, n, colour);
      }
  }

  /// A cylinder, or a cone, from one point to another.
  void tube(const V& from, const V& to, double radius, const std::string& colour, bool pointed = false) {
    const V d = to - from;
    if (!(d.norm() > 1e-9 * camera_.size)) return;
    const V z = d.normalized(), x = (std::abs(z.x()) < 0.6 ? V::UnitX() : V::UnitY()).cross(z).normalized(),
            y = z.cross(x);
    std::vector<V> first, last;
    const auto out = [&](double k) {
      return V(std::cos(2 * kPi * k / kFacets) * x + std::sin(2 * kPi * k / kFacets) * y);
    };
    for (int k = 0; k < kFacets; ++k) {
      first.push_back(from + radius * out(k));
      last.push_back(pointed ? to : V(to + radius * out(k)));
    }
    for (std::size_t k = 0; k < kFacets; ++k) {
      const std::size_t n = (k + 1) % kFacets;
      face({first[k], first[n], last[n], last[k]}, out(static_cast<double>(k) + 0.5), colour);
    }
    face(first, -z, colour);
    if (!pointed) face(last, z, colour);
  }

  void ball(const V& centre, const V& radii, const Eigen::Matrix3d& axes, const std::string& colour) {
    if (radii.maxCoeff() - radii.minCoeff() > 1e-9 * radii.maxCoeff())
      return box(centre, axes, 2 * radii, colour);
    const double r = radii(0);
    const Eigen::Vector2d at = camera_.at(centre);
    const double pixels = r * camera_.scale(centre);
    // A bright spot where the light falls on it.
    std::string text;
    for (const double part : {1.0, 0.86, 0.7, 0.52, 0.33}) {
      const V n = V(0.35, -0.5, 0.85).normalized() * (1 - part);
      text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.2f}\" fill=\"{}\"/>",
                          at.x() - 0.25 * pixels * (1 - part), at.y() - 0.3 * pixels * (1 - part),
                          pixels * part, shaded(colour, n * 1.3 - V(0, 0, 0.25) * part));
    }
    faces_.push_back({camera_.depth(centre) - 0.5 * r, text + "\n"});
    std::vector<V> rim;
    const V light = V(0.35, -0.5, 0.85).normalized(), x = light.cross(V::UnitX()).normalized(),
            y = light.cross(x);
    for (int k = 0; k < kFacets; ++k)
      rim.push_back(centre + r * (std::cos(2 * kPi * k / kFacets) * x + std::sin(2 * kPi * k / kFacets) * y));
    cast(rim);
  }

  void shape(const Shape& s) {
    Pose a = pose(s.frame);
    if (!a.r.allFinite()) return;
    const V lift(0, 0, a_.scene.planar ? 0.03 * camera_.size * s.layer : 0);
    a.r += lift;
    const std::string colour = colour_of(s);
    const Eigen::Matrix3d axes =
        (a.q * Eigen::Quaterniond(s.turn[0], s.turn[1], s.turn[2], s.turn[3])).toRotationMatrix();
    const V size(s.size[0], s.size[1], s.size[2]);
    switch (s.kind) {
      case Shape::Box: box(a.r, axes, size, colour); break;
      case Shape::Ball: ball(a.r, size, axes, colour); break;
      case Shape::Cylinder:
        tube(a.r - 0.5 * size(2) * axes.col(2), a.r + 0.5 * size(2) * axes.col(2), size(0), colour);
        break;
      case Shape::Rod: {
        const V b = pose(s.to).r + lift;
        if (b.allFinite()) tube(a.r, b, size(0), colour);
        break;
      }
      case Shape::Coil: coil(a.r, pose(s.to).r + lift, size(0), colour); break;
      case Shape::Arrow: arrow(a.r, s, colour); break;
      case Shape::Trace: trace(s, colour); break;
      case Shape::Axes:
        for (int k = 0; k < (a_.scene.planar ? 2 : 3); ++k)
          line({a.r, a.r + 0.07 * camera_.size * a.q.toRotationMatrix().col(k)},
               k == 0   ? "#d93333"
               : k == 1 ? "#269933"
                        : "#2633d9",
               1.6);
        break;
    }
  }

  void coil(const V& from, const V& to, double radius, const std::string& colour) {
    const V d = to - from;
    if (!to.allFinite() || !(d.norm() > 1e-9 * camera_.size)) return;
    const V z = d.normalized(), x = (std::abs(z.x()) < 0.6 ? V::UnitX() : V::UnitY()).cross(z).normalized(),
            y = z.cross(x);
    constexpr int kSteps = 160, kTurns = 8, kPiece = 8;
    std::vector<V> piece;
    for (int k = 0; k <= kSteps; ++k) {
      const double s = static_cast<double>(k) / kSteps, angle = 2 * kPi * kTurns * s,
                   r = radius * std::min({1.0, 12 * s, 12 * (1 - s)});
      piece.push_back(from + s * d + r * (std::cos(angle) * x + std::sin(angle) * y));
      if (k % kPiece == 0 && k > 0) {
        line(piece, colour, std::max(1.0, 0.3 * radius * camera_.scale(from)));
        piece = {piece.back()};
      }
    }
  }

  void arrow(const V& end, const Shape& s, const std::string& colour) {
    const float* f = a_.movement.vectors.data() + (row_ * a_.scene.vectors.size() + s.vector) * 3;
    const V v = s.size[0] * V(f[0], f[1], f[2]);
    if (!(v.norm() > 0.01 * camera_.size)) return;
    const double r = 0.005 * camera_.size, head = std::min(0.3 * v.norm(), 5 * r);
    tube(end - v, end - head * v.normalized(), r, colour);
    tube(end - head * v.normalized(), end, 2.4 * r, colour, true);
  }

  void trace(const Shape& s, const std::string& colour) {
    std::vector<V> way;
    for (std::size_t row = 0; row <= row_; ++row) {
      const float* p = a_.movement.poses.data() + (row * a_.scene.frames.size() + s.frame) * 7;
      if (std::isfinite(p[0])) way.emplace_back(p[0], p[1], p[2]);
    }
    line(way, colour, 1.5, 0.02 * camera_.size);
  }

  std::string grid() const {
    const double step = std::pow(10, std::floor(std::log10(camera_.size / 3))),
                 reach = step * std::ceil(camera_.size / step);
    const double x0 = std::round(camera_.target.x() / step) * step,
                 y0 = std::round(camera_.target.y() / step) * step, z = a_.scene.planar ? 0 : view_.ground;
    std::string out = "<g stroke=\"#d3d7db\" stroke-width=\"1\">";
    const auto segment = [&](const V& p, const V& q) {
      const Eigen::Vector2d a = camera_.at(p), b = camera_.at(q);
      out += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", a.x(), a.y(),
                         b.x(), b.y());
    };
    for (double k = -reach; k <= reach + step / 2; k += step) {
      segment({x0 + k, y0 - reach, z}, {x0 + k, y0 + reach, z});
      segment({x0 - reach, y0 + k, z}, {x0 + reach, y0 + k, z});
    }
    return out + "</g>\n";
  }

  const Animation& a_;
  View view_;
  Camera camera_;
  int width_, height_;
  std::size_t row_ = 0;
  double part_ = 0;
  std::vector<Face> faces_;
  std::string shadow_;
};

}  // namespace

std::string still(const Animation& animation, double time, int width, int height) {
  if (animation.movement.times.empty()) return {};
  return Picture(animation, time, width, height).svg();
}

}  // namespace sigrel::animate
