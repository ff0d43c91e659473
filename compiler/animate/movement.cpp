#include <Eigen/Geometry>
#include <cmath>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "compiler/animate/scene.h"

namespace sigrel::animate {
namespace {

/// The orientation of a matrix that is a rotation but for rounding.
std::array<float, 4> orientation(const std::array<double, 9>& m) {
  Eigen::Matrix3d rotation;
  rotation << m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8];
  Eigen::Quaterniond q(rotation);
  q.normalize();
  return {static_cast<float>(q.w()), static_cast<float>(q.x()), static_cast<float>(q.y()),
          static_cast<float>(q.z())};
}

/// Whether a rod is inside of a box of the same body. They keep their places in it, so the first row tells.
bool is_inside(const Shape& rod, const Shape& box, const Movement& m) {
  if (box.kind != Shape::Box || box.quiet || box.body != rod.body || m.times.empty()) return false;
  const auto at = [&](std::uint32_t frame) { return m.poses.data() + frame * std::size_t{7}; };
  const float* centre = at(box.frame);
  const Eigen::Quaterniond axes = Eigen::Quaterniond(centre[3], centre[4], centre[5], centre[6]) *
                                  Eigen::Quaterniond(box.turn[0], box.turn[1], box.turn[2], box.turn[3]);
  for (const float* p : {at(rod.frame), at(rod.to)}) {
    const Eigen::Vector3d inside =
        axes.conjugate() * Eigen::Vector3d(p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]);
    for (int k = 0; k < 3; ++k)
      if (!(std::abs(inside(k)) <= 0.5 * box.size[static_cast<std::size_t>(k)] * (1 + 1e-3) + 1e-9))
        return false;
  }
  return true;
}

/// Every row, or so many of them: the first and the last one of the run, and even steps in time between.
std::vector<std::size_t> chosen_rows(const runtime::Trajectory& t, std::size_t most) {
  std::vector<std::size_t> rows;
  if (t.rows() <= most) {
    for (std::size_t k = 0; k < t.rows(); ++k) rows.push_back(k);
    return rows;
  }
  const double begin = t.time(0), step = (t.time(t.rows() - 1) - begin) / static_cast<double>(most - 1);
  double next = begin;
  for (std::size_t k = 0; k < t.rows(); ++k)
    if (t.time(k) >= next || k + 1 == t.rows()) {
      rows.push_back(k);
      next = begin + step * (std::floor((t.time(k) - begin) / step + 1e-9) + 1);
    }
  return rows;
}

}  // namespace

std::vector<std::string> columns_of(const Compiled& model, const Scene& scene) {
  std::vector<std::string> names;
  for (const Frame& frame : scene.frames)
    for (const std::uint32_t u : frame.unknowns) names.push_back(system::unknown_name(model.system, u));
  for (const auto& vector : scene.vectors)
    for (const std::uint32_t u : vector)
      if (u != UINT32_MAX) names.push_back(system::unknown_name(model.system, u));
  return names;
}

double Movement::size() const {
  double square = 0;
  for (std::size_t k = 0; k < 3; ++k) square += (high[k] - low[k]) * (high[k] - low[k]);
  return std::sqrt(square);
}

Movement movement(const Compiled& model, const Scene& scene, const runtime::Trajectory& trajectory,
                  std::size_t most) {
  constexpr std::size_t kNone = SIZE_MAX;
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t c = 0; c < trajectory.columns(); ++c) by_name.emplace(trajectory.names()[c], c);
  const auto column = [&](std::uint32_t unknown) {
    if (unknown == UINT32_MAX) return kNone;
    const auto found = by_name.find(system::unknown_name(model.system, unknown));
    return found == by_name.end() ? kNone : found->second;
  };
  std::vector<std::size_t> columns, vector_columns;
  for (const Frame& frame : scene.frames)
    for (const std::uint32_t u : frame.unknowns) columns.push_back(column(u));
  for (const auto& vector : scene.vectors)
    for (const std::uint32_t u : vector) vector_columns.push_back(column(u));

  Movement m;
  m.rows = trajectory.rows();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  m.low = {kInfinity, kInfinity, kInfinity};
  m.high = {-kInfinity, -kInfinity, -kInfinity};
  for (const std::size_t row : chosen_rows(trajectory, most)) {
    m.times.push_back(trajectory.time(row));
    const auto value = [&](std::size_t c) { return c == kNone ? std::nan("") : trajectory.value(row, c); };
    std::size_t at = 0;
    for (const Frame& frame : scene.frames) {
      Vector r{};
      std::array<float, 4> q{};
      if (frame.unknowns.size() == 3) {
        r = {value(columns[at]), value(columns[at + 1]), 0};
        const double half = value(columns[at + 2]) / 2;
        q = {static_cast<float>(std::cos(half)), 0, 0, static_cast<float>(std::sin(half))};
      } else {
        std::array<double, 9> rotation{};
        for (std::size_t k = 0; k < 3; ++k) r[k] = value(columns[at + k]);
        for (std::size_t k = 0; k < 9; ++k) rotation[k] = value(columns[at + 3 + k]);
        q = orientation(rotation);
      }
      at += frame.unknowns.size();
      for (std::size_t k = 0; k < 3; ++k) {
        m.poses.push_back(static_cast<float>(r[k]));
        if (!std::isfinite(r[k])) continue;
        m.low[k] = std::min(m.low[k], r[k]);
        m.high[k] = std::max(m.high[k], r[k]);
      }
      m.poses.insert(m.poses.end(), q.begin(), q.end());
    }
    for (const std::size_t c : vector_columns)
      m.vectors.push_back(c == kNone ? 0.0F
                                     : static_cast<float>(-value(c)));  // on the frame, not into the part
  }
  for (std::size_t k = 0; k < 3; ++k)
    if (!(m.low[k] <= m.high[k])) m.low[k] = m.high[k] = 0;
  return m;
}

std::optional<Following> following(const Scene& scene, const Movement& m) {
  constexpr double kFar = 8, kVeryFar = 40;  // times the size; a single body is followed later
  constexpr std::size_t kRows = 200;         // that are looked at
  const std::size_t frames = scene.frames.size(), rows = m.times.size();
  const std::size_t step = std::max<std::size_t>(1, rows / kRows);
  const auto extend = [&](Eigen::AlignedBox3d& box, std::size_t row, std::size_t frame) {
    const float* p = m.poses.data() + (row * frames + frame) * 7;
    if (std::isfinite(p[0])) box.extend(Eigen::Vector3d(p[0], p[1], p[2]));
  };
  const auto diagonal = [](const Eigen::AlignedBox3d& box) {
    return box.isEmpty() ? 0.0 : box.diagonal().norm();
  };
  std::vector<bool> moves(frames), part(frames, false);
  for (std::size_t f = 0; f < frames; ++f) {
    Eigen::AlignedBox3d way;
    for (std::size_t row = 0; row < rows; row += step) extend(way, row, f);
    moves[f] = diagonal(way) > 1e-3 * m.size();
  }
  double largest = 0;
  for (const Shape& s : scene.shapes) {
    if (s.kind == Shape::Arrow || s.kind == Shape::Trace || s.kind == Shape::Axes) continue;
    const bool joins = s.kind == Shape::Rod || s.kind == Shape::Coil;
    if (!moves[s.frame] && !(joins && moves[s.to])) continue;
    part[s.frame] = true;
    if (joins)
      part[s.to] = true;
    else
      largest = std::max(largest, Eigen::Vector3d(s.size[0], s.size[1], s.size[2]).norm());
  }
  double size = 0;
  for (std::size_t row = 0; row < rows; row += step) {
    Eigen::AlignedBox3d box;
    for (std::size_t f = 0; f < frames; ++f)
      if (part[f]) extend(box, row, f);
    size = std::max(size, diagonal(box));
  }
  const double whole = size + largest;
  if (!(whole > 0 && m.size() > (size > 0 ? kFar : kVeryFar) * whole)) return std::nullopt;
  Following result{{}, size > 0 ? whole : 3 * whole};
  for (std::uint32_t f = 0; f < frames; ++f)
    if (part[f]) result.frames.push_back(f);
  return result;
}

void choose_sizes(Scene& scene, const Movement& m) {
  const std::optional<Following> followed = following(scene, m);
  double size = followed ? followed->size : m.size();
  double largest = 0;
  for (const Shape& s : scene.shapes)
    if (s.kind != Shape::Arrow) largest = std::max(largest, *std::ranges::max_element(s.size));
  if (!(size > 0.1 * largest)) size = 2 * largest;
  if (!(size > 0)) size = 1;
  // Joints are small beside the rods between them.
  std::vector<double> lengths;
  for (const Shape& s : scene.shapes)
    if (s.kind == Shape::Rod && !s.quiet && !m.times.empty()) {
      const float *a = m.poses.data() + s.frame * std::size_t{7}, *b = m.poses.data() + s.to * std::size_t{7};
      const double length = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      if (length > 0) lengths.push_back(length);
    }
  double joint = 0.013 * size;
  if (!lengths.empty()) {
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::ranges::nth_element(lengths, middle);
    joint = std::min(joint, 0.12 * *middle);
  }
  double strongest = 0;
  for (std::size_t k = 0; k + 2 < m.vectors.size(); k += 3)
    strongest = std::max(strongest,
                         static_cast<double>(std::hypot(m.vectors[k], m.vectors[k + 1], m.vectors[k + 2])));
  for (Shape& s : scene.shapes) {
    if (s.size[0] > 0) continue;
    switch (s.kind) {
      case Shape::Box: s.size = {2.3 * joint, 2.3 * joint, 2.3 * joint}; break;
      case Shape::Ball: s.size = {joint, joint, joint}; break;
      case Shape::Cylinder: s.size = {joint, joint, 2.7 * joint}; break;
      case Shape::Rod: s.size[0] = (s.quiet ? 0.3 : s.thick ? 1.1 : 0.45) * joint; break;
      case Shape::Coil: s.size[0] = joint; break;
      case Shape::Arrow: s.size[0] = strongest > 0 ? 0.25 * size / strongest : 1; break;
      case Shape::Trace:
      case Shape::Axes: break;
    }
  }
  if (scene.planar)
    for (Shape& s : scene.shapes)
      if (s.kind == Shape::Box || s.kind == Shape::Cylinder) s.size[2] = 0.002 * size;
  std::unordered_map<std::uint32_t, std::vector<const Shape*>> boxes;  // by body
  for (const Shape& s : scene.shapes)
    if (s.kind == Shape::Box) boxes[s.body].push_back(&s);
  std::vector<Shape> outside;
  for (const Shape& s : scene.shapes)
    if (s.kind != Shape::Rod ||
        std::ranges::none_of(boxes[s.body], [&](const Shape* box) { return is_inside(s, *box, m); }))
      outside.push_back(s);
  scene.shapes = std::move(outside);
}

}  // namespace sigrel::animate
